/*
 * death.c - init dies with the launcher, and nobody can take it over.
 *
 * The job dies with init because init is pid 1 of its pid namespace.  Init
 * itself: PDEATHSIG from the launcher, no capability, no_new_privs, and
 * non-dumpable, so that the job (the same uid) can neither trace it nor read
 * its /proc entry.  Last row of all, in init, after the job was forked.
 */
#include <sys/prctl.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "launcher.h"

static bool
parent_is_gone(const struct launch *l)
{
	struct pollfd fd = {.fd = l->init_sock};

	/* The parent's pid is 0 in here; its end of the socket tells. */
	return (poll(&fd, 1, 0) == -1 || (fd.revents & POLLHUP) != 0);
}

int
death_apply(struct launch *l)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return (fault_at(l, STEP_DUMPABLE, errno, FAULT_HOST));
	if (capabilities_drop(l) == -1 || no_new_privs_set(l) == -1)
		return (-1);
	/* After the last change of credentials, which may have cleared it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1)
		return (fault_at(l, STEP_PDEATHSIG, errno, FAULT_HOST));
	if (parent_is_gone(l))
		return (fault_at(l, STEP_PDEATHSIG, ESRCH, FAULT_OURS));
	return (0);
}

int
death_verify(struct launch *l)
{
	int sig = 0;

	readback_want(l, 1);
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return (fault_at(l, STEP_DUMPABLE, 0, FAULT_HOST));
	if (prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0) == -1 || sig != SIGKILL)
		return (fault_at(l, STEP_PDEATHSIG, 0, FAULT_HOST));
	readback_got(l, 1);
	return (0);
}
