/*
 * clocks.c - the rows cpu, wall and death: what ends a job, kept by init.
 *
 * Set at the seal, after the job was forked.  init.c looks at the clocks and
 * acts; nothing here depends on the launcher or the broker being awake.
 */
#include <sys/time.h>

#include "launcher.h"

#define SLACK_US 1000000 /* how long a read-back may take */
#define MS_PER_TICK 10	 /* USER_HZ is 100 on every architecture of ours */

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
process_ms(int dir, const char *pid)
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

/*
 * What the leaf has used, with all who ever were in it; else the dead that init
 * reaped, and the living as its own procfs shows them.  A residual of that: the
 * kernel drops the time of a child that is reaped by itself (its parent ignores
 * SIGCHLD), so what it used since the last look is missing; the wall clock and
 * RLIMIT_CPU are what such a job meets.
 */
int
cpu_used_ms(const struct launch *l, uint64_t *ms)
{
	static const char key[] = "usage_usec ";
	struct rusage dead;
	char text[1024];
	uint64_t us;

	if (l->plan->has_cgroup) {
		errno = l->leaf_err;
		if (errno != 0 ||
		    io_read_file(l->fds[PLAN_CGROUP], "cpu.stat", text,
			sizeof(text)) == -1 ||
		    io_parse_u64(&text[sizeof(key) - 1], 10, &us) == -1)
			return (-1);
		*ms = us / 1000;
		return (0);
	}
	if (getrusage(RUSAGE_CHILDREN, &dead) == -1)
		return (-1);
	*ms = (timeval_us(dead.ru_utime) + timeval_us(dead.ru_stime)) / 1000;
	return (
	    l->proc_fd == -1 ? 0 : dir_each(l->proc_fd, ".", process_ms, ms));
}

bool
cpu_apply(struct launch *l)
{
	return (must(l, STEP_CPU_CLOCK, cpu_used_ms(l, &l->cpu_base_ms)));
}

/*
 * Where nobody may mount a full procfs (in many containers) only the dead can
 * be added: then it is RLIMIT_CPU, which stops each process by itself.
 */
bool
cpu_verify(struct launch *l)
{
	readback_set(l, l->plan->cpu_ms,
	    l->plan->has_cgroup || l->proc_fd != -1 ?
		l->plan->cpu_ms :
		CPU_LIMIT_S(l->plan) * 1000);
	return (true);
}

static bool
is_armed(uint64_t us)
{
	struct itimerval timer = {0};
	uint64_t left;

	if (getitimer(ITIMER_REAL, &timer) == -1)
		return (false);
	left = timeval_us(timer.it_value);
	errno = EINVAL;
	return (left <= us && left + SLACK_US >= us);
}

/* The kernel counts it on its monotonic clock: setting the time moves nothing. */
int
wall_arm(uint64_t us)
{
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)(us / 1000000),
				      .tv_usec = (suseconds_t)(us % 1000000)}};

	return (
	    setitimer(ITIMER_REAL, &timer, NULL) == 0 && is_armed(us) ? 0 : -1);
}

/* Init starts it anew before the gate opens. */
bool
wall_apply(struct launch *l)
{
	return (must(l, STEP_TIMER,
	    wall_arm((l->plan->wall_ms + l->plan->grace_ms) * 1000)));
}

bool
wall_verify(struct launch *l)
{
	uint64_t ms = l->plan->wall_ms + l->plan->grace_ms;

	return (matches(l, is_armed(ms * 1000)) && readback(l, ms, ms));
}

int
die_with_parent(int sock)
{
	struct pollfd parent = {.fd = sock};

	/* It may have died before; from init its pid is not to be seen. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    poll(&parent, 1, 0) == -1)
		return (-1);
	errno = ESRCH;
	return ((parent.revents & (POLLHUP | POLLNVAL)) == 0 ? 0 : -1);
}

/*
 * The job dies with init, pid 1 of its namespace, and init with the launcher.
 * Non-dumpable, it can neither be traced by the job (the same uid) nor its
 * /proc entry read.  Last row of all: the job inherited being dumpable, and a
 * change of credentials may clear PDEATHSIG.
 */
bool
death_apply(struct launch *l)
{
	return (must(l, STEP_DUMPABLE, prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) &&
	    capabilities_apply(l) && no_new_privs_apply(l) &&
	    must(l, STEP_PDEATHSIG, die_with_parent(l->sock)));
}

bool
death_verify(struct launch *l)
{
	int sig = 0;

	return (matches(l,
	    prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 &&
		prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
		prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0) == 0 && sig == SIGKILL));
}
