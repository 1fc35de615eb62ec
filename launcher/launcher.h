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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	int root_fd;   /* the tmpfs that becomes the root */
	int proc_fd;   /* a full procfs, detached: sysctls, then CPU times */
	int proc_net;  /* init's, never closed: see procfs.c */
	int host_proc; /* the host's procfs, where proc_fd could not be had */
	int timer_fd;  /* the hard deadline; from the seal to the end */

	/* launcher only */
	pid_t init_pid; /* as the host sees them */
	pid_t job_pid;	/* in init: as init sees it */
	int init_pidfd;
	int job_pidfd; /* in init as well, until it was sent */
	int job_proc;  /* O_PATH directory /proc/JOB of the host's procfs */
	uint32_t filters_before; /* Seccomp_filters of the launcher itself */
	uint32_t filters;	 /* of the job, as read back */
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
int host_fault(struct launch *l, enum step step); /* FAULT_HOST, of errno */
int mismatch(struct launch *l); /* what was read back is not what was set */
/* The row's two values; 0, or mismatch() when they differ.  A row of UNIT_FLAG
 * needs none of these calls: 0 from its verify means 1 of 1. */
int readback(struct launch *l, uint64_t want, uint64_t got);
void readback_want(struct launch *l, uint64_t want);
void readback_got(struct launch *l, uint64_t got);

/* rows.c: true when the row was set, and read back if its applier does that. */
bool row_is_applied(const struct launch *l, enum control ctl);

/* rows.c: runs every wanted row of one phase, in the table's order; a row whose
 * need failed becomes BLOCKED, and all faults are collected, always. */
void rows_apply(struct launch *l, enum control_phase phase);
/* rows.c: the launcher's own proofs, for rows that were applied. */
void rows_verify(struct launch *l);
/* rows.c: blocks what needs a row that failed, where no init will do it. */
void rows_block(struct launch *l);
/* rows.c: a process is gone or silent: the row it was at, or was to prove. */
void rows_lost(struct launch *l, enum step step, int err);
/* rows.c: true when every wanted row is HELD. */
bool rows_are_held(const struct launch *l);

/* init.c: pid 1 from the clone to its _exit. */
_Noreturn void init_main(struct launch *l);
/* job.c: the held job from the fork to exec. */
_Noreturn void job_main(struct launch *l);
/* exec.c: executes the plan's command; returns only an errno. */
int exec_command(const struct plan *p);
/* serve.c: the launcher's conversation with the broker; the exit code. */
int serve(struct channel *ch);

/*
 * spawn.c: board, sockets and init, which closes the broker's socket.  0, also
 * when there is no init and the board says why; -1 without a board.
 */
int launch_start(struct launch *l, int broker);
/* spawn.c: kills and reaps init, closes and unmaps everything. */
void launch_end(struct launch *l);
/* hold.c: until init and the job have applied their rows and all is read
 * back.  0: rows tell; -1: the broker is gone or said KILL. */
int launch_hold(struct launch *l, struct channel *ch);
/* watch.c: from GO to EXITED.  0, or -1 when the broker is gone. */
int launch_watch(struct launch *l, struct channel *ch);

/*
 * userns.c: denies setgroups and maps inside to uid and gid for the caller,
 * through a procfs.  0, or -1 with errno and *step.
 */
int
userns_map(int proc, uint64_t inside, uid_t uid, gid_t gid, enum step *step);
/* capabilities.c: drops every capability for good, in the job and in init. */
int capabilities_drop(struct launch *l);
/* no_new_privs.c: likewise. */
int no_new_privs_set(struct launch *l);
/* wall.c: sets the deadline and reads it back.  0, or -1 with errno. */
int wall_arm(const struct launch *l);
/* RLIMIT_CPU is this much above the ceiling, which init reaches first. */
#define CPU_SLACK_S 1
/* cpu.c: CPU time of the job's processes, living and dead.  0, or -1. */
int cpu_used_ms(const struct launch *l, uint64_t *ms);

#endif
