/*
 * finish_binds.c - resolves bind sources and judges where they go; looks into
 * them later, as the account that the jobs run as.
 *
 * The path inside defaults to the path as it was given, made absolute: a
 * person who binds /data expects /data, also where that is a link.  The source
 * is resolved to the end, so that what is bound is what was looked at.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy_int.h"

/* Where no bind may go, with what is there. */
static const struct {
	const char *path;
	bool is_tree; /* nor beneath it */
	const char *why;
} taken[] = {
    {"/proc", true, "the job has a procfs of its own there"},
    {"/dev", true, "the job has devices of its own there"},
    {"/sys", true, "no job sees the kernel's objects"},
    {"/run", true, "the job's program is there"},
    {PLAN_WORKDIR, false,
	"the job's scratch is there; a path beneath it is "
	"possible"},
    {"/tmp", false,
	"the job's scratch is there; a path beneath it is "
	"possible"},
};

static bool
is_in_tree(const char *path, const char *tree)
{
	return (plan_path_is_in(path, tree));
}

/* Appends the names of path to out ("" is the root); -1 where it has "..". */
static int
append_clean(char *out, size_t size, const char *path)
{
	size_t used = strlen(out);
	size_t len;

	for (; *path != '\0'; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len == 0 || (len == 1 && path[0] == '.'))
			continue;
		if (len == 2 && path[0] == '.' && path[1] == '.')
			return (-1);
		if (used + len + 2 > size)
			return (-1);
		out[used++] = '/';
		memcpy(out + used, path, len);
		used += len;
		out[used] = '\0';
	}
	return (0);
}

/*
 * The path as given, made absolute without looking at links; NULL where only
 * the resolved one is right (it goes through "..").
 */
static char *
absolute_path(const char *path)
{
	char out[PLAN_PATH_MAX] = "";
	char *cwd;
	int rc = 0;

	if (path[0] != '/') {
		if ((cwd = getcwd(NULL, 0)) == NULL)
			return (NULL);
		rc = append_clean(out, sizeof(out), cwd);
		free(cwd);
	}
	if (rc == -1 || append_clean(out, sizeof(out), path) == -1 ||
	    out[0] == '\0')
		return (NULL);
	return (strdup(out));
}

static int
check_source(const struct policy_bind *b, const char *given, struct diag *d)
{
	const char *tree = plan_private_tree(b->source);
	struct stat st;

	if (tree != NULL)
		return (origin_fail(d, &b->origin,
		    "%s is below %s: no job is shown the host's", given, tree));
	if (strcmp(b->source, "/") == 0)
		return (origin_fail(d, &b->origin,
		    "%s is the host's root: name the directories that the job "
		    "needs",
		    given));
	if (stat(b->source, &st) == -1)
		return (origin_fail(d, &b->origin, "%s: %s", given,
		    strerror(errno)));
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return (origin_fail(d, &b->origin,
		    "%s is neither a directory nor a file", given));
	return (0);
}

static int
check_path(const struct policy_bind *b, struct diag *d)
{
	size_t i;

	if (!plan_path_is_clean(b->path))
		return (origin_fail(d, &b->origin,
		    "%s is not a path of the job: it is absolute, without "
		    "\".\", \"..\", \"//\" or a slash at its end, below %u "
		    "bytes",
		    b->path, PLAN_PATH_MAX));
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (taken[i].is_tree ? is_in_tree(b->path, taken[i].path) :
				       strcmp(b->path, taken[i].path) == 0)
			return (origin_fail(d, &b->origin,
			    "nothing can be bound at %s: %s", b->path,
			    taken[i].why));
	}
	return (0);
}

bool
path_has_control(const char *path)
{
	for (; *path != '\0'; path++)
		if ((unsigned char)*path < ' ' || *path == 0x7f)
			return (true);
	return (false);
}

static int
finish_bind(struct policy_bind *b, struct diag *d)
{
	char *given = b->source;
	int rc = -1;

	b->source = realpath(given, NULL);
	if (b->source == NULL) {
		(void)origin_fail(d, &b->origin, "%s: %s", given,
		    strerror(errno));
		goto out;
	}
	if (b->path == NULL && (b->path = absolute_path(given)) == NULL)
		b->path = strdup(b->source);
	if (b->path == NULL) {
		(void)diag_set(d, DIAG_INTERNAL, "out of memory");
		goto out;
	}
	if (path_has_control(b->source) || path_has_control(b->path))
		(void)origin_fail(d, &b->origin,
		    "a path with a control character cannot be bound");
	else if (check_source(b, given, d) == 0)
		rc = check_path(b, d);
out:
	free(given);
	return (rc);
}

int
finish_binds(struct policy *p, struct diag *d)
{
	unsigned int i;

	for (i = 0; i < p->bind_count; i++) {
		if (finish_bind(&p->binds[i], d) == -1)
			return (-1);
	}
	return (0);
}

int
policy_look_into_binds(const struct policy *p, struct diag *d)
{
	const struct policy_bind *b;

	for (unsigned int i = 0; i < p->bind_count; i++) {
		b = &p->binds[i];
		if (faccessat(AT_FDCWD, b->source, R_OK, AT_EACCESS) == -1)
			return (origin_fail(d, &b->origin,
			    "%s: no job of this account could read it: %s",
			    b->source, strerror(errno)));
		if (finish_sockets(b, BIND_ENTRIES_MAX, d) == -1)
			return (-1);
	}
	return (0);
}
