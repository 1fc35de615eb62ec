/*
 * filters.c - the two seccomp filters, each proven by a canary.
 *
 * The floor filter is linked in and is the same for every job; the plan's
 * filter comes on top and can only narrow it.  A canary is a number that no
 * kernel has, answered with an errno that only that filter gives, so that a
 * filter of the host's cannot be taken for ours.  Runs in the job, last:
 * what follows (the report, the gate, exec) must be in the plan's filter.
 */
#include <linux/seccomp.h>

#include <errno.h>

#include "filter.h"
#include "proc.h"
#include "sys.h"

#define FILTERS_OURS 2

static int
filter_load(struct launch *l, const struct sock_filter *insns, uint32_t len,
    int canary, int answer)
{
	if (sys_seccomp_load(insns, len) == -1)
		return (fault_at(l, STEP_FILTER_LOAD, errno, FAULT_HOST));
	if (sys_canary(canary) != -1)
		return (fault_at(l, STEP_FILTER_CANARY, 0, FAULT_HOST));
	if (errno != answer)
		return (fault_at(l, STEP_FILTER_CANARY, errno, FAULT_HOST));
	return (0);
}

int
floor_filter_apply(struct launch *l)
{
	return (filter_load(l, filter_floor.insns, filter_floor.len,
	    CANARY_FLOOR_NR, CANARY_FLOOR_ERRNO));
}

int
floor_filter_verify(struct launch *l)
{
	readback_want(l, 1);
	if (sys_canary(CANARY_FLOOR_NR) != -1 || errno != CANARY_FLOOR_ERRNO)
		return (fault_at(l, STEP_FILTER_CANARY, errno, FAULT_HOST));
	readback_got(l, 1);
	return (0);
}

int
plan_filter_apply(struct launch *l)
{
	return (filter_load(l, l->plan->filter, l->plan->filter_len,
	    CANARY_PLAN_NR, CANARY_PLAN_ERRNO));
}

/* From outside: filter mode, and two filters more than the launcher has. */
int
plan_filter_verify(struct launch *l)
{
	uint64_t mode, filters;

	readback_want(l, FILTERS_OURS);
	if (proc_status_u64(l, "Seccomp", 10, &mode) == -1 ||
	    proc_status_u64(l, "Seccomp_filters", 10, &filters) == -1)
		return (-1);
	readback_got(l, filters - l->filters_before);
	l->filters = (uint32_t)filters;
	if (mode != SECCOMP_MODE_FILTER ||
	    filters != l->filters_before + FILTERS_OURS)
		return (proc_mismatch(l));
	return (0);
}
