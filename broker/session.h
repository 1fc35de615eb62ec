/*
 * session.h - one run of agsbx that starts a launcher: what run and doctor
 * share.  Owners: session.c (what comes before the row), session_leaf.c (the
 * job's cgroup leaf), admission.c (the row), launch.c (the launcher until HELD
 * or REFUSED), supervise.c (from GO to the end), settle.c (all of that,
 * and the settled row), report.c (what is told afterwards).
 *
 * The order is the design's: policy, command, root drop, ledger, row, launcher,
 * confinement, plan, held, commit, GO.
 */
#ifndef BROKER_SESSION_H
#define BROKER_SESSION_H

#include <stdbool.h>

#include "cli.h"
#include "command.h"
#include "host.h"
#include "job.h"
#include "ledger.h"
#include "peer.h"
#include "policy.h"
#include "rootdrop.h"
#include "streams.h"
#include "verdict.h"

/* The options of run that are no settings of the policy. */
struct run_options {
	const char *code;
	const char *lang;
	const char *tenant;
	const char *wait;
	const char *note;
	const char *state_dir;
	const char *json_fd; /* read by cli.c */
	bool is_json;
	bool no_stdin;
	bool is_quiet;
};

struct session {
	struct cli *cli;
	struct run_options opts;
	struct settings settings;
	struct host host;
	struct rootdrop root;
	int64_t caller_uid;
	struct policy *policy;
	struct command command;
	char *state_dir;
	bool has_row;	       /* run: there is a ledger and a row */
	struct ledger *ledger; /* NULL: doctor */
	int lock_fd;	       /* liveness; -1: doctor */
	int anchor_fd;	       /* the system log; -1: no anchors */
	int launcher_fd;
	int signal_fd;
	struct job job;
	bool is_admitted; /* a row exists that must be settled */
	int64_t wait_ms;  /* for the quotas of its tenant; 0: not at all */

	struct feed *feed;
	struct pump *out;
	struct pump *err;
	int job_fds[PLAN_FD__MAX]; /* the job's ends; closed after the plan */
	struct leaf leaf;
	struct peer peer;
	struct plan *plan;
	bool has_landlock; /* the broker's own */

	/* What the row says further, once the verdict is found; -1: ENOMEM. */
	int (*judge)(struct session *s);
	void *judge_arg;

	struct ending ending;
	int reraise;	     /* the signal to end by; 0: none */
	struct diag failure; /* of cause KILL_OURS */
	struct diag d;	     /* a message on its way out */
	struct diag late;    /* the same, of the clean-up */
};

/* ---- session.c ---- */
/* NULL: out of memory, and the caller was told. */
struct session *session_new(struct cli *cli);
void session_free(struct session *s);
/* Built-in policy, files, flags.  For policy as well.  0, or -1 with d. */
int session_load_policy(struct session *s, struct diag *d);
/* policy_finish(), launcher, drop of root, a look into what is bound. */
int session_prepare(struct session *s, struct diag *d);
/* No job is left: takes the signals that came too late for it, of which the
 * first is the one to end by, and lets the next one end us at once. */
void session_release_signals(struct session *s);
/* Pipes and their pumps; before the broker is confined. */
int session_open_streams(struct session *s, bool has_stdin, struct diag *d);

/* ---- session_leaf.c ---- */
/* Host facts, and the place for the leaf, unless root must be dropped first:
 * agsbx may be executed anew, in a scope of the systemd user manager.  Before
 * anything is read that could not be read twice. */
void session_enter(struct session *s);
/* The place for the leaf alone; for root, who has become somebody else. */
void session_find_leaf(struct session *s);
/* The id and the path of the leaf, for the row.  0, or -1 with d. */
int session_name_leaf(struct session *s, struct diag *d);
/* The leaf, where there is a place for one.  Without: a gap tells, and d is
 * kept as its cause. */
void session_make_leaf(struct session *s);

/* ---- admission.c ---- */
/*
 * Ledger, liveness and the row, within the quotas of the tenant.  Waits for
 * these up to s->wait_ms, first come first served; a signal ends that and is
 * left to be read.  0, or -1 with d (DIAG_QUOTA: the refusal has a row).
 */
int session_admit(struct session *s, struct diag *d);

/* ---- launch.c ---- */
enum launch_end {
	LAUNCH_HELD,
	LAUNCH_REFUSED,	    /* s->job has the rows and gaps */
	LAUNCH_INTERRUPTED, /* s->ending.signal */
	LAUNCH_FAILED,	    /* d */
};
/* Starts the launcher, confines the broker, sends the plan. */
enum launch_end launch(struct session *s, struct diag *d);
/* True when every gap was waived or could be. */
bool launch_gaps_are_waivable(const struct job *j);

/* ---- supervise.c ---- */
/* GO, then everything until the last process is gone: s->ending tells. */
void supervise(struct session *s);

/* ---- settle.c ---- */
/* From the admitted row to the settled one.  0, or -1 with s->d. */
int session_run(struct session *s);
/* Writes the ledger's head to the system log, where anchors are asked for: one
 * that is not there is no success.  0, or -1 with d. */
int session_anchor(const struct session *s, struct diag *d);

/* ---- report.c ---- */
/* The refusal of exit 3, on stderr. */
void report_refusal(const struct job *j, const struct policy *p);
/* The closing line, on stderr. */
void report_closing(const struct job *j, const struct policy *p);

#endif
