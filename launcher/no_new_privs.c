/*
 * no_new_privs.c - execve gives no privilege: no setuid, no file capability.
 *
 * Landlock and seccomp demand it of a process without CAP_SYS_ADMIN, so it
 * comes before both.  Runs in the job; init sets it for itself as well.
 */
#include <sys/prctl.h>

#include <errno.h>

#include "proc.h"

int
no_new_privs_set(struct launch *l)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return (fault_at(l, STEP_NNP, errno, FAULT_HOST));
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return (fault_at(l, STEP_NNP, 0, FAULT_HOST));
	return (0);
}

int
no_new_privs_apply(struct launch *l)
{
	return (no_new_privs_set(l));
}

int
no_new_privs_verify(struct launch *l)
{
	uint64_t got;

	readback_want(l, 1);
	if (proc_status_u64(l, "NoNewPrivs", 10, &got) == -1)
		return (-1);
	readback_got(l, got);
	return (got == 1 ? 0 : proc_mismatch(l));
}
