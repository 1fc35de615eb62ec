/*
 * trace.h - one run of agsbx under ptrace(2), with one fault.  Owner: trace.c,
 * inject.c for what is done to a system call.
 *
 * The tracer attaches before agsbx executes, follows every child, and is their
 * subreaper: when it has no child left, no process of the run is.  An
 * attachment that stands outlives PR_SET_DUMPABLE 0, so no privilege is
 * needed.
 */
#ifndef TESTS_FAULTS_TRACE_H
#define TESTS_FAULTS_TRACE_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role {
	ROLE_BROKER,
	ROLE_LAUNCHER,
	ROLE_INIT,
	ROLE_JOB,
	ROLE_OTHER
};
enum {
	ROLE__MAX = ROLE_OTHER + 1,
	TRACE_NR_MAX = 512
};

extern const char *const role_names[ROLE__MAX];

/* One system call that was made; occurrence counts nr in its role from 0. */
struct call {
	enum role role;
	int nr;
	unsigned int occurrence;
	long result;
};

enum deed {
	DEED_NONE,
	DEED_FAULT, /* the call fails with fault, or is short */
	DEED_KILL,  /* SIGKILL of victim as the call is entered */
	DEED_STOP,  /* SIGSTOP of victim, then SIGKILL */
};

struct injection {
	enum deed deed;
	enum role role;
	int nr;
	unsigned int occurrence;
	int fault;
	enum role victim;
	int after_us; /* 0, or a kill that long after the victim's birth */
};

struct trace_options {
	char *const *argv;
	char *const *envp;
	int out_fd;
	int err_fd;
	struct injection injection;
	bool is_recorded;
};

struct trace_result {
	int status; /* of agsbx, as wait(2) gives it; -1: never ran */
	bool was_injected;
	bool did_exec;	   /* the job's command began */
	int job_status;	   /* of the job, as the tracer saw it; -1: none */
	bool has_hung;	   /* agsbx was ended by the tracer */
	bool left_process; /* agsbx ended and something lived on */
	int64_t ms;
	int64_t life_us[ROLE__MAX]; /* how long each role was there */
	char *witness; /* of the job before its first instruction; malloced */
	struct call *calls; /* malloced; if is_recorded */
	size_t call_count;
};

/* Once, first of all: 0, or -1 with errno. */
int trace_prepare(void);
/* 0; -1 with errno when the run could not be made at all. */
int trace_run(const struct trace_options *o, struct trace_result *r);
void trace_free(struct trace_result *r);

/* witness.c: what /proc tells of a process, in lines, malloced: identity,
 * capabilities, filters, namespaces, limits, mounts, descriptors.  Numbers that
 * differ from run to run are left out.  Then the same of its init, in short.
 * NULL with errno. */
#define WITNESS_INIT "init: "
#define WITNESS_INIT_GONE "init: gone\n"
char *witness_take(pid_t pid, pid_t init);

#endif
