/*
 * What a job used, from init's word and from the counters of its leaf.  Pure.
 * Called by verdict.c.
 */
#include "verdict.h"

static void
fill_rusage(struct job *j, const struct msg_exited *x)
{
	j->wall_ms = (int64_t)(x->wall_us / 1000);
	j->cpu_ms = (int64_t)(x->cpu_us / 1000);
	j->memory_peak_bytes = (int64_t)(x->maxrss_bytes & INT64_MAX);
	j->usage_source = "rusage";
}

/* All from the leaf, or nothing: one source for one row.  A leaf that nothing
 * was put into tells nothing. */
static void
fill_cgroup(struct job *j, const struct leaf_counters *c)
{
	int64_t processes = c->values[LEAF_PROCESSES_PEAK];

	if (c->values[LEAF_MEMORY_PEAK] <= 0 ||
	    c->values[LEAF_CPU_US] == JOB_UNKNOWN)
		return;
	j->cpu_ms = c->values[LEAF_CPU_US] / 1000;
	j->memory_peak_bytes = c->values[LEAF_MEMORY_PEAK];
	if (processes > 0)
		j->processes_peak = processes - 1; /* init is none of them */
	j->usage_source = "cgroup";
}

/* An init that died has measured nothing: not even the time it took. */
void
usage_fill(struct job *j, const struct ending *e)
{
	if (e->has_exited && (e->exited.flags & EXITED_INIT_LOST) == 0)
		fill_rusage(j, &e->exited);
	else if (e->wall_ms > 0)
		j->wall_ms = e->wall_ms;
	fill_cgroup(j, &e->counters);
}
