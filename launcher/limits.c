/*
 * limits.c - the rows rlimits and processes: ceilings of each process, and of
 * their number.
 *
 * Set in the job, hard equal to soft.  RLIMIT_AS is left alone on purpose: it
 * is no memory ceiling, and runtimes that reserve gigabytes break on it.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"

enum limit_kind {
	EXACTLY, /* above the host's hard limit it is a fault */
	AT_MOST, /* this, or the host's hard limit where that is lower */
};

struct limit {
	__rlimit_resource_t resource;
	enum limit_kind kind;
	rlim_t value;
};

/*
 * Not 0: core(5) runs a pipe handler (outside every ceiling of the job's)
 * for limit 0 and refuses only for 1.
 */
#define CORE_BYTES 1
#define LIMIT_COUNT 11

static void
limits_of(const struct plan *p, struct limit limits[LIMIT_COUNT])
{
	const struct limit all[LIMIT_COUNT] = {
	    {RLIMIT_CORE, AT_MOST, CORE_BYTES},
	    {RLIMIT_CPU, EXACTLY, CPU_LIMIT_S(p)},
	    {RLIMIT_FSIZE, EXACTLY, p->file_bytes},
	    {RLIMIT_NOFILE, EXACTLY, p->nofile},
	    {RLIMIT_STACK, EXACTLY, p->stack_bytes},
	    {RLIMIT_MEMLOCK, AT_MOST, 64U * 1024},
	    {RLIMIT_MSGQUEUE, AT_MOST, 0},
	    {RLIMIT_SIGPENDING, AT_MOST, 256},
	    {RLIMIT_NICE, AT_MOST, 0},
	    {RLIMIT_RTPRIO, AT_MOST, 0},
	    {RLIMIT_DATA, p->data_bytes != 0 ? EXACTLY : AT_MOST,
		p->data_bytes != 0 ? p->data_bytes : RLIM_INFINITY},
	};

	for (unsigned int i = 0; i < LIMIT_COUNT; i++)
		limits[i] = all[i];
}

int
rlimits_apply(struct launch *l)
{
	struct limit limits[LIMIT_COUNT];
	struct rlimit rl;

	limits_of(l->plan, limits);
	for (unsigned int i = 0; i < LIMIT_COUNT; i++) {
		if (getrlimit(limits[i].resource, &rl) == -1)
			return (host_fault(l, STEP_SETRLIMIT));
		if (limits[i].kind == EXACTLY || limits[i].value < rl.rlim_max)
			rl.rlim_max = limits[i].value;
		rl.rlim_cur = rl.rlim_max;
		if (setrlimit(limits[i].resource, &rl) == -1)
			return (host_fault(l, STEP_SETRLIMIT));
	}
	return (0);
}

int
rlimits_verify(struct launch *l)
{
	struct limit limits[LIMIT_COUNT];
	struct rlimit rl;
	char text[256];
	unsigned int i;

	limits_of(l->plan, limits);
	for (i = 0; i < LIMIT_COUNT; i++) {
		if (prlimit(l->job_pid, limits[i].resource, NULL, &rl) == -1)
			return (host_fault(l, STEP_READ_BACK));
		if (rl.rlim_cur != rl.rlim_max ||
		    rl.rlim_max > limits[i].value ||
		    (limits[i].kind == EXACTLY &&
			rl.rlim_max != limits[i].value))
			break;
		if (limits[i].resource != RLIMIT_CORE ||
		    rl.rlim_max == CORE_BYTES)
			continue;
		/* Of 0, 1 is out of reach: as good, but for a pipe handler. */
		if (io_read_file(AT_FDCWD, "/proc/sys/kernel/core_pattern",
			text, sizeof(text)) == -1)
			return (host_fault(l, STEP_READ_PROC));
		if (text[0] == '|')
			return (fault_at(l, STEP_SETRLIMIT, EPERM, FAULT_HOST));
	}
	return (readback(l, LIMIT_COUNT, i));
}

static int
nproc_set(rlim_t soft, rlim_t hard)
{
	return (setrlimit(RLIMIT_NPROC, &(struct rlimit){soft, hard}));
}

/* 0: a child was forked and reaped; -1 with errno. */
static int
fork_try(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return (pid != -1 && waitpid(pid, &status, 0) == pid ? 0 : -1);
}

/*
 * The kernel counts RLIMIT_NPROC for each user namespace since Linux 5.14, so
 * inside the job's own it is a ceiling for the job alone, with init; it ignores
 * it for the host's root, and older kernels count everything of the caller's.
 * So it is not believed: at a limit of 1 a fork must fail.
 */
int
processes_apply(struct launch *l)
{
	rlim_t limit = l->plan->max_procs + 1;

	if (nproc_set(1, limit) == -1)
		return (host_fault(l, STEP_SETRLIMIT));
	if (fork_try() == 0)
		return (fault_at(l, STEP_FORK_CANARY, 0, FAULT_HOST));
	if (errno != EAGAIN)
		return (host_fault(l, STEP_FORK_CANARY));
	if (nproc_set(limit, limit) == -1)
		return (host_fault(l, STEP_SETRLIMIT));
	return (0);
}

int
processes_verify(struct launch *l)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NPROC, &rl) == -1)
		return (host_fault(l, STEP_READ_BACK));
	if (rl.rlim_cur != rl.rlim_max)
		return (mismatch(l));
	/* With max_procs 1 there is no child at all. */
	if (l->plan->max_procs > 1 && fork_try() == -1)
		return (host_fault(l, STEP_FORK_CANARY));
	return (readback(l, l->plan->max_procs, rl.rlim_max - 1));
}
