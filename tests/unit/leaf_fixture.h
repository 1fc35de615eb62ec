/*
 * leaf_fixture.h - a tree of this test's own that looks like cgroup v2: plain
 * directories and files, so what is written to a file of it has no effect.
 */
#ifndef TESTS_LEAF_FIXTURE_H
#define TESTS_LEAF_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/statfs.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "leaf.h"

#define ALL "memory pids cpu\n"

struct tree {
	char top[64];
	char mount[80];
	char proc_cgroup[80];
	char proc_cgroups[80];
	struct leaf_host host;
};

static inline void
put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* A file of the cgroup at path, "" the root. */
static inline void
put_in(struct tree *t, const char *path, const char *file, const char *text)
{
	char name[512];

	(void)snprintf(name, sizeof(name), "%s%s/%s", t->mount, path, file);
	put(name, text);
}

/* A cgroup; the root of a hierarchy has no type. */
static inline void
cgroup(struct tree *t, const char *path, const char *has, const char *passes)
{
	char name[512];

	(void)snprintf(name, sizeof(name), "%s%s", t->mount, path);
	assert_int_equal(mkdir(name, 0755), 0);
	put_in(t, path, "cgroup.controllers", has);
	put_in(t, path, "cgroup.subtree_control", passes);
	put_in(t, path, "cgroup.procs", "");
	if (path[0] != '\0')
		put_in(t, path, "cgroup.type", "domain\n");
}

/* Where the broker stands, alone or with another process. */
static inline void
stand(struct tree *t, const char *path, bool is_alone)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "1:cpu:/x\n0::%s\n",
	    path[0] != '\0' ? path : "/");
	put(t->proc_cgroup, text);
	(void)snprintf(text, sizeof(text), "%d\n%s", getpid(),
	    is_alone ? "" : "1\n");
	put_in(t, path, "cgroup.procs", text);
}

static inline int
tree_setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));
	struct statfs fs;

	*state = t;
	if (t == NULL)
		return (-1);
	(void)snprintf(t->top, sizeof(t->top), "/tmp/agsbx-test-XXXXXX");
	if (mkdtemp(t->top) == NULL || statfs(t->top, &fs) == -1)
		return (-1);
	(void)snprintf(t->mount, sizeof(t->mount), "%s/cgroup", t->top);
	(void)snprintf(t->proc_cgroup, sizeof(t->proc_cgroup), "%s/self",
	    t->top);
	(void)snprintf(t->proc_cgroups, sizeof(t->proc_cgroups), "%s/all",
	    t->top);
	put(t->proc_cgroups, "#subsys_name\nmemory\t0\t4\t1\n");
	t->host = (struct leaf_host){.proc_cgroup = t->proc_cgroup,
	    .proc_cgroups = t->proc_cgroups,
	    .mount = t->mount,
	    .magic = (unsigned long)fs.f_type};
	cgroup(t, "", ALL, ALL);
	put_in(t, "", "cgroup.procs", "1\n");
	return (0);
}

static inline int
tree_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return (remove(path));
}

static inline int
tree_teardown(void **state)
{
	struct tree *t = *state;
	int rc = nftw(t->top, tree_unlink, 8, FTW_DEPTH | FTW_PHYS);

	free(t);
	return (rc);
}

#endif
