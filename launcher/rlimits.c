/*
 * rlimits.c - the resource limits of each process, hard equal to soft.
 *
 * Set in the job, read back from outside with prlimit(2).  What the plan asks
 * for must be possible: a value above the host's hard limit is a fault, for it
 * would have no effect.  The fixed ceilings may also be lower already.
 * RLIMIT_AS is left alone on purpose: it is no memory ceiling, and runtimes
 * that reserve gigabytes break on it.  RLIMIT_NPROC is processes.c's;
 * RLIMIT_LOCKS has no effect since Linux 2.4.25.
 */
#include <sys/resource.h>

#include <errno.h>
#include <fcntl.h>

#include "io.h"
#include "proc.h"

enum limit_kind {
	LIMIT_PLAN, /* exactly this */
	LIMIT_MOST, /* this, or the host's hard limit where that is lower */
};

struct limit {
	__rlimit_resource_t resource;
	enum limit_kind kind;
	rlim_t value;
};

#define MEMLOCK_BYTES (64U * 1024)
#define SIGPENDING_MAX 256
/*
 * Not 0: core(5) runs a pipe handler (outside every ceiling of the job's)
 * for limit 0 and refuses only for 1.
 */
#define CORE_BYTES 1
#define LIMIT_COUNT 11

static unsigned int
limits_of(const struct plan *p, struct limit limits[LIMIT_COUNT])
{
	const struct limit all[LIMIT_COUNT] = {
	    {RLIMIT_CORE, LIMIT_MOST, CORE_BYTES},
	    {RLIMIT_CPU, LIMIT_PLAN, (p->cpu_ms + 999) / 1000 + CPU_SLACK_S},
	    {RLIMIT_FSIZE, LIMIT_PLAN, p->file_bytes},
	    {RLIMIT_NOFILE, LIMIT_PLAN, p->nofile},
	    {RLIMIT_STACK, LIMIT_PLAN, p->stack_bytes},
	    {RLIMIT_MEMLOCK, LIMIT_MOST, MEMLOCK_BYTES},
	    {RLIMIT_MSGQUEUE, LIMIT_MOST, 0},
	    {RLIMIT_SIGPENDING, LIMIT_MOST, SIGPENDING_MAX},
	    {RLIMIT_NICE, LIMIT_MOST, 0},
	    {RLIMIT_RTPRIO, LIMIT_MOST, 0},
	    {RLIMIT_DATA, LIMIT_PLAN, p->data_bytes},
	};
	unsigned int count = p->data_bytes == 0 ? LIMIT_COUNT - 1 : LIMIT_COUNT;

	for (unsigned int i = 0; i < count; i++)
		limits[i] = all[i];
	return (count);
}

int
rlimits_apply(struct launch *l)
{
	struct limit limits[LIMIT_COUNT];
	unsigned int count = limits_of(l->plan, limits);
	struct rlimit rl;

	for (unsigned int i = 0; i < count; i++) {
		const struct limit *limit = &limits[i];

		if (getrlimit(limit->resource, &rl) == -1)
			return (fault_at(l, STEP_SETRLIMIT, errno, FAULT_HOST));
		if (limit->kind == LIMIT_PLAN || limit->value < rl.rlim_max)
			rl.rlim_max = limit->value;
		rl.rlim_cur = rl.rlim_max;
		if (setrlimit(limit->resource, &rl) == -1)
			return (fault_at(l, STEP_SETRLIMIT, errno, FAULT_HOST));
	}
	return (0);
}

/*
 * With a hard limit of 0 for core files the 1 that stops pipe handlers is out
 * of reach.  0 is as good, unless the host has such a handler.
 */
static int
core_verify(struct launch *l, const struct rlimit *rl)
{
	char text[256];

	if (rl->rlim_max == CORE_BYTES)
		return (0);
	if (io_read_file(AT_FDCWD, "/proc/sys/kernel/core_pattern", text,
		sizeof(text)) == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	if (text[0] == '|')
		return (fault_at(l, STEP_SETRLIMIT, EPERM, FAULT_HOST));
	return (0);
}

static int
limit_verify(struct launch *l, const struct limit *limit)
{
	struct rlimit rl;
	bool is_right;

	if (prlimit(l->job_pid, limit->resource, NULL, &rl) == -1)
		return (fault_at(l, STEP_READ_BACK, errno, FAULT_HOST));
	is_right = limit->kind == LIMIT_PLAN ? rl.rlim_max == limit->value :
					       rl.rlim_max <= limit->value;
	if (!is_right || rl.rlim_cur != rl.rlim_max)
		return (proc_mismatch(l));
	return (limit->resource == RLIMIT_CORE ? core_verify(l, &rl) : 0);
}

int
rlimits_verify(struct launch *l)
{
	struct limit limits[LIMIT_COUNT];
	unsigned int count = limits_of(l->plan, limits);

	readback_want(l, count);
	for (unsigned int i = 0; i < count; i++) {
		if (limit_verify(l, &limits[i]) == -1)
			return (-1);
		readback_got(l, i + 1);
	}
	return (0);
}
