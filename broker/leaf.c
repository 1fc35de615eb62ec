/*
 * A job's leaf: made, with everything opened that is needed once the broker is
 * confined, and its counters.  The limits are the launcher's, its end
 * leaf_end.c's.  Called by session.c, launch.c and run.c.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"
#include "ulid.h"

static const struct {
	const char *file;
	const char *key; /* NULL: the file is one number */
} counters[LEAF_COUNTER__MAX] = {
    [LEAF_MEMORY_PEAK] = {"memory.peak", NULL},
    [LEAF_OOM_KILLS] = {"memory.events", "oom_kill"},
    [LEAF_PROCESSES_PEAK] = {"pids.peak", NULL},
    [LEAF_PROCESSES_REFUSED] = {"pids.events", "max"},
    [LEAF_CPU_US] = {"cpu.stat", "usage_usec"},
};

int
leaf_fail(struct diag *d, const char *what, const char *name)
{
	return (diag_set(d, DIAG_INTERNAL, "cannot %s cgroup leaf %s: %s", what,
	    name, strerror(errno)));
}

void
leaf_init(struct leaf *l)
{
	*l = (struct leaf){.parent_fd = -1,
	    .dir_fd = -1,
	    .kill_fd = -1,
	    .events_fd = -1,
	    .subtree_fd = -1,
	    .procs_fd = -1};
	for (size_t i = 0; i < LEAF_COUNTER__MAX; i++) {
		l->counter_fds[i] = -1;
		l->base.values[i] = 0;
	}
}

static void
close_files(struct leaf *l)
{
	int *const fds[] = {&l->dir_fd, &l->kill_fd, &l->events_fd,
	    &l->subtree_fd, &l->procs_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		io_close(fds[i]);
	for (size_t i = 0; i < LEAF_COUNTER__MAX; i++)
		io_close(&l->counter_fds[i]);
}

void
leaf_close(struct leaf *l)
{
	close_files(l);
	io_close(&l->parent_fd);
	l->name[0] = '\0';
}

char *
leaf_path(const struct leaf_place *place, const char *id)
{
	char *path = NULL;

	if (asprintf(&path, "%s/" LEAF_PREFIX "%s", place->parent, id) == -1)
		return (NULL);
	return (path);
}

bool
leaf_name_is_ours(const char *name)
{
	const char *id = name + sizeof(LEAF_PREFIX) - 1;
	int64_t ms;

	return (strncmp(name, LEAF_PREFIX, sizeof(LEAF_PREFIX) - 1) == 0 &&
	    strlen(id) == JOB_ID_SIZE - 1 && ulid_time(id, &ms));
}

/* A counter that the leaf lacks is unknown; all else must be there. */
static int
open_files(struct leaf *l)
{
	l->kill_fd = openat(l->dir_fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	l->events_fd = openat(l->dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	if (l->kill_fd == -1 || l->events_fd == -1)
		return (-1);
	for (size_t i = 0; i < LEAF_COUNTER__MAX; i++) {
		l->counter_fds[i] =
		    openat(l->dir_fd, counters[i].file, O_RDONLY | O_CLOEXEC);
		if (l->counter_fds[i] == -1 && errno != ENOENT)
			return (-1);
	}
	return (0);
}

int
leaf_open_way_back(struct leaf *l, const struct leaf_place *place)
{
	if (!place->is_broker_moved)
		return (0);
	l->enabled = place->controllers;
	l->subtree_fd = openat(l->parent_fd, "cgroup.subtree_control",
	    O_WRONLY | O_CLOEXEC);
	l->procs_fd =
	    openat(l->parent_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	return (l->subtree_fd == -1 || l->procs_fd == -1 ? -1 : 0);
}

int
leaf_make(struct leaf *l, struct leaf_place *place, const char *id,
    struct diag *d)
{
	bool is_made = false;

	(void)snprintf(l->name, sizeof(l->name), LEAF_PREFIX "%s",
	    id); /* ids have the size for it */
	l->parent_fd = open(place->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->parent_fd != -1 && leaf_open_way_back(l, place) == 0)
		is_made = mkdirat(l->parent_fd, l->name, 0700) == 0;
	if (is_made)
		l->dir_fd = openat(l->parent_fd, l->name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l->dir_fd != -1 && open_files(l) == 0) {
		place->is_broker_moved = false;
		return (0);
	}
	(void)leaf_fail(d, "make", l->name);
	if (!is_made || unlinkat(l->parent_fd, l->name, AT_REMOVEDIR) == 0)
		leaf_close(l);
	else /* it has a name still: leaf_end() tries again */
		close_files(l);
	return (-1);
}

int64_t
leaf_number(int fd, const char *key)
{
	char text[2048];
	ssize_t len = fd == -1 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	size_t key_len = key != NULL ? strlen(key) : 0;
	const char *at = text;
	uint64_t value;

	if (len <= 0)
		return (JOB_UNKNOWN);
	text[len] = '\0';
	while (key != NULL &&
	    (strncmp(at, key, key_len) != 0 || at[key_len] != ' ')) {
		at = strchr(at, '\n');
		if (at == NULL)
			return (JOB_UNKNOWN);
		at++;
	}
	at += key_len + (key != NULL ? 1 : 0);
	if (io_parse_u64(at, 10, &value) == -1 || value > INT64_MAX)
		return (JOB_UNKNOWN);
	return ((int64_t)value);
}

void
leaf_mark(struct leaf *l)
{
	static const enum leaf_counter grows[] = {LEAF_OOM_KILLS,
	    LEAF_PROCESSES_REFUSED, LEAF_CPU_US};

	for (size_t i = 0; i < sizeof(grows) / sizeof(grows[0]); i++)
		l->base.values[grows[i]] = leaf_number(l->counter_fds[grows[i]],
		    counters[grows[i]].key);
}

void
leaf_read(const struct leaf *l, struct leaf_counters *out)
{
	for (size_t i = 0; i < LEAF_COUNTER__MAX; i++) {
		int64_t base = l->base.values[i];
		int64_t now = leaf_number(l->counter_fds[i], counters[i].key);

		out->values[i] =
		    now == JOB_UNKNOWN || base == JOB_UNKNOWN || now < base ?
		    JOB_UNKNOWN :
		    now - base;
	}
}
