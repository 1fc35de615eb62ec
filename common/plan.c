/*
 * plan.c - the plan: from the peer's bytes, and whether it may be built.
 *
 * The floor is what no broker, however broken or taken over, can ask the
 * launcher to go below.  Pure and on text alone: no input or output, no heap,
 * no state.  Two entries that collide, and sources that are not what the plan
 * says, are faults when they are made (launcher/tree.c).
 */
#include <errno.h>
#include <string.h>

#include "plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MINUTE_MS 60000ULL
#define WEEK_MS (7 * 24 * 60 * MINUTE_MS)
#define BYTES_MAX (1ULL << 46)
#define MEMBER(m) offsetof(struct plan, m), sizeof(((struct plan *)0)->m)

static const struct range {
	size_t offset;
	size_t size;
	uint64_t min;
	uint64_t max;
	enum control control;
} ranges[] = {
    {MEMBER(controls), 0, CONTROL_ALL, CTL_NONE},
    {MEMBER(has_program), 0, 1, CTL_NONE},
    {MEMBER(network_host), 0, 1, CTL_NONE},
    {MEMBER(has_cgroup), 0, 1, CTL_NONE},
    {MEMBER(reserved), 0, 0, CTL_NONE},
    {MEMBER(argc), 1, PLAN_ARGV_MAX, CTL_NONE},
    {MEMBER(envc), 0, PLAN_ENVP_MAX, CTL_NONE},
    {MEMBER(entry_count), 0, PLAN_ENTRIES_MAX, CTL_NONE},
    {MEMBER(filter_len), 1, PLAN_FILTER_MAX, CTL_PLAN_FILTER},
    {MEMBER(wall_ms), 1, WEEK_MS, CTL_WALL},
    {MEMBER(grace_ms), 0, MINUTE_MS, CTL_WALL},
    {MEMBER(cpu_ms), 1, WEEK_MS, CTL_CPU},
    {MEMBER(cpu_quota_percent), 0, PLAN_CPU_QUOTA_MAX, CTL_CPUSHARE},
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
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "members of any size are read into the low bytes of one");

static int
refuse(struct fault *fault, enum control ctl, enum step step, int err)
{
	/* Only a broken broker sends no plan, or one below the floor. */
	bool is_ours = step == STEP_PLAN_DECODE || step == STEP_PLAN_FLOOR;

	*fault = (struct fault){(uint8_t)ctl,
	    is_ours ? FAULT_OURS : FAULT_USAGE, (uint16_t)step, err};
	return (-1);
}

static int
check_ranges(const struct plan *p, struct fault *fault)
{
	for (const struct range *r = ranges; r < ranges + COUNT(ranges); r++) {
		uint64_t value = 0;

		memcpy(&value, (const char *)p + r->offset, r->size);
		if (value < r->min || value > r->max)
			return (
			    refuse(fault, r->control, STEP_PLAN_RANGE, EINVAL));
	}
	return (0);
}

struct cursor {
	const uint8_t *at;
	size_t left;
	bool is_bad; /* sticky: nothing is taken after the first error */
};

/* The next len bytes, copied to out unless that is NULL; or NULL. */
static const void *
take(struct cursor *c, void *out, size_t len)
{
	const uint8_t *bytes = c->at;

	c->is_bad |= len > c->left;
	if (c->is_bad)
		return (NULL);
	if (out != NULL)
		memcpy(out, bytes, len);
	c->at += len;
	c->left -= len;
	return (bytes);
}

/* Up to the next NUL, so that none can be inside; NULL after an error. */
static const char *
take_string(struct cursor *c)
{
	if (c->is_bad)
		return (NULL);
	return (take(c, NULL, strnlen((const char *)c->at, c->left) + 1));
}

int
plan_decode(struct plan *p, const uint8_t *buf, size_t len, struct fault *fault)
{
	struct cursor c = {buf, len, false};

	(void)refuse(fault, CTL_NONE, STEP_PLAN_DECODE, EBADMSG);
	/* Zero first: it is also what ends argv and envp. */
	memset(p, 0, sizeof(*p));
	/* Then the counts: all else loops over what was counted. */
	if (take(&c, p, PLAN_HEAD_BYTES) != NULL &&
	    check_ranges(p, fault) == 0) {
		for (uint32_t i = 0; i < p->entry_count; i++) {
			struct plan_entry *e = &p->entries[i];

			(void)take(&c, e, PLAN_ENTRY_HEAD_BYTES);
			e->path = take_string(&c);
			e->source = take_string(&c);
			e->content = take(&c, NULL, e->content_len);
		}
		for (uint32_t i = 0; i < p->argc; i++)
			p->argv[i] = take_string(&c);
		for (uint32_t i = 0; i < p->envc; i++)
			p->envp[i] = take_string(&c);
		(void)take(&c, p->filter, p->filter_len * sizeof(p->filter[0]));
		if (!c.is_bad && c.left == 0)
			return (0);
	}
	/* Nothing half read is left for a caller who does not look. */
	memset(p, 0, sizeof(*p));
	return (-1);
}

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
	/* Live kernel state, devices and sockets. */
	static const char *const trees[] = {"/proc", "/sys", "/dev", "/run"};

	for (size_t i = 0; i < COUNT(trees); i++)
		if (plan_path_is_in(source, trees[i]))
			return (trees[i]);
	return (NULL);
}

/* 0, EINVAL or EPERM. */
static int
entry_error(const struct plan_entry *e)
{
	bool is_bind = e->kind == ENTRY_BIND;

	if (e->kind >= ENTRY__MAX || e->mode > 0777 ||
	    e->flags > (is_bind ? ENTRY_WRITABLE : 0) ||
	    !plan_path_is_clean(e->path) ||
	    (is_bind && !plan_path_is_clean(e->source)))
		return (EINVAL);
	/* Mounts of the launcher's own would cover, or lose, what lies there. */
	if (plan_path_is_in(e->path, "/proc") ||
	    plan_path_is_in(e->path, "/dev") ||
	    (is_bind && plan_private_tree(e->source) != NULL))
		return (EPERM);
	return (0);
}

static int
check_entries(const struct plan *p, struct fault *fault)
{
	unsigned int programs = 0;
	int err = 0;

	for (uint32_t i = 0; i < p->entry_count && err == 0; i++) {
		err = entry_error(&p->entries[i]);
		programs += p->entries[i].kind == ENTRY_PROGRAM;
	}
	if (err == 0 && programs != p->has_program)
		err = EINVAL;
	return (err == 0 ? 0 : refuse(fault, CTL_MNTNS, STEP_PLAN_PATH, err));
}

int
plan_check(const struct plan *p, struct fault *fault)
{
	control_set wanted = p->controls;

	if (check_ranges(p, fault) == -1)
		return (-1);
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
