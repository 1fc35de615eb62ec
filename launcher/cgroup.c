/*
 * cgroup.c - the rows memory and cpushare, and pids.max of the row processes.
 *
 * The broker made the job's leaf and sent its directory.  The launcher writes
 * the limits before init is cloned into it, and is never in it itself: the OOM
 * killer would take it with the job, and from inside of a cgroup namespace the
 * kernel refuses to write them (nsdelegate).
 */
#include <linux/magic.h>
#include <sys/vfs.h>

#include "launcher.h"

/* Each file of the row l->current that fn, number_set() or _is(), is given. */
static bool
leaf_run(struct launch *l, int (*fn)(int dir, const char *name, uint64_t value))
{
	const struct plan *p = l->plan;
	const struct {
		enum control row;
		const char *name;
		uint64_t value;
	} files[] = {
	    {CTL_MEMORY, "memory.max", p->memory_bytes},
	    {CTL_MEMORY, "memory.swap.max", 0},
	    {CTL_MEMORY, "memory.oom.group", 1},
	    {CTL_CPUSHARE, "cpu.max", p->cpu_quota_percent * 1000},
	    {CTL_PROCESSES, "pids.max", p->max_procs + 1},
	}; /* of 100,000 us a period; the processes and init */

	errno = l->leaf_err;
	if (errno != 0)
		return (fault(l, STEP_CGROUP_LEAF, errno));
	for (size_t i = 0; i < COUNT(files); i++)
		if (files[i].row == l->current &&
		    !must(l, STEP_CGROUP_LEAF,
			fn(l->fds[PLAN_CGROUP], files[i].name, files[i].value)))
			return (false);
	return (true);
}

/* Init and the job are in the leaf, and nobody else. */
static bool
leaf_has_job(struct launch *l)
{
	const uint64_t init = (uint64_t)l->init_pid, job = (uint64_t)l->job_pid;
	char text[128], *rest = text, *line;
	uint64_t pid, sum = 0;

	if (io_read_file(l->fds[PLAN_CGROUP], "cgroup.procs", text,
		sizeof(text)) == -1)
		return (fault(l, STEP_CGROUP_LEAF, errno));
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		if (io_parse_u64(line, 10, &pid) == -1 ||
		    (pid != init && pid != job))
			return (matches(l, false));
		sum += pid;
	}
	return (matches(l, sum == init + job));
}

void
leaf_start(struct launch *l)
{
	int leaf = l->fds[PLAN_CGROUP];
	struct statfs fs;
	char none[2];

	l->leaf_err = ENOENT;
	if (leaf == -1)
		return;
	/* One that is not empty is another job's. */
	if (fstatfs(leaf, &fs) == -1 ||
	    io_read_file(leaf, "cgroup.procs", none, sizeof(none)) == -1)
		l->leaf_err = errno;
	else if (fs.f_type == CGROUP2_SUPER_MAGIC && none[0] == '\0')
		l->leaf_err = 0;
	l->has_pids = faccessat(leaf, "pids.max", W_OK, 0) == 0;
	l->current = CTL_PROCESSES;
	if (l->has_pids)
		(void)leaf_run(l, number_set);
}

/* What the row l->current is to hold. */
static uint64_t
leaf_want(const struct launch *l)
{
	return (l->current == CTL_MEMORY    ? l->plan->memory_bytes :
		l->current == CTL_PROCESSES ? l->plan->max_procs :
					      l->plan->cpu_quota_percent);
}

bool
memory_apply(struct launch *l)
{
	readback_set(l, leaf_want(l), 0);
	return (leaf_run(l, number_set));
}

bool
leaf_verify(struct launch *l)
{
	return (leaf_run(l, number_is) && leaf_has_job(l) &&
	    readback(l, leaf_want(l), leaf_want(l)));
}

ALIAS(memory_verify, leaf_verify);
ALIAS(cpushare_apply, memory_apply);
ALIAS(cpushare_verify, leaf_verify);
