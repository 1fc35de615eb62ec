/*
 * view.c - the entries of the job's root, one at a time, and the strings they
 * point to.  What goes into the root is view_build.c's business.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"

static int
out_of_memory(struct diag *d)
{
	return (diag_set(d, DIAG_INTERNAL, "out of memory"));
}

void
view_free(struct policy_view *v)
{
	size_t i;

	if (v == NULL)
		return;
	for (i = 0; i < v->string_count; i++)
		free(v->strings[i]);
	free(v->strings);
	free(v);
}

/* A copy that lives as long as the view; NULL: out of memory. */
const char *
view_keep(struct policy_view *v, const char *text)
{
	char **strings;

	strings =
	    reallocarray(v->strings, v->string_count + 1, sizeof(*strings));
	if (strings == NULL)
		return (NULL);
	v->strings = strings;
	if ((strings[v->string_count] = strdup(text)) == NULL)
		return (NULL);
	return (strings[v->string_count++]);
}

bool
view_has(const struct policy_view *v, const char *path)
{
	static const char *const made[] = {"/dev", "/proc", "/tmp",
	    PLAN_WORKDIR}; /* by the launcher, first of all */
	size_t i;

	for (i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (strcmp(made[i], path) == 0)
			return (true);
	for (i = 0; i < v->entry_count; i++)
		if (strcmp(v->entries[i].path, path) == 0)
			return (true);
	return (false);
}

static int
add_one(struct policy_view *v, const struct plan_entry *entry, struct diag *d)
{
	struct plan_entry e = *entry;

	/* The rest is for the program. */
	if (v->entry_count >= PLAN_ENTRIES_MAX - PROGRAM_ENTRIES)
		return (diag_set(d, DIAG_POLICY,
		    "more than %u entries in the root: give fewer binds",
		    PLAN_ENTRIES_MAX - PROGRAM_ENTRIES));
	e.path = view_keep(v, entry->path);
	e.source = view_keep(v, entry->source);
	if (e.path == NULL || e.source == NULL)
		return (out_of_memory(d));
	v->entries[v->entry_count++] = e;
	return (0);
}

/* The launcher makes what it is told: a directory for each missing parent. */
static int
add(struct policy_view *v, const struct plan_entry *entry, struct diag *d)
{
	struct plan_entry dir = {.kind = ENTRY_DIR, .mode = 0755, .source = ""};
	const char *slash = strchr(entry->path + 1, '/');
	int rc = 0;

	for (; slash != NULL && rc == 0; slash = strchr(slash + 1, '/')) {
		char *path =
		    strndup(entry->path, (size_t)(slash - entry->path));

		if (path == NULL)
			return (out_of_memory(d));
		dir.path = path;
		if (!view_has(v, path))
			rc = add_one(v, &dir, d);
		free(path);
	}
	return (rc == -1 ? -1 : add_one(v, entry, d));
}

int
view_add_file(struct policy_view *v, const char *path, const char *text,
    struct diag *d)
{
	struct plan_entry e = {.kind = ENTRY_FILE,
	    .mode = 0444,
	    .path = path,
	    .source = ""};
	const char *content = view_keep(v, text);

	if (content == NULL)
		return (out_of_memory(d));
	e.content = (const uint8_t *)content;
	e.content_len = (uint32_t)strlen(content);
	return (add(v, &e, d));
}

int
view_add_link(struct policy_view *v, const char *path, const char *target,
    struct diag *d)
{
	const struct plan_entry e = {.kind = ENTRY_LINK,
	    .path = path,
	    .source = target};

	return (add(v, &e, d));
}

int
view_add_bind(struct policy_view *v, const char *path, const char *source,
    const struct stat *st, uint8_t flags, struct diag *d)
{
	const struct plan_entry e = {.kind = ENTRY_BIND,
	    .flags = flags,
	    .path = path,
	    .source = source,
	    .dev = st->st_dev,
	    .ino = st->st_ino};

	return (add(v, &e, d));
}

/* A directory or file, and nothing private: plan_check() would refuse it. */
static bool
is_showable(const char *target, const struct stat *st)
{
	return ((S_ISDIR(st->st_mode) || S_ISREG(st->st_mode)) &&
	    plan_private_tree(target) == NULL &&
	    strlen(target) < PLAN_PATH_MAX);
}

/*
 * Nothing is there to be shown.  What the caller may not look at is no part of
 * the job either, but only in /etc: without its loader no job would run.
 */
static bool
is_absent(const char *path, int err)
{
	return (err == ENOENT || err == ENOTDIR || err == ELOOP ||
	    (err == EACCES && plan_path_is_in(path, "/etc")));
}

/*
 * Shows path of the host at the same path.  A link into /usr stays a link (it
 * costs no mount, and its text names the time zone); any other is resolved.
 * What is missing, dangling or no file is left out: no control depends on it.
 */
int
view_show(struct policy_view *v, const char *path, struct diag *d)
{
	char *target = realpath(path, NULL);
	struct stat st;
	struct stat link;
	int rc = 0;

	if (target == NULL || lstat(path, &link) == -1 ||
	    stat(target, &st) == -1) {
		if (!is_absent(path, errno))
			rc = diag_set(d, DIAG_POLICY, "%s: %s", path,
			    strerror(errno));
		goto out;
	}
	if (S_ISLNK(link.st_mode) && plan_path_is_in(target, "/usr"))
		rc = view_add_link(v, path, target, d);
	else if (is_showable(target, &st))
		rc = view_add_bind(v, path, target, &st, 0, d);
out:
	free(target);
	return (rc);
}
