/*
 * policy_int.h - what the files of the policy layer share and nobody else
 * sees.
 */
#ifndef POLICY_POLICY_INT_H
#define POLICY_POLICY_INT_H

#include <sys/stat.h>

#include <stdio.h>

#include "policy.h"

/* What [section] key means; the list of them is in policy_keys.c. */
struct policy_key;
typedef int policy_setter(struct policy *p, const struct policy_key *k,
    const char *value, const struct origin *o, struct diag *d);
struct policy_key {
	const char *section;
	const char *key;
	policy_setter *set;
	enum limit limit; /* of a limit or its ceiling */
	bool is_list;	  /* may stand more than once in a file */
};
extern const struct policy_key policy_keys[];
extern const size_t policy_key_count;

/* The row, or NULL with d: unknown section or key, and what is near. */
const struct policy_key *policy_key_find(const char *section, const char *key,
    const struct origin *o, struct diag *d);

/*
 * A message about a value, prefixed by where it came from: "FILE:LINE: " and
 * code DIAG_POLICY, or the flag and code DIAG_USAGE.  Returns -1.
 */
int origin_fail(struct diag *d, const struct origin *o, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "--wall", "FILE:3" or "built in", for use within a message. */
const char *origin_text(const struct origin *o, char *buf, size_t size);
#define ORIGIN_TEXT_SIZE 600U

/* tenants.c: the NAME of "tenant NAME", or NULL for another section. */
const char *tenant_of_section(const char *section);
/* One key of [tenant NAME]; only files have them.  0, or -1 with d. */
int tenant_set(struct policy *p, const char *tenant, const char *key,
    const char *value, const struct origin *o, struct diag *d);
/* The sections of a canonical policy: what holds for each tenant. */
void tenants_print(FILE *f, const struct policy *p);

/* policy.c: keeps a file's name for origins; NULL: out of memory. */
const char *policy_keep_file(struct policy *p, const char *path);

/* No file and no flag set it.  Owner: finish.c. */
bool origin_is_built_in(const struct origin *o);
/* finish_host.c, finish_env.c, finish_binds.c: one part each of
 * policy_finish(). */
int finish_host(struct policy *p, struct diag *d);
int finish_env(struct policy *p, struct diag *d);
int finish_binds(struct policy *p, struct diag *d);
/* finish_sockets.c: no unix socket lies in what b shows, no file system of the
 * kernel's own, nor, where it is read-only, a named pipe, and at most so many
 * entries; 0, or -1 with d. */
int
finish_sockets(const struct policy_bind *b, unsigned int most, struct diag *d);
#define BIND_ENTRIES_MAX 200000U
/* A policy is printed line by line, and its hash is taken of those lines: no
 * name may end one.  Owner: finish_binds.c. */
bool path_has_control(const char *path);

/* env_hijack.c: why no job is given this variable, as "makes ...", or NULL.
 * name ends at '=' or NUL. */
const char *env_hijack_why(const char *name);

/*
 * view.c: everything of a plan that does not depend on the job: the entries
 * of the root and the environment, with the strings they point to.
 */
struct policy_view {
	struct plan_entry entries[PLAN_ENTRIES_MAX];
	uint32_t entry_count;
	const char *env[PLAN_ENVP_MAX]; /* NAME=VALUE */
	uint32_t env_count;
	char paths[16 * 1024]; /* of the plan made last, to execute */
	char **strings;	       /* owned; entries and env point to them */
	size_t string_count;
};
void view_free(struct policy_view *v);
/* Something is at path, of an entry or of the launcher's own. */
bool view_has(const struct policy_view *v, const char *path);
#define PROGRAM_ENTRIES 3U /* the program, and two directories for it */
/* A copy that lives as long as the view; NULL: out of memory. */
const char *view_keep(struct policy_view *v, const char *text);
int view_add_file(struct policy_view *v, const char *path, const char *text,
    struct diag *d);
int view_add_link(struct policy_view *v, const char *path, const char *target,
    struct diag *d);
int view_add_bind(struct policy_view *v, const char *path, const char *source,
    const struct stat *st, uint8_t flags, struct diag *d);
int view_show(struct policy_view *v, const char *path, struct diag *d);

/* view_build.c: makes p->view. */
int view_build(struct policy *p, struct diag *d);
/* view_env.c: the environment of the job. */
int view_env(struct policy *p, struct policy_view *v, struct diag *d);

#endif
