/*
 * plan_entries.c - judges the entries of a plan: what appears in the new root.
 *
 * Works on text alone: that a source really is what the plan names is seen
 * only when the launcher opens it.  Pure; called by plan_check() alone.
 */
#include <errno.h>
#include <string.h>

#include "plan.h"

/* What an entry of each kind has; anything else of it must be 0 or "". */
static const struct entry_rule {
	unsigned int mode_mask;
	unsigned int flag_mask;
	bool has_source;
	bool has_content;
	bool has_inode;
} entry_rules[ENTRY__MAX] = {
    [ENTRY_DIR] = {.mode_mask = 0777},
    [ENTRY_LINK] = {.has_source = true},
    [ENTRY_FILE] = {.mode_mask = 0777, .has_content = true},
    [ENTRY_BIND] = {.flag_mask = ENTRY_WRITABLE,
	.has_source = true,
	.has_inode = true},
    [ENTRY_PROGRAM] = {.mode_mask = 0777},
};

/*
 * Where the launcher builds by itself.  The scratch is mounted before binds
 * beneath it are, so those are what "--bind SRC:/work/data" makes.
 */
static const struct reserved {
	const char *path;
	bool allows_binds;
} reserved[] = {
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
plan_path_is_beneath(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return (strncmp(path, dir, len) == 0 && path[len] == '/');
}

static bool
is_at_or_beneath(const char *path, const char *dir)
{
	return (strcmp(path, dir) == 0 || plan_path_is_beneath(path, dir));
}

static bool
is_well_formed(const struct plan_entry *e)
{
	const struct entry_rule *rule;

	if (e->kind >= ENTRY__MAX)
		return (false);
	rule = &entry_rules[e->kind];
	if ((e->mode & ~rule->mode_mask) != 0 ||
	    (e->flags & ~rule->flag_mask) != 0)
		return (false);
	if (rule->has_source != (e->source[0] != '\0') ||
	    strnlen(e->source, PLAN_PATH_MAX) == PLAN_PATH_MAX)
		return (false);
	if (!rule->has_content && e->content_len != 0)
		return (false);
	if (!rule->has_inode && (e->dev != 0 || e->ino != 0))
		return (false);
	if (e->kind == ENTRY_BIND && !plan_path_is_clean(e->source))
		return (false);
	return (plan_path_is_clean(e->path));
}

/* The stand-in for a waived procfs: an empty directory, no bind. */
static bool
is_empty_proc(const struct plan *p, const struct plan_entry *e)
{
	return (e->kind == ENTRY_DIR && strcmp(e->path, "/proc") == 0 &&
	    (p->controls & CONTROL_BIT(CTL_PROCFS)) == 0);
}

static bool
is_over_launcher(const struct plan_entry *e)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (!is_at_or_beneath(e->path, reserved[i].path))
			continue;
		return (!reserved[i].allows_binds || e->kind != ENTRY_BIND ||
		    strcmp(e->path, reserved[i].path) == 0);
	}
	return (false);
}

const char *
plan_private_tree(const char *source)
{
	size_t count = sizeof(private_sources) / sizeof(private_sources[0]);

	for (size_t i = 0; i < count; i++) {
		if (is_at_or_beneath(source, private_sources[i]))
			return (private_sources[i]);
	}
	return (NULL);
}

static bool
is_private(const struct plan_entry *e)
{
	return (e->kind == ENTRY_BIND && plan_private_tree(e->source) != NULL);
}

/*
 * Entries are built in their order, and only directories that the launcher
 * itself made take anything beneath them: never a bind, whose contents are
 * the host's, and never a link, which could lead anywhere.
 */
static int
check_pair(const struct plan_entry *earlier, const struct plan_entry *later)
{
	if (strcmp(earlier->path, later->path) == 0)
		return (EEXIST);
	if (plan_path_is_beneath(later->path, earlier->path) &&
	    earlier->kind != ENTRY_DIR)
		return (EPERM);
	if (plan_path_is_beneath(earlier->path, later->path))
		return (later->kind == ENTRY_DIR ? EINVAL : EPERM);
	return (0);
}

static int
check_entry(const struct plan *p, uint32_t index)
{
	const struct plan_entry *e = &p->entries[index];
	int err = 0;

	if (!is_well_formed(e))
		return (EINVAL);
	if ((is_over_launcher(e) && !is_empty_proc(p, e)) || is_private(e))
		return (EPERM);
	if (e->kind == ENTRY_PROGRAM &&
	    !plan_path_is_beneath(e->path, PLAN_PROGRAM_DIR))
		return (EPERM);
	for (uint32_t i = 0; i < index && err == 0; i++)
		err = check_pair(&p->entries[i], e);
	return (err);
}

int
plan_entries_check(const struct plan *p)
{
	uint32_t programs = 0;
	int err;

	for (uint32_t i = 0; i < p->entry_count; i++) {
		if ((err = check_entry(p, i)) != 0)
			return (err);
		if (p->entries[i].kind == ENTRY_PROGRAM)
			programs++;
	}
	return (programs == (p->has_program ? 1 : 0) ? 0 : EINVAL);
}
