/*
 * finish_host.c - limits against what the host allows anyway: one above it
 * would have no effect, or could not be set at all.  Reads the host; changes
 * only defaults.  Called by finish.c.
 */
#include <sys/resource.h>

#include <stdio.h>
#include <unistd.h>

#include "policy_int.h"

#define STACK_BYTES (8ULL << 20)
#define PID_MAX_FILE "/proc/sys/kernel/pid_max"
#define NO_BOUND UINT64_MAX

static uint64_t
hard_limit(__rlimit_resource_t resource)
{
	struct rlimit rl;

	/* Only a resource that is none could make it fail. */
	if (getrlimit(resource, &rl) == -1 || rl.rlim_max == RLIM_INFINITY)
		return (NO_BOUND);
	return (rl.rlim_max);
}

static uint64_t
most_nofile(void)
{
	return (hard_limit(RLIMIT_NOFILE));
}

/* Init is counted as well. */
static uint64_t
most_processes(void)
{
	uint64_t hard = hard_limit(RLIMIT_NPROC);

	return (hard == NO_BOUND || hard == 0 ? hard : hard - 1);
}

static uint64_t
most_pids(void)
{
	FILE *f = fopen(PID_MAX_FILE, "re");
	unsigned long long most = 0;

	/* Without a procfs nothing runs, and the launcher tells. */
	if (f == NULL)
		return (NO_BOUND);
	if (fscanf(f, "%llu", &most) != 1)
		most = NO_BOUND;
	(void)fclose(f); /* only read from */
	return (most);
}

static uint64_t
product(long count, uint64_t unit)
{
	return (count > 0 ? (uint64_t)count * unit : NO_BOUND);
}

/* In whole MiB, which is how people give it. */
static uint64_t
most_memory(void)
{
	uint64_t most =
	    product(sysconf(_SC_PHYS_PAGES), (uint64_t)sysconf(_SC_PAGESIZE));

	return (most == NO_BOUND ? most : most & ~((1ULL << 20) - 1));
}

static uint64_t
most_cpu(void)
{
	return (product(sysconf(_SC_NPROCESSORS_ONLN), 100));
}

static const struct bound {
	enum limit limit;
	bool must_fit; /* the kernel takes no more: a default is lowered */
	uint64_t (*most)(void);
	const char *what;
} bounds[] = {
    {LIMIT_NOFILE, true, most_nofile, "hard limit of open files (ulimit -Hn)"},
    {LIMIT_MAX_PROCS, true, most_processes,
	"hard limit of processes, less init (ulimit -Hu)"},
    {LIMIT_MAX_PROCS, false, most_pids,
	"highest process number (" PID_MAX_FILE ")"},
    {LIMIT_MEMORY, false, most_memory, "memory"},
    {LIMIT_CPU_QUOTA, false, most_cpu, "sum of CPU time (100% a processor)"},
};

static int
check_bound(struct policy *p, const struct bound *b, struct diag *d)
{
	const struct limit_info *info = &limit_infos[b->limit];
	uint64_t *value = &p->limits[b->limit];
	uint64_t most = b->most();
	char given[32];
	char has[32];

	if (*value <= most)
		return (0);
	(void)value_print(info->kind, most, has, sizeof(has));
	if (!origin_is_built_in(&p->limit_origins[b->limit]))
		return (origin_fail(d, &p->limit_origins[b->limit],
		    "%s %s would have no effect: the host's %s is %s",
		    info->key,
		    value_print(info->kind, *value, given, sizeof(given)),
		    b->what, has));
	if (!b->must_fit)
		return (0);
	if (most < info->min)
		return (diag_set(d, DIAG_USAGE,
		    "the host's %s is %s, and a job needs %llu at least",
		    b->what, has, (unsigned long long)info->min));
	*value = most;
	return (0);
}

int
finish_host(struct policy *p, struct diag *d)
{
	uint64_t stack = hard_limit(RLIMIT_STACK);

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (check_bound(p, &bounds[i], d) == -1)
			return (-1);
	p->stack_bytes = stack < STACK_BYTES ? stack : STACK_BYTES;
	return (0);
}
