/*
 * launcher.h - what the parts of the launcher share.
 *
 * One launch is three processes of this program: the launcher (in the host's
 * namespaces, unprivileged), init (pid 1 of the job's namespaces) and the job
 * (held at the gate until GO, then the command).  struct launch is set up by
 * the launcher before the clone; init and the job each work on their own copy
 * of it.  Only the board is shared memory: init and the job write their rows
 * there, the launcher reads it before HELD.  The job loses it at exec.
 *
 * No heap, no stdio, no getenv, one thread.
 */
#ifndef LAUNCHER_LAUNCHER_H
#define LAUNCHER_LAUNCHER_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "fault.h"
#include "msg.h"
#include "plan.h"
#include "readback.h"

/* Shared between launcher, init and the job: MAP_SHARED|MAP_ANONYMOUS. */
struct board {
	struct readback rows[CTL__MAX];
};

struct launch {
	const struct plan *plan;
	struct board *board;
	enum control current; /* the row being applied or verified */
	uid_t uid; /* the caller's ids, in the host's user namespace */
	gid_t gid;
	int fds[PLAN_FD__MAX]; /* as received; -1 where none */
	int init_sock;	       /* this side's end of launcher <-> init */
	int gate; /* this side's end of launcher <-> job, SO_PASSCRED */

	/* init only, until the pivot */
	int root_fd; /* the tmpfs that becomes the root */
	int proc_fd; /* a full procfs, detached: sysctls, then CPU times */

	/* launcher only */
	pid_t init_pid; /* as the host sees them */
	pid_t job_pid;
	int init_pidfd;
	int job_pidfd;
	int job_proc; /* O_PATH directory /proc/JOB of the host's procfs */
	uint32_t filters_before; /* Seccomp_filters of the launcher itself */
};

/*
 * Each row of the table has these two.  apply sets; verify reads the kernel,
 * not our variables, and calls readback_want()/readback_got().  Both return
 * 0, or -1 after fault_at().  Who runs them: the table's phase and proof.
 * verify runs right after apply when the applier proves it (BY_INIT, BY_JOB),
 * and in the launcher, over l->job_proc, when the proof is BY_LAUNCHER.
 */
typedef int control_fn(struct launch *);
#define CONTROL(id, symbol, clone, phase, proof, unit, flags, needs, token, \
    denies) \
	control_fn symbol##_apply, symbol##_verify;
#include "controls.def"
#undef CONTROL

/* rows.c: the row of l->current.  fault_at() returns -1 for "return (...)". */
int fault_at(struct launch *l, enum step step, int err, enum fault_class class);
void readback_want(struct launch *l, uint64_t want);
void readback_got(struct launch *l, uint64_t got);

/* rows.c: runs every wanted row of one phase, in the table's order; a row whose
 * need failed becomes BLOCKED, and all faults are collected, always. */
void rows_apply(struct launch *l, enum control_phase phase);
/* rows.c: the launcher's own proofs, for rows that were applied. */
void rows_verify(struct launch *l);
/* rows.c: true when every wanted row is HELD. */
bool rows_are_held(const struct launch *l);

/* init.c: pid 1 from the clone to its _exit. */
_Noreturn void init_main(struct launch *l);
/* job.c: the held job from the fork to exec. */
_Noreturn void job_main(struct launch *l);
/* serve.c: the launcher's conversation with the broker. */
int serve(struct channel *ch);

#endif
