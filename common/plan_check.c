/*
 * plan_check.c - decides whether a decoded plan may be built.
 *
 * The floor is what no broker, however broken or taken over, can ask the
 * launcher to go below.  Pure and on text alone: that a source is what the plan
 * names is seen only when the launcher opens it.
 */
#include <errno.h>
#include <string.h>

#include "plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MINUTE_MS 60000ULL
#define WEEK_MS (7 * 24 * 60 * MINUTE_MS)
#define BYTES_MAX (1ULL << 46)
#define RANGE(member, min, max, control) \
	{ \
		offsetof(struct plan, member), \
		    sizeof(((struct plan *)0)->member), min, max, \
		    CTL_##control \
	}

static const struct range {
	size_t offset;
	size_t size;
	uint64_t min;
	uint64_t max;
	enum control control;
} ranges[] = {
    RANGE(argc, 1, PLAN_ARGV_MAX, NONE),
    RANGE(envc, 0, PLAN_ENVP_MAX, NONE),
    RANGE(entry_count, 0, PLAN_ENTRIES_MAX, NONE),
    RANGE(filter_len, 1, PLAN_FILTER_MAX, PLAN_FILTER),
    RANGE(wall_ms, 1, WEEK_MS, WALL),
    RANGE(grace_ms, 0, MINUTE_MS, WALL),
    RANGE(cpu_ms, 1, WEEK_MS, CPU),
    RANGE(cpu_quota_percent, 0, PLAN_CPU_QUOTA_MAX, CPU),
    RANGE(memory_bytes, 1U << 20, BYTES_MAX, MEMORY),
    RANGE(data_bytes, 0, 2 * BYTES_MAX, RLIMITS),
    RANGE(max_procs, 1, 4194304, PROCESSES),
    RANGE(nofile, 8, 1048576, RLIMITS),
    RANGE(file_bytes, 1, BYTES_MAX, RLIMITS),
    RANGE(stack_bytes, 64U << 10, BYTES_MAX, RLIMITS),
    RANGE(scratch_bytes, 4096, BYTES_MAX, SCRATCH),
    RANGE(scratch_inodes, 16, 1ULL << 31, SCRATCH),
    RANGE(program_bytes, 0, PLAN_PROGRAM_MAX, MNTNS),
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "members of any size are read into the low bytes of one");

/* Where the launcher builds by itself.  The scratch is mounted before binds
 * beneath it are, so those are what "--bind SRC:/work/data" makes. */
static const struct place {
	const char *path;
	bool takes_binds;
} built[] = {
    {"/proc", false},
    {"/dev", false},
    {PLAN_WORKDIR, true},
    {"/tmp", true},
};

/* No job is shown these of the host: live kernel state and sockets. */
static const char *const private_sources[] = {"/proc", "/sys", "/dev", "/run"};

bool
plan_path_is_clean(const char *path)
{
	size_t len;

	if (path[0] != '/' || strnlen(path, PLAN_PATH_MAX) == PLAN_PATH_MAX)
		return (false);
	for (const char *name = path; *name == '/'; name += len) {
		name++;
		len = strcspn(name, "/");
		/* "", "." and "..". */
		if (len <= 2 && strspn(name, ".") == len)
			return (false);
	}
	return (true);
}

bool
plan_path_is_in(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return (strncmp(path, dir, len) == 0 &&
	    (path[len] == '\0' || path[len] == '/'));
}

const char *
plan_private_tree(const char *source)
{
	for (size_t i = 0; i < COUNT(private_sources); i++)
		if (plan_path_is_in(source, private_sources[i]))
			return (private_sources[i]);
	return (NULL);
}

/* Each kind has its own members; all others are 0 or "". */
static bool
is_well_formed(const struct plan_entry *e)
{
	bool is_bind = e->kind == ENTRY_BIND;
	bool is_link = e->kind == ENTRY_LINK;

	return (e->kind < ENTRY__MAX &&
	    (e->mode & ~(is_bind || is_link ? 0U : 0777U)) == 0 &&
	    (e->flags & ~(is_bind ? ENTRY_WRITABLE : 0U)) == 0 &&
	    (e->content_len == 0 || e->kind == ENTRY_FILE) &&
	    ((e->dev == 0 && e->ino == 0) || is_bind) &&
	    (e->source[0] != '\0') == (is_bind || is_link) &&
	    strnlen(e->source, PLAN_PATH_MAX) < PLAN_PATH_MAX &&
	    (!is_bind || plan_path_is_clean(e->source)) &&
	    plan_path_is_clean(e->path));
}

/* Over what the launcher builds, from what no job is shown, or a program that
 * is not in its directory. */
static bool
is_forbidden(const struct plan *p, const struct plan_entry *e)
{
	bool is_bind = e->kind == ENTRY_BIND;

	/* The stand-in for a waived procfs: an empty directory. */
	if (e->kind == ENTRY_DIR && strcmp(e->path, "/proc") == 0)
		return ((p->controls & CONTROL_BIT(CTL_PROCFS)) != 0);
	for (size_t i = 0; i < COUNT(built); i++)
		if (plan_path_is_in(e->path, built[i].path) &&
		    (!built[i].takes_binds || !is_bind ||
			strcmp(e->path, built[i].path) == 0))
			return (true);
	if (is_bind && plan_private_tree(e->source) != NULL)
		return (true);
	return (e->kind == ENTRY_PROGRAM &&
	    (!plan_path_is_in(e->path, PLAN_PROGRAM_DIR) ||
		strcmp(e->path, PLAN_PROGRAM_DIR) == 0));
}

/*
 * Entries are built in their order, and only directories that the launcher
 * itself made take anything beneath them: never a bind, whose contents are
 * the host's, and never a link, which could lead anywhere.
 */
static int
judge_pair(const struct plan_entry *earlier, const struct plan_entry *e)
{
	if (strcmp(earlier->path, e->path) == 0)
		return (EEXIST);
	if (plan_path_is_in(e->path, earlier->path) &&
	    earlier->kind != ENTRY_DIR)
		return (EPERM);
	if (plan_path_is_in(earlier->path, e->path))
		return (e->kind == ENTRY_DIR ? EINVAL : EPERM);
	return (0);
}

static int
refuse(struct fault *fault, enum control ctl, enum step step, int err)
{
	/* Only a broker that is broken asks for less than the floor. */
	*fault = (struct fault){(uint8_t)ctl,
	    step == STEP_PLAN_FLOOR ? FAULT_OURS : FAULT_USAGE, (uint16_t)step,
	    err};
	return (-1);
}

static int
check_entries(const struct plan *p, struct fault *fault)
{
	const struct plan_entry *end = p->entries + p->entry_count;
	unsigned int programs = 0;
	int err = 0;

	for (const struct plan_entry *e = p->entries; e < end; e++) {
		if (!is_well_formed(e))
			err = EINVAL;
		else if (is_forbidden(p, e))
			err = EPERM;
		for (const struct plan_entry *q = p->entries; q < e; q++)
			err = err != 0 ? err : judge_pair(q, e);
		if (err != 0)
			return (refuse(fault, CTL_MNTNS, STEP_PLAN_PATH, err));
		programs += e->kind == ENTRY_PROGRAM;
	}
	if (programs != p->has_program)
		return (refuse(fault, CTL_MNTNS, STEP_PLAN_PATH, EINVAL));
	return (0);
}

int
plan_check(const struct plan *p, struct fault *fault)
{
	control_set wanted = p->controls;
	size_t total = 0;

	/* Counts first: all else loops over what was counted. */
	for (const struct range *r = ranges; r < ranges + COUNT(ranges); r++) {
		uint64_t value = 0;

		memcpy(&value, (const char *)p + r->offset, r->size);
		if (value < r->min || value > r->max)
			return (
			    refuse(fault, r->control, STEP_PLAN_RANGE, EINVAL));
	}
	for (uint32_t i = 0; i < p->argc; i++)
		total += strnlen(p->argv[i], PLAN_ARGS_BYTES_MAX) + 1;
	for (uint32_t i = 0; i < p->envc; i++)
		total += strnlen(p->envp[i], PLAN_ARGS_BYTES_MAX) + 1;
	if (total > PLAN_ARGS_BYTES_MAX)
		return (refuse(fault, CTL_NONE, STEP_PLAN_RANGE, EINVAL));
	if (!p->has_program && p->program_bytes != 0)
		return (refuse(fault, CTL_MNTNS, STEP_PLAN_RANGE, EINVAL));
	/* ABI 1 denies every link and rename between two directories. */
	if ((wanted & CONTROL_BIT(CTL_LANDLOCK)) != 0 &&
	    p->landlock_abi_min < 2)
		return (refuse(fault, CTL_LANDLOCK, STEP_PLAN_RANGE, EINVAL));

	/* Exactly a plan that shares the host's network has no netns. */
	if (p->network_host)
		wanted ^= CONTROL_BIT(CTL_NETNS);
	for (unsigned int i = 0; i < CTL__MAX; i++)
		if (controls[i].is_floor && (wanted & CONTROL_BIT(i)) == 0)
			return (refuse(fault, (enum control)i, STEP_PLAN_FLOOR,
			    EPERM));
	return (check_entries(p, fault));
}
