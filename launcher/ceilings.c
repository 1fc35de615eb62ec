/*
 * ceilings.c - the rows memory, cpushare, cpu and wall, and pids.max.
 *
 * The broker made the job's leaf and sent its directory.  The launcher writes
 * the limits before init is cloned into it, and is never in it itself: the OOM
 * killer would take it with the job.  The clocks are init's, which acts on them
 * (init.c) with no need of a launcher or broker that is awake.
 */
#include "launcher.h"

#define SLACK_US 1000000 /* how long a read-back may take */
#define MS_PER_TICK 10	 /* USER_HZ is 100 on every architecture of ours */

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
	for (; (line = strsep(&rest, "\n")) != NULL && *line != '\0';
	     sum += pid)
		if (io_parse_u64(line, 10, &pid) == -1 ||
		    (pid != init && pid != job))
			break;
	return (matches(l, rest == NULL && sum == init + job));
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

uint64_t
timeval_us(struct timeval tv)
{
	return ((uint64_t)tv.tv_sec * 1000000 + (uint64_t)tv.tv_usec);
}

uint64_t
now_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000);
}

/* 0 for a process that is gone or makes no sense: it is counted when dead. */
static uint64_t
pid_ms(int dir, const char *pid)
{
	char path[NAME_MAX + sizeof("/stat")], text[1024];
	uint64_t ticks = 0, n;

	/* Not what is no process, nor init itself. */
	if (strspn(pid, "0123456789") != strlen(pid) || strcmp(pid, "1") == 0)
		return (0);
	(void)stpcpy(stpcpy(path, pid), "/stat");
	if (io_read_file(dir, path, text, sizeof(text)) == -1)
		return (0);
	/* utime, stime, cutime, cstime */
	for (unsigned int field = 14; field < 18; field++)
		ticks += stat_field(text, field, &n) ? n : 0;
	return (ticks * MS_PER_TICK);
}

/* What the leaf has used, with all who ever were in it; else the dead that init
 * reaped, and the living as its own procfs shows them.  A residual of that: the
 * kernel forgets a child that reaped itself (its parent ignores SIGCHLD). */
int
cpu_used_ms(const struct launch *l, uint64_t *ms)
{
	struct rusage dead;
	char text[1024];
	uint64_t us;

	if (l->plan->has_cgroup) {
		errno = l->leaf_err;
		if (errno != 0 ||
		    io_read_file(l->fds[PLAN_CGROUP], "cpu.stat", text,
			sizeof(text)) == -1 ||
		    io_parse_u64(&text[strlen("usage_usec ")], 10, &us) == -1)
			return (-1);
		*ms = us / 1000;
		return (0);
	}
	if (getrusage(RUSAGE_CHILDREN, &dead) == -1)
		return (-1);
	*ms = (timeval_us(dead.ru_utime) + timeval_us(dead.ru_stime)) / 1000;
	return (l->proc_fd == -1 ? 0 : dir_each(l->proc_fd, ".", pid_ms, ms));
}

bool
cpu_apply(struct launch *l)
{
	int r = cpu_used_ms(l, &l->cpu_end_ms);

	l->cpu_end_ms += l->plan->cpu_ms;
	return (must(l, STEP_CPU_CLOCK, r));
}

/* Without a procfs (in many containers) only the dead are counted: then it is
 * RLIMIT_CPU, which stops each process by itself. */
bool
cpu_verify(struct launch *l)
{
	readback_set(l, l->plan->cpu_ms,
	    l->plan->has_cgroup || l->proc_fd != -1 ?
		l->plan->cpu_ms :
		CPU_LIMIT_S(l->plan) * 1000);
	return (matches(l, l->cpu_end_ms >= l->plan->cpu_ms));
}

/* On the kernel's monotonic clock: setting the time moves nothing. */
int
wall_arm(uint64_t us)
{
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)(us / 1000000),
				      .tv_usec = (suseconds_t)(us % 1000000)}};

	return (setitimer(ITIMER_REAL, &timer, NULL));
}

bool
wall_apply(struct launch *l)
{
	return (must(l, STEP_TIMER,
	    wall_arm((l->plan->wall_ms + l->plan->grace_ms) * 1000)));
}

bool
wall_verify(struct launch *l)
{
	uint64_t left, ms = l->plan->wall_ms + l->plan->grace_ms;
	struct itimerval timer = {0};

	if (!must(l, STEP_TIMER, getitimer(ITIMER_REAL, &timer)))
		return (false);
	left = timeval_us(timer.it_value);
	return (matches(l, left <= ms * 1000 && left + SLACK_US >= ms * 1000) &&
	    readback(l, ms, ms));
}
