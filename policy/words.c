/*
 * words.c - what the tables of common/ are called for people: the texts of the
 * steps, the words and names of the controls, and the set of the floor.  Never
 * linked into the launcher, which has no prose.
 */
#include <errno.h>
#include <string.h>

#include "words.h"

const struct control_words control_words[CTL__MAX] = {
#define WORDS(id, token, denies) [CTL_##id] = {(token), (denies)},
#include "words.def"
#undef WORDS
};

/* A control without words does not compile. */
enum {
#define WORDS(id, ...) HAS_WORDS_##id,
#include "words.def"
#undef WORDS
};
#define CONTROL(id, ...) \
	_Static_assert(HAS_WORDS_##id >= 0, "words.def has each control");
#include "controls.def"
#undef CONTROL

static const char *const texts[STEP__MAX] = {
    [STEP_NONE] = "say what failed",
    [STEP_PLAN_DECODE] = "decode the plan",
    [STEP_PLAN_FLOOR] = "accept a plan below the floor",
    [STEP_PLAN_RANGE] = "accept a value out of range",
    [STEP_PLAN_PATH] = "accept a path",
    [STEP_PLAN_FDS] = "accept the descriptors that came with the plan",
    [STEP_HOST_ROOT] = "launch as the host's root",
    [STEP_SOCKETPAIR] = "make a socketpair",
    [STEP_CLONE] = "create the namespaces",
    [STEP_UID_MAP] = "write uid_map",
    [STEP_NS_SAME] = "find a namespace of the job's own",
    [STEP_TIME_OFFSETS] = "set the clocks of the time namespace",
    [STEP_NS_COUNTS] = "set the sysctls of the namespaces",
    [STEP_HOSTNAME] = "set the host name",
    [STEP_LOOPBACK] = "bring the loopback interface up",
    [STEP_CGROUP_LEAF] = "make a cgroup leaf with a memory controller",
    [STEP_MOUNT_PRIVATE] = "make mounts private",
    [STEP_MOUNT_ROOT] = "mount a tmpfs as the new root",
    [STEP_MAKE_ENTRY] = "create an entry of the new root",
    [STEP_BIND_SOURCE] = "open a bind source",
    [STEP_BIND_CHANGED] = "find the bind source that the plan names",
    [STEP_BIND_MOUNT] = "bind a source into the new root",
    [STEP_MOUNT_ATTR] = "set mount attributes",
    [STEP_MOUNT_DEV] = "mount /dev",
    [STEP_DEV_NODE] = "bind a device node",
    [STEP_MOUNT_DEVPTS] = "mount devpts",
    [STEP_MOUNT_PROC] = "mount procfs",
    [STEP_MOUNT_SCRATCH] = "mount the scratch tmpfs",
    [STEP_PIVOT_ROOT] = "pivot_root",
    [STEP_DETACH_ROOT] = "detach the old root",
    [STEP_ROOT_RDONLY] = "make the new root read-only",
    [STEP_STAGE2_UNSHARE] = "enter the second user and mount namespace",
    [STEP_STAGE2_MAP] = "map ids in the second user namespace",
    [STEP_USERNS_MAX] = "write user.max_user_namespaces",
    [STEP_FORK_JOB] = "fork the job",
    [STEP_SETSID] = "start a session",
    [STEP_KEYRING] = "join a new session keyring",
    [STEP_SIGNALS] = "reset signals",
    [STEP_PRIORITY] = "reset the priority",
    [STEP_DUP] = "place a descriptor",
    [STEP_CLOSE_RANGE] = "close stray descriptors",
    [STEP_STDIO] = "check the standard streams",
    [STEP_CHDIR] = "enter the working directory",
    [STEP_SETRLIMIT] = "set a resource limit",
    [STEP_FORK_CANARY] = "see a fork refused at the process ceiling",
    [STEP_AMBIENT] = "clear ambient capabilities",
    [STEP_BOUNDING] = "drop the bounding set",
    [STEP_SECUREBITS] = "set securebits",
    [STEP_CAPSET] = "drop capabilities",
    [STEP_NNP] = "set no_new_privs",
    [STEP_LANDLOCK_ABI] = "ask for the Landlock ABI",
    [STEP_LANDLOCK_RULESET] = "create a Landlock ruleset",
    [STEP_LANDLOCK_RULE] = "add a Landlock rule",
    [STEP_LANDLOCK_RESTRICT] = "enforce the Landlock ruleset",
    [STEP_LANDLOCK_CANARY] = "see a forbidden open refused by Landlock",
    [STEP_FILTER_LOAD] = "load a seccomp filter",
    [STEP_FILTER_CANARY] = "see a canary system call answered by the filter",
    [STEP_DUMPABLE] = "become non-dumpable",
    [STEP_PDEATHSIG] = "arm the parent-death signal",
    [STEP_TIMER] = "set the deadline",
    [STEP_CPU_CLOCK] = "read the CPU time of the job",
    [STEP_INIT_LOST] = "hear from init",
    [STEP_JOB_LOST] = "hear from the job",
    [STEP_READ_PROC] = "read the job's state from /proc",
    [STEP_READ_BACK] = "read back what was set",
};

const char *
step_text(unsigned int step)
{
	if (step >= STEP__MAX || texts[step] == NULL)
		return ("take an unknown step");
	return (texts[step]);
}

enum fault_class
step_class(unsigned int step, int err)
{
	/* What is in none of the two lists lies with the host; and a call that
	 * the kernel lacks is nobody's mistake. */
	static const enum step usage[] = {STEP_PLAN_RANGE, STEP_PLAN_PATH,
	    STEP_BIND_SOURCE, STEP_BIND_CHANGED, STEP_BIND_MOUNT};
	static const enum step ours[] = {STEP_NONE, STEP_PLAN_DECODE,
	    STEP_PLAN_FLOOR, STEP_PLAN_FDS, STEP_MAKE_ENTRY, STEP_DUP,
	    STEP_STDIO, STEP_INIT_LOST, STEP_JOB_LOST};

	if (err == ENOSYS)
		return (FAULT_HOST);
	for (size_t i = 0; i < sizeof(usage) / sizeof(usage[0]); i++)
		if (usage[i] == step)
			return (FAULT_USAGE);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (ours[i] == step)
			return (FAULT_OURS);
	return (FAULT_HOST);
}

enum control
control_by_name(const char *name)
{
	for (unsigned int i = 0; i < CTL__MAX; i++) {
		if (strcmp(controls[i].name, name) == 0)
			return ((enum control)i);
	}
	return (CTL_NONE);
}

control_set
control_floor(void)
{
	control_set set = 0;

	for (unsigned int i = 0; i < CTL__MAX; i++) {
		if (controls[i].is_floor)
			set |= CONTROL_BIT(i);
	}
	return (set);
}
