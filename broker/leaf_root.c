/*
 * The subtree that agsbx makes when root starts it: mount/agsbx with the
 * leaves, and beside them one cgroup for the brokers.  Root's own processes
 * stay where they are.  Changes only what is in mount/agsbx, and enables
 * controllers at the root of the hierarchy, which takes none from anybody.
 * Called by session.c before root is dropped.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"

#define SUBTREE "agsbx"
#define BROKERS "broker"

/* What a delegated cgroup's owner may write (cgroups(7)). */
static const char *const given[] = {".", "cgroup.procs", "cgroup.threads",
    "cgroup.subtree_control"};

static int
fail(struct diag *d, const char *what, const char *path)
{
	return (diag_set(d, DIAG_INTERNAL, "cannot %s %s: %s", what, path,
	    strerror(errno)));
}

static int
give(const char *dir, uid_t uid, gid_t gid, struct diag *d)
{
	char path[LEAF_PATH_MAX];

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (snprintf(path, sizeof(path), "%s/%s", dir, given[i]) >=
			(int)sizeof(path) ||
		    lchown(path, uid, gid) == -1)
			return (fail(d, "give away", path));
	}
	return (0);
}

static int
move(const char *dir, struct diag *d)
{
	char path[LEAF_PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/cgroup.procs", dir) >=
		(int)sizeof(path) ||
	    io_write_file(AT_FDCWD, path, "0") == -1)
		return (fail(d, "move to", dir));
	return (0);
}

int
leaf_root_make(const struct leaf_host *host, uid_t uid, gid_t gid,
    struct diag *d)
{
	char tree[LEAF_PATH_MAX], brokers[LEAF_PATH_MAX];
	int err;

	if (!leaf_mount_is_v2(host) || access(host->mount, W_OK) == -1 ||
	    (leaf_enable(host->mount, &err) & LEAF_MEMORY) == 0)
		return (0);
	if (snprintf(tree, sizeof(tree), "%s/" SUBTREE, host->mount) >=
		(int)sizeof(tree) ||
	    snprintf(brokers, sizeof(brokers), "%s/" BROKERS, tree) >=
		(int)sizeof(brokers))
		return (diag_set(d, DIAG_INTERNAL, "path too long: %s",
		    host->mount));
	if (mkdir(tree, 0755) == -1 && errno != EEXIST)
		return (fail(d, "make", tree));
	if ((leaf_enable(tree, &err) & LEAF_MEMORY) == 0)
		return (0);
	if (mkdir(brokers, 0755) == -1 && errno != EEXIST)
		return (fail(d, "make", brokers));
	if (give(tree, uid, gid, d) == -1 || give(brokers, uid, gid, d) == -1)
		return (-1);
	return (move(brokers, d));
}
