/*
 * processes.c - RLIMIT_NPROC, proven by a fork.
 *
 * The kernel counts it for each user namespace since Linux 5.14, so inside
 * the job's own it is a ceiling for the job alone; it ignores it for the
 * host's root, and older kernels count everything of the caller's.  So the
 * limit is not believed: at a limit of 1 a fork must fail.  Init is counted.
 * Runs in the job, which is the second process and forks nothing else.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <unistd.h>

#include "launcher.h"

static int
limit_set(rlim_t soft, rlim_t hard)
{
	struct rlimit want = {soft, hard}, got;

	if (setrlimit(RLIMIT_NPROC, &want) == -1 ||
	    getrlimit(RLIMIT_NPROC, &got) == -1)
		return (-1);
	if (got.rlim_cur != soft || got.rlim_max != hard) {
		errno = EINVAL;
		return (-1);
	}
	return (0);
}

/* 0: a child was forked and reaped; -1 with errno. */
static int
fork_try(void)
{
	int status;
	pid_t pid = fork();

	if (pid == -1)
		return (-1);
	if (pid == 0)
		_exit(0);
	return (waitpid(pid, &status, 0) == pid ? 0 : -1);
}

int
processes_apply(struct launch *l)
{
	rlim_t limit = l->plan->max_procs + 1; /* with init */

	if (limit_set(1, limit) == -1)
		return (fault_at(l, STEP_SETRLIMIT, errno, FAULT_HOST));
	if (fork_try() == 0)
		return (fault_at(l, STEP_FORK_CANARY, 0, FAULT_HOST));
	if (errno != EAGAIN)
		return (fault_at(l, STEP_FORK_CANARY, errno, FAULT_HOST));
	if (limit_set(limit, limit) == -1)
		return (fault_at(l, STEP_SETRLIMIT, errno, FAULT_HOST));
	return (0);
}

int
processes_verify(struct launch *l)
{
	struct rlimit rl;

	readback_want(l, l->plan->max_procs);
	if (getrlimit(RLIMIT_NPROC, &rl) == -1)
		return (fault_at(l, STEP_READ_BACK, errno, FAULT_HOST));
	if (rl.rlim_cur != rl.rlim_max || rl.rlim_cur == 0)
		return (fault_at(l, STEP_READ_BACK, 0, FAULT_HOST));
	readback_got(l, rl.rlim_max - 1);
	/* One child is always allowed; with max_procs 1 there is none. */
	if (l->plan->max_procs > 1 && fork_try() == -1)
		return (fault_at(l, STEP_FORK_CANARY, errno, FAULT_HOST));
	return (0);
}
