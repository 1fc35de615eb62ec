/*
 * plan_check.c - decides whether a decoded plan may be built.
 *
 * The floor is what no broker, however broken or taken over, can ask the
 * launcher to go below.  Pure, and the same code on both sides: the policy
 * layer runs it on its own plans before they leave.
 */
#include <errno.h>
#include <string.h>

#include "plan.h"

#define MINUTE_MS 60000ULL
#define WEEK_MS (7 * 24 * 60 * MINUTE_MS)
#define BYTES_MAX (1ULL << 46)
#define MEMBER(member) offsetof(struct plan, member)

static const struct range {
	size_t offset;
	uint64_t min;
	uint64_t max;
	enum control control;
} ranges[] = {
    {MEMBER(wall_ms), 1, WEEK_MS, CTL_WALL},
    {MEMBER(grace_ms), 0, MINUTE_MS, CTL_WALL},
    {MEMBER(cpu_ms), 1, WEEK_MS, CTL_CPU},
    {MEMBER(memory_bytes), 1U << 20, BYTES_MAX, CTL_MEMORY},
    {MEMBER(data_bytes), 0, 2 * BYTES_MAX, CTL_RLIMITS},
    {MEMBER(max_procs), 1, 4194304, CTL_PROCESSES},
    {MEMBER(nofile), 8, 1048576, CTL_RLIMITS},
    {MEMBER(file_bytes), 1, BYTES_MAX, CTL_RLIMITS},
    {MEMBER(stack_bytes), 64U << 10, BYTES_MAX, CTL_RLIMITS},
    {MEMBER(scratch_bytes), 4096, BYTES_MAX, CTL_SCRATCH},
    {MEMBER(scratch_inodes), 16, 1ULL << 31, CTL_SCRATCH},
    {MEMBER(program_bytes), 0, PLAN_PROGRAM_MAX, CTL_MNTNS},
};

static int
refuse(struct fault *fault, enum control ctl, enum step step, int err)
{
	fault->control = (uint8_t)ctl;
	/* Only a broker that is broken asks for less than the floor. */
	fault->class = step == STEP_PLAN_FLOOR ? FAULT_OURS : FAULT_USAGE;
	fault->step = (uint16_t)step;
	fault->err = err;
	return (-1);
}

static int
out_of_range(struct fault *fault, enum control ctl)
{
	return (refuse(fault, ctl, STEP_PLAN_RANGE, EINVAL));
}

static bool
wants(const struct plan *p, enum control ctl)
{
	return ((p->controls & CONTROL_BIT(ctl)) != 0);
}

static int
check_floor(const struct plan *p, struct fault *fault)
{
	if (p->network_host == wants(p, CTL_NETNS))
		return (refuse(fault, CTL_NETNS, STEP_PLAN_FLOOR, EPERM));
	for (unsigned int i = 0; i < CTL__MAX; i++) {
		enum control ctl = (enum control)i;

		if (!wants(p, ctl) && !control_is_waivable(ctl) &&
		    ctl != CTL_NETNS)
			return (refuse(fault, ctl, STEP_PLAN_FLOOR, EPERM));
	}
	return (0);
}

static int
check_ranges(const struct plan *p, struct fault *fault)
{
	uint64_t value;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		memcpy(&value, (const char *)p + ranges[i].offset,
		    sizeof(value));
		if (value < ranges[i].min || value > ranges[i].max)
			return (out_of_range(fault, ranges[i].control));
	}
	if (!p->has_program && p->program_bytes != 0)
		return (out_of_range(fault, CTL_MNTNS));
	/* ABI 1 denies every link and rename between two directories. */
	if (wants(p, CTL_LANDLOCK) && p->landlock_abi_min < 2)
		return (out_of_range(fault, CTL_LANDLOCK));
	if (p->filter_len < 1 || p->filter_len > PLAN_FILTER_MAX)
		return (out_of_range(fault, CTL_PLAN_FILTER));
	return (0);
}

/* Adds the bytes of a NULL-terminated array; false beyond the maximum. */
static bool
add_bytes(const char *const *strings, uint32_t count, size_t *total)
{
	for (uint32_t i = 0; i < count; i++) {
		*total += strnlen(strings[i], PLAN_ARGS_BYTES_MAX) + 1;
		if (*total > PLAN_ARGS_BYTES_MAX)
			return (false);
	}
	return (true);
}

static int
check_counts(const struct plan *p, struct fault *fault)
{
	size_t total = 0;

	if (p->argc < 1 || p->argc > PLAN_ARGV_MAX || p->envc > PLAN_ENVP_MAX ||
	    p->entry_count > PLAN_ENTRIES_MAX ||
	    !add_bytes(p->argv, p->argc, &total) ||
	    !add_bytes(p->envp, p->envc, &total))
		return (out_of_range(fault, CTL_NONE));
	return (0);
}

/* The length of the name of NAME=VALUE, or 0 where it has no valid one. */
static size_t
env_name_len(const char *variable)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz_"
				      "0123456789";
	size_t len = strspn(variable, letters);

	if (variable[len] != '=' || (variable[0] >= '0' && variable[0] <= '9'))
		return (0);
	return (len);
}

static bool
env_is_known(const struct plan *p, uint32_t count, const char *variable,
    size_t len)
{
	for (uint32_t i = 0; i < count; i++) {
		if (strncmp(p->envp[i], variable, len + 1) == 0)
			return (true);
	}
	return (false);
}

static int
check_environment(const struct plan *p, struct fault *fault)
{
	size_t len;

	for (uint32_t i = 0; i < p->envc; i++) {
		if ((len = env_name_len(p->envp[i])) == 0)
			return (out_of_range(fault, CTL_ENVIRONMENT));
		if (env_is_known(p, i, p->envp[i], len))
			return (refuse(fault, CTL_ENVIRONMENT, STEP_PLAN_RANGE,
			    EEXIST));
		if (env_is_hijack(p->envp[i]))
			return (refuse(fault, CTL_ENVIRONMENT, STEP_PLAN_FLOOR,
			    EPERM));
	}
	return (0);
}

static int
check_entries(const struct plan *p, struct fault *fault)
{
	int err = plan_entries_check(p);

	if (err != 0)
		return (refuse(fault, CTL_MNTNS, STEP_PLAN_PATH, err));
	return (0);
}

int
plan_check(const struct plan *p, struct fault *fault)
{
	typedef int check_fn(const struct plan *, struct fault *);
	/* Counts first: the others loop over what was counted. */
	static check_fn *const checks[] = {check_counts, check_floor,
	    check_ranges, check_entries, check_environment};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (checks[i](p, fault) == -1)
			return (-1);
	}
	return (0);
}
