/*
 * job.h - one job's record: what the ledger stores, what agsbx.job/1 prints.
 * Owner: job.c.  A plain value with strings of its own; whoever fills a field
 * allocates it, job_free() releases all of them.
 */
#ifndef BROKER_JOB_H
#define BROKER_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "policy.h"

struct diag;

enum job_state {
#define STATE(id, name, is_open) JOB_##id,
#include "states.def"
#undef STATE
	JOB__MAX
};

enum reason {
#define REASON(id, name) REASON_##id,
#include "reasons.def"
#undef REASON
	REASON__MAX
};

#define JOB_ID_SIZE 27 /* a ULID and its NUL */
#define SHA256_HEX_SIZE 65
#define JOB_UNKNOWN (-1) /* of the int64_t and int fields: null in JSON */

struct job_stream {
	int64_t bytes_seen;
	int64_t bytes_kept;
	bool is_truncated;
	char sha256[SHA256_HEX_SIZE]; /* of all bytes seen; "" unknown */
	char *text; /* --json only: kept bytes, already UTF-8 or base64 */
	const char *encoding; /* "utf-8", "base64", NULL when text is NULL */
};

/* What a person is told of a gap; strings from hint.c. */
struct job_gap {
	enum control control;
	char token[64]; /* NO-MEMORY-CEILING(rlimit) */
	int err;
	char *cause;
	char *fix; /* NULL: none known */
	bool is_waived;
};

struct job {
	char id[JOB_ID_SIZE];
	char tenant[TENANT_BYTES_MAX + 1];
	char *note; /* NULL: none */
	enum job_state state;
	bool is_degraded; /* a waiver was used */

	enum reason reason;
	char *detail;		      /* NULL: none */
	bool limits_hit[REASON__MAX]; /* by the reason of that name */
	int exit_code;		      /* JOB_UNKNOWN unless it exited */
	int signal;		      /* JOB_UNKNOWN unless a signal ended it */

	struct job_stream out;
	struct job_stream err;

	int64_t wall_ms; /* usage; JOB_UNKNOWN where not measured */
	int64_t cpu_ms;
	int64_t memory_peak_bytes;
	int64_t processes_peak;
	const char *usage_source; /* "rusage" or "cgroup"; NULL: none */

	char **argv;			      /* NULL-terminated */
	char *file;			      /* FILE as named; NULL */
	char command_sha256[SHA256_HEX_SIZE]; /* of CODE or FILE; "" */
	bool network_host;

	bool has_rows; /* rows were read back */
	struct readback rows[CTL__MAX];
	struct job_gap gaps[CTL__MAX];
	unsigned int gap_count;

	char *policy_name;
	char policy_sha256[SHA256_HEX_SIZE];

	char *kernel;
	char boot_id[37];
	int64_t uid;	    /* of the caller */
	int64_t created_ms; /* Unix time; JOB_UNKNOWN */
	int64_t started_ms;
	int64_t ended_ms;

	int64_t launcher_pid; /* second signs for recover, never a reason */
	int64_t init_pid;
	int64_t lock_byte; /* of agsbx.lock */
	int64_t pidns;	   /* inode of the pid namespace of these pids */
	char *leaf; /* path of the leaf, made after admission; NULL: none */

	int64_t refusals; /* for its quota: more of them, counted here */
	int64_t memory_limit_bytes; /* for the quotas of its tenant */
	int64_t cpu_limit_ms;
};

void job_init(struct job *j); /* all unknown, tenant "default" */
void job_free(struct job *j);

const char *job_state_name(enum job_state s);
bool job_state_is_open(enum job_state s);
enum job_state job_state_by_name(const char *name); /* JOB__MAX: none */
const char *reason_name(enum reason r);
enum reason reason_by_name(const char *name); /* REASON__MAX: none */

/* transitions.def: may a job in state from go to state to? */
bool job_may_follow(enum job_state from, enum job_state to);

/* True when every wanted row is held and nothing was waived. */
bool job_is_complete(const struct job *j);
/* The gap of that control, or NULL. */
const struct job_gap *job_gap_of(const struct job *j, enum control ctl);

#define NOTE_BYTES_MAX 1024

/* --tenant and --note, judged.  0, or -1 with d (DIAG_USAGE). */
int tenant_check(const char *name, struct diag *d);
int note_check(const char *note, struct diag *d);

#endif
