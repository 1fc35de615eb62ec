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

#define NO_LIMIT RLIM_INFINITY
/*
 * Not 0: core(5) runs a pipe handler (outside every ceiling of the job's)
 * for limit 0 and refuses only for 1.
 */
#define CORE_BYTES 1

/* Sets the limits of this process, or compares those of the job. */
static int
rlimits_run(struct launch *l, bool is_verify)
{
	const struct plan *p = l->plan;
	const struct {
		__rlimit_resource_t resource;
		rlim_t exact; /* a fault when the host's hard limit is lower */
		rlim_t most;  /* this, or the host's hard limit if lower */
	} limits[] = {
	    {RLIMIT_CPU, .exact = CPU_LIMIT_S(p)},
	    {RLIMIT_FSIZE, .exact = p->file_bytes},
	    {RLIMIT_NOFILE, .exact = p->nofile},
	    {RLIMIT_STACK, .exact = p->stack_bytes},
	    {RLIMIT_DATA, .exact = p->data_bytes, .most = NO_LIMIT},
	    {RLIMIT_CORE, .most = CORE_BYTES},
	    {RLIMIT_MEMLOCK, .most = 64U * 1024},
	    {RLIMIT_MSGQUEUE, .most = 0},
	    {RLIMIT_SIGPENDING, .most = 256},
	    {RLIMIT_NICE, .most = 0},
	    {RLIMIT_RTPRIO, .most = 0},
	};
	pid_t pid = is_verify ? l->job_pid : 0;
	struct rlimit want, rl;

	for (size_t i = 0; i < COUNT(limits); i++) {
		if (prlimit(pid, limits[i].resource, NULL, &rl) == -1)
			return (host_fault(l, STEP_READ_BACK));
		want.rlim_max = limits[i].exact;
		if (want.rlim_max == 0)
			want.rlim_max = rl.rlim_max < limits[i].most ?
			    rl.rlim_max :
			    limits[i].most;
		want.rlim_cur = want.rlim_max;
		if (is_verify &&
		    (rl.rlim_cur != want.rlim_cur ||
			rl.rlim_max != want.rlim_max))
			return (readback(l, COUNT(limits), i));
		if (!is_verify && setrlimit(limits[i].resource, &want) == -1)
			return (host_fault(l, STEP_SETRLIMIT));
	}
	readback_set(l, COUNT(limits), COUNT(limits));
	return (0);
}

int
rlimits_apply(struct launch *l)
{
	return (rlimits_run(l, false));
}

int
rlimits_verify(struct launch *l)
{
	struct rlimit core;
	char text[256];

	if (rlimits_run(l, true) == -1)
		return (-1);
	if (prlimit(l->job_pid, RLIMIT_CORE, NULL, &core) == -1 ||
	    io_read_file(AT_FDCWD, "/proc/sys/kernel/core_pattern", text,
		sizeof(text)) == -1)
		return (host_fault(l, STEP_READ_PROC));
	/* Where the host allows none, 0 is as good, but for such a handler. */
	if (core.rlim_max != CORE_BYTES && text[0] == '|')
		return (fault_at(l, STEP_SETRLIMIT, EPERM, FAULT_HOST));
	return (0);
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
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return (pid != -1 && waitpid(pid, NULL, 0) == pid ? 0 : -1);
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
	errno = 0;
	if (fork_try() == 0 || errno != EAGAIN)
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
