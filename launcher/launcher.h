/*
 * launcher.h - what the parts of the launcher share.
 *
 * One launch is three processes of this program: the launcher, init (pid 1 of
 * the job's namespaces) and the job (stopped until GO).  Each has its own
 * struct launch; the board alone is shared, and the job loses it at exec.
 * No heap, no stdio, no getenv, one thread.
 */
#ifndef LAUNCHER_LAUNCHER_H
#define LAUNCHER_LAUNCHER_H

#include "control.h"
#include "io.h"
#include "msg.h"
#include "plan.h"
#include "sys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct board {
	struct msg_report report; /* each row written by who applies it */
	uint32_t grace_ms;	  /* launcher: of the KILL that follows */
	bool is_go;		  /* init: the job may execute */
	int32_t exec_errno;	  /* job: why exec failed */
	struct msg_exited exited; /* init: valid once it has exited 0 */
};

/* What is said over sock: one byte; all else is on the board. */
enum word {
	WORD_HELD = 'H', /* init: all rows were tried, and the job is stopped */
	WORD_LOST = 'L', /* init: the same, but there is no job */
	WORD_GO = 'G',	 /* launcher: execute */
	WORD_KILL = 'K', /* launcher: grace_ms is set */
};

struct launch {
	const struct plan *plan;
	struct board *board;
	enum control current; /* the row being applied or verified */
	uid_t uid;	      /* the caller's, in the host's user namespace */
	gid_t gid;
	int fds[PLAN_FD__MAX]; /* as received; -1 where none */
	int sock;	       /* this side's end of launcher <-> init */
	int host_proc; /* the host's procfs; its owner (fcntl) is the job */
	int root_fd;   /* init: the tmpfs that becomes the root, until then */
	int proc_fd;   /* init: its own, full and writable; else the host's */
	int proc_net;  /* init: never closed, see the row procfs */
	int signal_fd; /* init: SIGCHLD, SIGALRM; any other is nothing */
	uint64_t started_us; /* init: 0: no GO yet */
	uint64_t deadline_us;
	uint64_t tick_us;	 /* init: the next look at the CPU ceiling */
	uint64_t cpu_end_ms;	 /* init: used before, and the ceiling */
	const char *const *envp; /* job: what exec is given */
	pid_t job_pid;		 /* init and launcher, as each sees it */
	pid_t init_pid;		 /* launcher, from here on */
	int init_pidfd;
	int job_proc;  /* O_PATH directory /proc/JOB */
	int leaf_err;  /* why there is no cgroup leaf, or 0 */
	bool has_pids; /* and it has pids.max */
};

/* Each row of the table has these two.  apply sets; verify reads the kernel: at
 * once when the applier proves it (BY_INIT, BY_JOB), else in the launcher, over
 * l->job_proc.  As all bool functions of a launch: false after a fault. */
typedef bool control_fn(struct launch *);
#define CONTROL(id, symbol, ...) control_fn symbol##_apply, symbol##_verify;
#include "controls.def"
#undef CONTROL
/* One of them is another by another name. */
#define ALIAS(fn, of) control_fn fn __attribute__((alias(#of)))

/* rows.c: a fault of the row l->current; always false. */
bool fault(struct launch *l, enum step step, int err);
/* r is what a system call gave: a fault of errno when it is -1. */
bool must(struct launch *l, enum step step, int r);
/* What was read back is as it was set; else a fault. */
bool matches(struct launch *l, bool is_same);
/* The row's two values, which match; not called for a row of UNIT_FLAG. */
bool readback(struct launch *l, uint64_t want, uint64_t got);
void readback_set(struct launch *l, uint64_t want, uint64_t got);
bool row_is_wanted(const struct launch *l, enum control ctl);
/* The row was set, and read back if its applier does that. */
bool row_is_applied(const struct launch *l, enum control ctl);
/* Every wanted row of a phase whose need is applied; all faults are kept. */
void rows_apply(struct launch *l, enum control_phase phase);
void rows_verify(struct launch *l); /* the launcher's proofs */
/* A process is gone or silent: a fault of the first row that is pending. */
void rows_lost(struct launch *l, enum control first, enum step step, int err);
bool rows_are_held(const struct launch *l); /* every wanted row */

/* rows.c, for verify in the launcher: /proc/JOB/name, or any absolute path,
 * until the next call; NULL after a fault. */
char *proc_text(struct launch *l, const char *name);
bool proc_is(struct launch *l, const char *name, const char *text);
/* The number after "key:" in such a text. */
bool proc_number(struct launch *l, const char *name, const char *key, int base,
    uint64_t *out);
/* The number after "key:" of /proc/JOB/status must be want. */
bool proc_expect(struct launch *l, const char *key, int base, uint64_t want);
/* In place: the kernel writes space, tab, newline and backslash as \ooo. */
void proc_unescape(char *s);
/* Field n > 2 of proc_pid_stat(5); false when it is no number, or negative. */
bool stat_field(const char *text, unsigned int n, uint64_t *out);
/* Adds fn() of each name in a directory, or 1; errno. */
typedef uint64_t dir_fn(int dir, const char *name);
int dir_each(int at, const char *path, dir_fn *fn, uint64_t *sum);

/* tree.c, mounts.c.  From mntns to root, init's working directory is the new
 * root, l->root_fd, while paths from "/" on are still the host's. */
#define LANDLOCK_CANARY "/.canary" /* readable, were it not for Landlock */
/* A kind of our own tables only: a device, of major 1 and minor ino. */
#define ENTRY_NODE ENTRY__MAX
/* Makes those of the entries that lie in a mount of the row l->current. */
bool
entries_make(struct launch *l, const struct plan_entry *entries, size_t count);
/* How a bind or device is mounted, as mountinfo shows it. */
const char *bind_flags(const struct plan_entry *e);
/* These return -1 with errno, or the first two a descriptor.  A new mount, as
 * yet without "ro"; data is "key=value,...". */
int mount_make(const char *fstype, const char *flags, const char *data);
/* The mount of our table for point, attached there; data NULL: the table's. */
int mount_own(int root, const char *point, const char *data);
/* And private; scope is AT_RECURSIVE for the whole tree of mounts, or 0. */
int mount_set(int mount, unsigned int scope, unsigned int attrs);
/* Judges all the mounts of the job. */
bool mountinfo_read(struct launch *l);
/* readback() of how many mounts the row l->current has (CTL_MNTNS: binds). */
bool mountinfo_readback(struct launch *l);

/* ceilings.c: judges the leaf and writes pids.max; a row's proof of it. */
void leaf_start(struct launch *l);
control_fn leaf_verify;
uint64_t timeval_us(struct timeval tv);
uint64_t now_us(void); /* CLOCK_MONOTONIC */
/* SIGALRM in so many us; errno. */
int wall_arm(uint64_t us);
/* CPU time of the job's processes, living and dead; errno. */
int cpu_used_ms(const struct launch *l, uint64_t *ms);
/* RLIMIT_CPU: a second above the ceiling, which init reaches first. */
#define CPU_LIMIT_S(plan) (((plan)->cpu_ms + 999) / 1000 + 1)
/* namespaces.c: the row's namespace is not the launcher's own. */
control_fn ns_verify;
/* A file of one number, set and read back, or just read (EINVAL: another). */
int number_set(int dir, const char *name, uint64_t value);
int number_is(int dir, const char *name, uint64_t value);

/* init.c: pid 1 of the new namespaces, from its first line on. */
_Noreturn void init_main(struct launch *l);
/* SIGKILL at the death of the parent, who has the other end of sock; errno. */
int die_with_parent(int sock);

#endif
