/*
 * memory.c - the row memory: a ceiling for all processes of the job together.
 *
 * Only a cgroup leaf with a memory controller holds it, and only one that comes
 * with the plan, which has none as yet: so this ends in a fault, never in HELD.
 * RLIMIT_DATA, which stands in for it, is rlimits.c's.  Called by init.
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
