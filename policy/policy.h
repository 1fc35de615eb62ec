/*
 * policy.h - what is to be enforced, before it becomes a plan.
 *
 * A policy starts as the built-in one and is narrowed or widened by policy
 * files and flags, in that order; every value remembers where it came from.
 * policy_finish() judges the whole: ceilings, environment, binds.  After it the
 * policy does not change, and policy_plan() makes plans from it.
 * Knows nothing of the ledger, JSON or processes.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "diag.h"
#include "plan.h"

enum limit {
#define LIMIT(id, key, flag, json, kind, def, min, max, what) LIMIT_##id,
#include "limits.def"
#undef LIMIT
	LIMIT__MAX
};

enum limit_kind {
	KIND_TIME,
	KIND_SIZE,
	KIND_MIB,
	KIND_COUNT,
	KIND_PERCENT
};

struct limit_info {
	const char *key;
	const char *flag; /* NULL: no flag */
	const char *json;
	enum limit_kind kind;
	uint64_t def;
	uint64_t min;
	uint64_t max;
	const char *what;
};
extern const struct limit_info limit_infos[LIMIT__MAX];

enum quota {
#define QUOTA(id, key, json, kind, min, max, what) QUOTA_##id,
#include "quotas.def"
#undef QUOTA
	QUOTA__MAX
};

struct quota_info {
	const char *key;
	const char *json;
	enum limit_kind kind;
	uint64_t min;
	uint64_t max;
	const char *what;
};
extern const struct quota_info quota_infos[QUOTA__MAX];

/* Where a value came from: a file and line, a flag ("--wall"), or built in. */
struct origin {
	const char *file; /* NULL: not from a file; owned by the policy */
	unsigned int line;
	const char *flag; /* NULL: not a flag; a literal, never owned */
};

struct policy_env {
	char *name;
	char *value; /* never NULL after policy_finish() */
	struct origin origin;
};

struct policy_bind {
	char *source; /* absolute and resolved after policy_finish() */
	char *path;   /* inside */
	bool is_writable;
	struct origin origin;
};

#define TENANT_BYTES_MAX 64
#define TENANT_ANY "*" /* [tenant *] */

/* One key of a section [tenant NAME]. */
struct tenant_row {
	char tenant[TENANT_BYTES_MAX + 1];
	enum quota quota; /* QUOTA__MAX: degraded, value is a control_set */
	uint64_t value;
	struct origin origin;
};

#define POLICY_ENV_MAX 64U
#define POLICY_BINDS_MAX 32U
/* argv and envp together, with their NULs: a plan fits one message. */
#define POLICY_ARGS_BYTES_MAX (96U * 1024)
#define POLICY_ARGS_MAX 4096U /* arguments of a command */

struct policy {
	uint64_t limits[LIMIT__MAX];
	struct origin limit_origins[LIMIT__MAX];
	uint64_t ceilings[LIMIT__MAX]; /* 0: none */
	struct origin ceiling_origins[LIMIT__MAX];
	bool network_host;
	struct origin network_origin;
	bool network_ceiling_none; /* [ceiling] access = none */
	struct origin network_ceiling_origin;
	control_set waived;	 /* what --allow-degraded permits */
	control_set flag_waived; /* the part of it that a flag asked for */
	bool has_anchor;	 /* [ledger] anchor = syslog */
	struct origin anchor_origin;
	struct tenant_row *tenants; /* malloced, in the order of the files */
	size_t tenant_count;
	control_set forbidden; /* of flag_waived, by policy_use_tenant() */
	struct origin forbidden_origin;
	char *cgroup_path; /* [cgroup] path; NULL: none */
	struct origin cgroup_origin;
	bool no_systemd; /* [cgroup] systemd = no: ask no user manager */
	struct policy_env envs[POLICY_ENV_MAX];
	unsigned int env_count;
	struct policy_bind binds[POLICY_BINDS_MAX];
	unsigned int bind_count;
	struct policy_files *files; /* names that origins point to */
	struct policy_view *view;   /* what plans point to; policy_finish() */
	uint64_t stack_bytes;	    /* policy_finish() */
	char *name;	 /* "built-in", or the path of the last file read */
	char sha256[65]; /* of the canonical text, after policy_finish() */
	bool keep_json;	 /* --json: max-output defaults to 1 MiB, else 64 MiB */
};

/* The built-in policy, or NULL (out of memory). */
struct policy *policy_new(void);
void policy_free(struct policy *p);

/* Reads one INI file.  A missing file is an error only if is_required.
 * 0, or -1 with d naming file, line and word. */
int policy_load(struct policy *p, const char *path, bool is_required,
    struct diag *d);

/*
 * Sets one value, as a file's section and key or as a flag does.  Flags use
 * the section and key of the file ("limits", "wall") and their own origin;
 * is_flag makes KIND_MIB count MiB.
 */
int policy_set(struct policy *p, const char *section, const char *key,
    const char *value, const struct origin *origin, struct diag *d);

/*
 * Judges the whole and fills what depends on other values; once.  A value that
 * was given above its ceiling is an error; a built-in one follows the ceiling
 * down.  Reads whatever of the host a plan is made from (environment, bind
 * sources, the job's view), so that policy_plan() opens no file.
 */
int policy_finish(struct policy *p, struct diag *d);
/*
 * Opens the directories that are bound, as the account that the jobs run as:
 * it may read them, and no socket is in them.  After policy_finish(), and after
 * a drop of root, which shows no job more than that account sees.
 */
int policy_look_into_binds(const struct policy *p, struct diag *d);

/* tenants.c: 1 to 64 letters, digits, '.', '_' or '-'. */
bool tenant_name_is_valid(const char *name);
/* What the tenant may use at most, and who says so; 0: no such quota. */
uint64_t policy_quota(const struct policy *p, const char *tenant, enum quota q,
    struct origin *origin);
/* The waivers that every file permits to the tenant. */
control_set policy_tenant_waivers(const struct policy *p, const char *tenant);
/* The n-th name of a section [tenant NAME], "*" included; NULL: no more. */
const char *policy_tenant(const struct policy *p, size_t n);
/*
 * Takes away the waivers that the tenant may not use; before policy_finish().
 * Those of them that a flag asked for are in p->forbidden: the job is to be
 * refused for its quota.
 */
void policy_use_tenant(struct policy *p, const char *tenant);

/* What the job is to execute.  The strings stay the caller's. */
struct job_command {
	const char *const *argv;  /* NULL-terminated, at least one */
	const char *program_path; /* inside; NULL: no program travels */
	uint64_t program_bytes;
};

/*
 * Makes the plan that holds the given controls (CONTROL_ALL less what was
 * waived; netns is left out by itself when the host's network is shared, and
 * cpushare when there is no quota).  A waived memory gets its stand-in here,
 * RLIMIT_DATA.  The plan points into p, cmd and storage owned by p; it has
 * passed plan_check().  0, or -1 with d.  Opens nothing: it works in a broker
 * that is already confined.
 */
int policy_plan(struct policy *p, const struct job_command *cmd,
    control_set controls, struct plan *out, struct diag *d);

/* Who set a limit, or the ceiling that its default gave way to; after
 * policy_finish().  Neither file nor flag: it is the default. */
const struct origin *policy_limit_origin(const struct policy *p, enum limit l);

/* TIME, SIZE and counts of DESIGN 8, as text -> number.  0, or -1 with d
 * (what names the thing: "--wall").  Owner: value.c. */
int value_parse(enum limit_kind kind, bool is_flag, const char *text,
    uint64_t *out, const char *what, struct diag *d);
/* The number as a person writes it ("60s", "512M"); returns buf. */
const char *
value_print(enum limit_kind kind, uint64_t value, char *buf, size_t size);

/* --allow-degraded's LIST ("memory,landlock"); NULL: every waivable one. */
int waivers_parse(const char *list, control_set *out, struct diag *d);

/* The canonical policy as an INI text, for "agsbx policy" and its hash;
 * malloced. */
char *policy_print(const struct policy *p);

#endif
