/*
 * plan.c - the table of controls; and the plan: from the peer's bytes, and
 * whether it may be built.
 *
 * The floor is what no broker, however broken or taken over, can ask the
 * launcher to go below.  Pure and on text alone: entries that collide, and
 * sources that changed, are faults when they are made (launcher/tree.c).
 */
#include <sched.h>
#include <string.h>

#include "plan.h"

#define FLOOR true
const struct control_info controls[CTL__MAX] = {
#define CONTROL(id, symbol, clone, phase, proof, unit, floor, needs, ...) \
	[CTL_##id] = {#symbol, clone, AT_##phase, BY_##proof, UNIT_##unit, \
	    floor, CTL_##needs},
#include "controls.def"
#undef CONTROL
};
/* Rows are applied in order, so what a row needs must stand before it. */
#define CONTROL(id, symbol, clone, phase, proof, unit, floor, needs, ...) \
	_Static_assert((int)CTL_##needs < (int)CTL_##id || \
		(int)CTL_##needs == (int)CTL_NONE, \
	    #symbol " stands before what it needs");
#include "controls.def"
#undef CONTROL

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
} ranges[] = {
    {MEMBER(controls), 0, CONTROL_ALL},
    {MEMBER(has_program), 0, 1},
    {MEMBER(network_host), 0, 1},
    {MEMBER(has_cgroup), 0, 1},
    {MEMBER(path_count), 1, PLAN_ARGV_MAX},
    {MEMBER(argc), 1, PLAN_ARGV_MAX},
    {MEMBER(envc), 0, PLAN_ENVP_MAX},
    {MEMBER(entry_count), 0, PLAN_ENTRIES_MAX},
    {MEMBER(filter_len), 1, PLAN_FILTER_MAX},
    {MEMBER(wall_ms), 1, WEEK_MS},
    {MEMBER(grace_ms), 0, MINUTE_MS},
    {MEMBER(cpu_ms), 1, WEEK_MS},
    {MEMBER(cpu_quota_percent), 0, PLAN_CPU_QUOTA_MAX},
    {MEMBER(memory_bytes), 1U << 20, BYTES_MAX},
    {MEMBER(data_bytes), 0, 2 * BYTES_MAX},
    {MEMBER(max_procs), 1, 4194304},
    {MEMBER(nofile), 8, 1048576},
    {MEMBER(file_bytes), 1, BYTES_MAX},
    {MEMBER(stack_bytes), 64U << 10, BYTES_MAX},
    {MEMBER(scratch_bytes), 4096, BYTES_MAX},
    {MEMBER(scratch_inodes), 16, 1ULL << 31},
    {MEMBER(program_bytes), 0, PLAN_PROGRAM_MAX},
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "members of any size are read into the low bytes of one");

static bool
is_in_range(const struct plan *p)
{
	for (const struct range *r = ranges; r < ranges + COUNT(ranges); r++) {
		uint64_t value = 0;

		memcpy(&value, (const char *)p + r->offset, r->size);
		if (value < r->min || value > r->max)
			return (false);
	}
	return (p->path_count < p->argc);
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

enum step
plan_decode(struct plan *p, const uint8_t *buf, size_t len)
{
	struct cursor c = {buf, len, false};
	enum step step = STEP_PLAN_DECODE;

	/* Zero first: it is also what ends argv and envp. */
	memset(p, 0, sizeof(*p));
	/* Then the counts: all else loops over what was counted. */
	if (take(&c, p, PLAN_HEAD_BYTES) != NULL && !is_in_range(p))
		step = STEP_PLAN_RANGE;
	else if (!c.is_bad) {
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
			return (STEP_NONE);
	}
	/* Nothing half read is left for a caller who does not look. */
	memset(p, 0, sizeof(*p));
	return (step);
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

static bool
is_good_entry(const struct plan_entry *e)
{
	bool is_bind = e->kind == ENTRY_BIND;

	/* Mounts of the launcher's own would cover, or lose, what is there. */
	return (e->kind < ENTRY__MAX && e->mode <= 0777 &&
	    e->flags <= (is_bind ? ENTRY_WRITABLE : 0) &&
	    plan_path_is_clean(e->path) && !plan_path_is_in(e->path, "/proc") &&
	    !plan_path_is_in(e->path, "/dev") &&
	    (!is_bind ||
		(plan_path_is_clean(e->source) &&
		    plan_private_tree(e->source) == NULL)));
}

enum step
plan_check(const struct plan *p)
{
	control_set wanted = p->controls;
	unsigned int programs = 0;

	/* ABI 1 denies every link and rename between two directories. */
	if (!is_in_range(p) ||
	    ((wanted & CONTROL_BIT(CTL_LANDLOCK)) != 0 &&
		p->landlock_abi_min < 2))
		return (STEP_PLAN_RANGE);
	/* Exactly a plan that shares the host's network has no netns. */
	if (p->network_host)
		wanted ^= CONTROL_BIT(CTL_NETNS);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if (controls[ctl].is_floor && (wanted & CONTROL_BIT(ctl)) == 0)
			return (STEP_PLAN_FLOOR);
	for (uint32_t i = 0; i < p->entry_count; i++) {
		if (!is_good_entry(&p->entries[i]))
			return (STEP_PLAN_PATH);
		programs += p->entries[i].kind == ENTRY_PROGRAM;
	}
	return (programs == p->has_program ? STEP_NONE : STEP_PLAN_PATH);
}
