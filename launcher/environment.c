/*
 * environment.c - the plan's environment and nothing of the caller's.
 *
 * exec.c passes plan->envp; the launcher's own environment is never read.
 * plan_check() refused hijack variables already: here they are looked for
 * once more in what exec will be given.  Runs in the job.
 */
#include <errno.h>

#include "launcher.h"

int
environment_apply(struct launch *l)
{
	(void)l; /* exec.c passes plan->envp as it is */
	return (0);
}

int
environment_verify(struct launch *l)
{
	uint64_t count = 0;

	readback_want(l, l->plan->envc);
	for (; l->plan->envp[count] != NULL; count++) {
		if (env_is_hijack(l->plan->envp[count]))
			return (fault_at(l, STEP_ENVIRON, EPERM, FAULT_USAGE));
	}
	readback_got(l, count);
	if (count != l->plan->envc)
		return (fault_at(l, STEP_ENVIRON, 0, FAULT_OURS));
	return (0);
}
