/*
 * memory.c - the row memory: a ceiling for all processes of the job together.
 *
 * Only a cgroup leaf that comes with the plan could hold it, and none does as
 * yet: this ends in a fault.  RLIMIT_DATA, which stands in, is rlimits'.
 */
#include <errno.h>

#include "launcher.h"

int
memory_apply(struct launch *l)
{
	readback_set(l, l->plan->memory_bytes, 0);
	return (memory_verify(l));
}

int
memory_verify(struct launch *l)
{
	return (fault_at(l, STEP_CGROUP_LEAF, ENOENT, FAULT_HOST));
}
