/*
 * guard.c - a job that can write its ledger forges its own row, and one that
 * can read it learns of every other tenant's; one that can write a policy file
 * or the programs chooses how the next job is confined.  Compares by device
 * and inode all the way up, so that neither a link nor a second mount of the
 * same directory hides it.  Makes nothing.  Called by session.c while the
 * caller's paths can still be looked at.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"

#define DEPTH_MAX 64

struct node {
	uint64_t dev;
	uint64_t ino;
};

/* A directory and everything above it, itself first. */
struct lineage {
	struct node nodes[DEPTH_MAX];
	unsigned int count;
};

/* path is resolved and absolute; it is taken apart. */
static int
climb(char *path, struct lineage *l)
{
	struct stat st;
	char *slash;

	for (l->count = 0; l->count < DEPTH_MAX;) {
		if (stat(path[0] != '\0' ? path : "/", &st) == -1)
			return (-1);
		l->nodes[l->count++] = (struct node){st.st_dev, st.st_ino};
		if (path[0] == '\0' || (slash = strrchr(path, '/')) == NULL)
			return (0);
		*slash = '\0';
	}
	errno = ENAMETOOLONG;
	return (-1);
}

static bool
has_node(const struct lineage *l, uint64_t dev, uint64_t ino)
{
	for (unsigned int i = 0; i < l->count; i++)
		if (l->nodes[i].dev == dev && l->nodes[i].ino == ino)
			return (true);
	return (false);
}

/* path, or what exists of it, resolved; malloced.  Takes path apart. */
static char *
resolve(char *path, bool *is_there)
{
	char *real, *slash;

	*is_there = true;
	while ((real = realpath(path[0] != '\0' ? path : "/", NULL)) == NULL) {
		if (errno != ENOENT || (slash = strrchr(path, '/')) == NULL)
			return (NULL);
		*is_there = false;
		*slash = '\0';
	}
	if (strcmp(real, "/") == 0)
		real[0] = '\0';
	return (real);
}

/* The lineage of dir, or of what exists of its path. */
static int
find_lineage(const char *dir, struct lineage *l, bool *is_there)
{
	char *path = strdup(dir);
	char *real = path != NULL ? resolve(path, is_there) : NULL;
	int rc = real != NULL ? climb(real, l) : -1;
	int err = errno;

	free(real);
	free(path);
	errno = err;
	return (rc);
}

/* What a bind must not reach, and why. */
struct guarded {
	const char *dir;
	const char *what;
	const char *why;
};

static const char *
bind_flag(const struct policy_bind *b)
{
	return (b->is_writable ? "--bind" : "--bind-ro");
}

static int
refuse(const struct policy_bind *b, const struct guarded *g, const char *how,
    struct diag *d)
{
	if (b->origin.file != NULL)
		return (diag_at(d, DIAG_POLICY, b->origin.file, b->origin.line,
		    "%s %s %s %s: %s", b->source, how, g->what, g->dir,
		    g->why));
	return (diag_set(d, DIAG_USAGE, "%s: %s %s %s %s: %s", bind_flag(b),
	    b->source, how, g->what, g->dir, g->why));
}

static int
judge_bind(const struct policy_bind *b, const struct lineage *place,
    bool is_there, const struct guarded *g, struct diag *d)
{
	struct lineage source;
	bool is_source_there;

	if (find_lineage(b->source, &source, &is_source_there) == -1)
		return (diag_set(d, DIAG_USAGE, "%s: %s: %s", bind_flag(b),
		    b->source, strerror(errno)));
	if (has_node(place, source.nodes[0].dev, source.nodes[0].ino))
		return (refuse(b, g, "is or holds", d));
	if (is_there &&
	    has_node(&source, place->nodes[0].dev, place->nodes[0].ino))
		return (refuse(b, g, "lies in", d));
	return (0);
}

static int
guard_from_writing(const struct policy *p, const struct guarded *g,
    struct diag *d)
{
	struct lineage place;
	bool is_there;

	if (find_lineage(g->dir, &place, &is_there) == -1)
		return (diag_set(d, DIAG_INTERNAL, "%s %s: %s", g->what, g->dir,
		    strerror(errno)));
	for (unsigned int i = 0; i < p->bind_count; i++)
		if (p->binds[i].is_writable &&
		    judge_bind(&p->binds[i], &place, is_there, g, d) == -1)
			return (-1);
	return (0);
}

bool
guard_has_work(const struct policy *p)
{
	for (unsigned int i = 0; i < p->bind_count; i++)
		if (p->binds[i].is_writable)
			return (true);
	return (false);
}

int
guard_next(const struct policy *p, const char *const dirs[GUARD__MAX],
    struct diag *d)
{
	static const char *const whats[GUARD__MAX] = {
	    [GUARD_POLICY] = "the directory of the policy file",
	    [GUARD_OWN_POLICY] = "the directory of your policy file",
	    [GUARD_PROGRAMS] = "the directory of agsbx itself",
	    [GUARD_LIBEXEC] = "the directory of agsbx-launcher",
	};

	for (unsigned int i = 0; i < GUARD__MAX; i++) {
		const struct guarded g = {dirs[i], whats[i],
		    "no job may write what confines the next one"};

		if (dirs[i] != NULL && guard_from_writing(p, &g, d) == -1)
			return (-1);
	}
	return (0);
}

int
guard_ledger(const struct policy *p, const struct plan *plan,
    const char *state_dir, struct diag *d)
{
	const struct guarded g = {state_dir, "the ledger's directory",
	    "no job is shown its own ledger"};
	struct lineage state;
	bool is_there;

	if (find_lineage(state_dir, &state, &is_there) == -1)
		return (diag_at(d, DIAG_LEDGER, state_dir, 0,
		    "%s; use another --state-dir", strerror(errno)));
	for (unsigned int i = 0; i < p->bind_count; i++)
		if (judge_bind(&p->binds[i], &state, is_there, &g, d) == -1)
			return (-1);
	/* What every job is shown: /usr and its like. */
	for (uint32_t i = 0; i < plan->entry_count; i++) {
		const struct plan_entry *e = &plan->entries[i];

		if (e->kind == ENTRY_BIND && has_node(&state, e->dev, e->ino))
			return (diag_at(d, DIAG_LEDGER, state_dir, 0,
			    "every job is shown %s; use another --state-dir",
			    e->source));
	}
	return (0);
}
