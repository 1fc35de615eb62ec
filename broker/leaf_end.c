/*
 * The end of a leaf: what is in it is killed, it is waited for until it is
 * empty, and it is removed; nothing else is ever killed or removed.  A confined
 * broker has descriptors for all of it but the leaf's name beneath its parent.
 * Called by run.c and doctor.c; leaf_reap() by recover.c.
 */
#include <sys/stat.h>
#include <sys/statfs.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"
#include "times.h"

#define WAIT_MS 5000
#define BUSY_MS 1000 /* what is empty can be removed long before */

/* cgroup.events is polled: the kernel wakes at each change of it. */
static int
wait_until_empty(int events_fd, int64_t until)
{
	for (;;) {
		struct pollfd p = {.fd = events_fd, .events = POLLPRI};
		int64_t populated = leaf_number(events_fd, "populated");
		int64_t left = until - monotonic_ms();

		if (populated == 0)
			return (0);
		if (populated == JOB_UNKNOWN || left <= 0) {
			errno = populated == JOB_UNKNOWN ? EIO : ETIMEDOUT;
			return (-1);
		}
		if (poll(&p, 1, (int)left) == -1 && errno != EINTR)
			return (-1);
	}
}

/* The kernel may still hold what has just become empty. */
static int
remove_dir(int parent_fd, const char *name, int64_t until)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	for (;;) {
		if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 ||
		    errno == ENOENT)
			return (0);
		if (errno != EBUSY || monotonic_ms() >= until)
			return (-1);
		/* Woken early is only tried early. */
		(void)nanosleep(&pause, NULL);
	}
}

static int
try_to_remove(int kill_fd, int events_fd, int parent_fd, const char *name,
    int64_t until)
{
	int64_t busy = monotonic_ms() + BUSY_MS;

	/* Without it nothing was ever put in. */
	if (kill_fd != -1 &&
	    (io_write_all(kill_fd, "1", 1) == -1 ||
		wait_until_empty(events_fd, until) == -1))
		return (-1);
	return (remove_dir(parent_fd, name, busy < until ? busy : until));
}

/* What fails is tried once more: for a leaf that is left the row stays open,
 * and somebody has to come back.  ENODEV: it is gone already. */
static int
kill_and_remove(int kill_fd, int events_fd, int parent_fd, const char *name,
    int64_t wait_ms)
{
	int64_t until = monotonic_ms() + wait_ms;

	for (unsigned int i = 0; i < 2; i++) {
		if (try_to_remove(kill_fd, events_fd, parent_fd, name, until) ==
			0 ||
		    errno == ENODEV)
			return (0);
		if (errno == ETIMEDOUT || errno == EBUSY)
			break;
	}
	return (-1);
}

/* No controllers for those beneath any more: then processes may be in it. */
static int
go_back(int subtree_fd, int procs_fd, int parent_fd, unsigned int enabled)
{
	static const char *const off[] = {"-memory", "-pids", "-cpu"};

	for (unsigned int i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		if ((enabled & (1U << i)) != 0 &&
		    io_write_all(subtree_fd, off[i], strlen(off[i])) == -1)
			return (-1);
	if (io_write_all(procs_fd, "0", 1) == -1)
		return (-1);
	return (remove_dir(parent_fd, LEAF_BROKER, monotonic_ms() + BUSY_MS));
}

int
leaf_end(struct leaf *l, struct diag *d)
{
	int rc = 0;

	if (l->name[0] == '\0')
		return (0);
	if (kill_and_remove(l->kill_fd, l->events_fd, l->parent_fd, l->name,
		WAIT_MS) == -1)
		rc = leaf_fail(d, "remove", l->name);
	else if (l->subtree_fd != -1 &&
	    go_back(l->subtree_fd, l->procs_fd, l->parent_fd, l->enabled) ==
		-1 &&
	    go_back(l->subtree_fd, l->procs_fd, l->parent_fd, l->enabled) == -1)
		rc = leaf_fail(d, "leave after", l->name);
	leaf_close(l);
	return (rc);
}

void
leaf_place_leave(struct leaf_place *place)
{
	struct leaf l;

	if (!place->is_broker_moved)
		return;
	leaf_init(&l);
	l.parent_fd = open(place->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l.parent_fd != -1 && leaf_open_way_back(&l, place) == 0)
		/* Where this fails, an empty cgroup is what is left. */
		(void)go_back(l.subtree_fd, l.procs_fd, l.parent_fd, l.enabled);
	leaf_close(&l);
	place->is_broker_moved = false;
	place->parent[0] = '\0';
	place->controllers = 0;
}

/* A cgroup of ours in a cgroup v2 tree, and no other directory. */
static int
judge_left(int dir_fd, const char *path, struct diag *d)
{
	struct statfs fs;
	struct stat st;

	if (fstat(dir_fd, &st) == -1 || fstatfs(dir_fd, &fs) == -1)
		return (leaf_fail(d, "look at", path));
	if ((unsigned long)fs.f_type != leaf_this_host.magic ||
	    st.st_uid != geteuid())
		return (diag_set(d, DIAG_LEDGER,
		    "%s on a row is no cgroup v2 leaf of ours; nothing was "
		    "touched",
		    path));
	return (0);
}

static int
reap(struct leaf *l, const char *path, const char *name, int64_t wait_ms,
    struct diag *d)
{
	l->dir_fd = openat(l->parent_fd, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l->dir_fd == -1 && errno == ENOENT)
		return (0);
	if (l->dir_fd == -1)
		return (leaf_fail(d, "open", path));
	if (judge_left(l->dir_fd, path, d) == -1)
		return (-1);
	l->kill_fd = openat(l->dir_fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	l->events_fd = openat(l->dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	/* Another recover may have been faster at any of these. */
	if ((l->kill_fd != -1 && l->events_fd != -1 &&
		kill_and_remove(l->kill_fd, l->events_fd, l->parent_fd, name,
		    wait_ms) == 0) ||
	    errno == ENOENT)
		return (0);
	return (leaf_fail(d, "remove", path));
}

/* Where that broker stood, if it had to move: one that has a process is kept,
 * and the controllers too, which may be those of another's leaf by now. */
static void
remove_broker_cgroup(int parent_fd)
{
	struct statfs fs;

	if (fstatfs(parent_fd, &fs) == 0 &&
	    (unsigned long)fs.f_type == leaf_this_host.magic)
		/* There is none, or it is somebody's. */
		(void)unlinkat(parent_fd, LEAF_BROKER, AT_REMOVEDIR);
}

int
leaf_reap(const char *path, int64_t wait_ms, struct diag *d)
{
	const char *slash = strrchr(path, '/');
	char parent[LEAF_PATH_MAX];
	struct leaf l;
	int rc;

	if (path[0] != '/' || slash == path || !leaf_name_is_ours(slash + 1) ||
	    snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path),
		path) >= (int)sizeof(parent))
		return (diag_set(d, DIAG_LEDGER,
		    "\"%s\" on a row is no path of a cgroup leaf", path));
	leaf_init(&l);
	l.parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l.parent_fd == -1)
		rc = errno == ENOENT ? 0 : leaf_fail(d, "find", path);
	else
		rc = reap(&l, path, slash + 1, wait_ms, d);
	if (rc == 0 && l.parent_fd != -1)
		remove_broker_cgroup(l.parent_fd);
	leaf_close(&l);
	return (rc);
}
