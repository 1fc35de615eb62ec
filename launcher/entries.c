/*
 * entries.c - directories, links, files, the program, binds and devices.
 *
 * What the plan names of the host must still be the very inode that the policy
 * saw, and no link may lead to it.  In the new root, names are made one by one
 * through descriptors: no link is followed and no mount is entered, so nothing
 * is ever created outside of it.  Called by init.
 */
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/sysmacros.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "io.h"
#include "mounts.h"
#include "sys.h"

/* Mounts of the launcher's own, and the row that makes what lies in them. */
static const struct place {
	const char *path;
	enum control row;
} places[] = {
    {"/dev", CTL_DEV}, {PLAN_WORKDIR, CTL_SCRATCH}, {"/tmp", CTL_SCRATCH},
    {"", CTL_MNTNS}, /* the root */
};

static int sources[PLAN_ENTRIES_MAX]; /* the binds' clones, until attached */

bool
is_below(const char *path, const char *place)
{
	size_t len = strlen(place);

	return (strncmp(path, place, len) == 0 && path[len] == '/');
}

bool
is_node(const struct plan_entry *e, const struct stat *st)
{
	return (S_ISCHR(st->st_mode) &&
	    st->st_rdev == makedev(1, (unsigned int)e->ino));
}

/* No link anywhere in path; and unless it is the host's, all below dir. */
static int
open_strictly(int dir, const char *path, unsigned int flags, mode_t mode)
{
	struct open_how how = {.flags = flags | O_CLOEXEC,
	    .mode = mode,
	    .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	if (dir != AT_FDCWD)
		how.resolve |= RESOLVE_BENEATH | RESOLVE_NO_XDEV;
	return (sys_openat2(dir, path, &how));
}

/* 0, or why what a source leads to cannot be bound. */
static int
source_fault(const struct plan_entry *e, const struct stat *st)
{
	if (e->kind == ENTRY_NODE)
		return (is_node(e, st) ? 0 : ENODEV);
	if (st->st_dev != e->dev || st->st_ino != e->ino)
		return (ESTALE);
	/* Sockets answer through a read-only bind, pipes and devices too. */
	return (S_ISDIR(st->st_mode) || S_ISREG(st->st_mode) ? 0 : ENOTSUP);
}

/* A private copy of the tree at e's source; each mount has e's attributes. */
static int
clone_source(const struct plan_entry *e)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID,
	    .propagation = MS_PRIVATE};
	int fd = open_strictly(AT_FDCWD, e->source, O_PATH, 0);
	struct stat st;
	int mount = -1;

	attr.attr_set |=
	    e->kind == ENTRY_NODE ? MOUNT_ATTR_NOEXEC : MOUNT_ATTR_NODEV;
	if (e->kind == ENTRY_BIND && (e->flags & ENTRY_WRITABLE) == 0)
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	if (fd != -1 && fstat(fd, &st) == 0 &&
	    (errno = source_fault(e, &st)) == 0)
		mount = open_tree(fd, "",
		    AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE |
			OPEN_TREE_CLOEXEC);
	if (mount != -1 &&
	    mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
		sizeof(attr)) == -1)
		io_close(&mount);
	io_close(&fd);
	return (mount);
}

int
entries_open_sources(struct launch *l)
{
	const struct plan_entry *e = l->plan->entries;

	for (uint32_t i = 0; i < l->plan->entry_count; i++)
		if (e[i].kind == ENTRY_BIND &&
		    (sources[i] = clone_source(&e[i])) == -1)
			return (fault_at(l,
			    errno == ESTALE ? STEP_BIND_CHANGED :
					      STEP_BIND_SOURCE,
			    errno, FAULT_USAGE));
	return (0);
}

/* Opens path's directory below place, made as needed; *name is the rest. */
static int
open_parent(int root, const char *place, const char *path, const char **name)
{
	char part[NAME_MAX + 1];
	int dir, next;
	size_t len;

	dir = openat(root, *place == '\0' ? "." : place + 1,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (path += strlen(place) + 1; dir != -1; path += len + 1) {
		if (path[len = strcspn(path, "/")] == '\0')
			break;
		next = -1;
		errno = ENAMETOOLONG;
		if (len < sizeof(part)) {
			*(char *)mempcpy(part, path, len) = '\0';
			if (mkdirat(dir, part, 0755) == 0 || errno == EEXIST)
				next = open_strictly(dir, part,
				    O_PATH | O_DIRECTORY, 0);
		}
		io_close(&dir);
		dir = next;
	}
	*name = path;
	return (dir);
}

/*
 * Copies len bytes, which must be all.  By offset: the descriptor's own is
 * shared with whoever sent it, and a pipe, which could keep init waiting,
 * fails with ESPIPE.
 */
static int
copy_exactly(int to, int from, size_t len)
{
	off_t done = 0;
	ssize_t n;

	do /* asks for one byte more than there must be */
		n = sendfile(to, from, &done, len + 1 - (size_t)done);
	while (n > 0);
	if (n == 0 && (size_t)done != len) {
		errno = EBADMSG;
		n = -1;
	}
	return ((int)n);
}

/* Mounts at name, which it makes; the mount is closed. */
static int
attach(int mount, int dir, const char *name)
{
	struct stat st;
	int rc = -1;

	if (mount != -1 && fstat(mount, &st) == 0)
		rc = S_ISDIR(st.st_mode) ?
		    mkdirat(dir, name, 0755) :
		    mknodat(dir, name, S_IFREG | 0644, 0);
	if (rc == 0)
		rc = mounts_attach(mount, dir, name);
	io_close(&mount);
	return (rc);
}

static int
make_entry(struct launch *l, const struct plan_entry *e, int dir,
    const char *name)
{
	int fd, rc;

	switch (e->kind) {
	case ENTRY_DIR:
		/* /proc alone can be there: a plan without procfs names it. */
		if (mkdirat(dir, name, e->mode) == -1 && errno != EEXIST)
			return (-1);
		return (fchmodat(dir, name, e->mode, 0));
	case ENTRY_LINK:
		return (symlinkat(e->source, dir, name));
	case ENTRY_BIND:
		return (attach(sources[e - l->plan->entries], dir, name));
	case ENTRY_NODE:
		return (attach(clone_source(e), dir, name));
	default:
		break;
	}
	fd = open_strictly(dir, name, O_WRONLY | O_CREAT | O_EXCL, e->mode);
	if (fd == -1)
		return (-1);
	rc = e->kind == ENTRY_FILE ?
	    io_write_all(fd, e->content, e->content_len) :
	    copy_exactly(fd, l->fds[PLAN_PROGRAM], l->plan->program_bytes);
	io_close(&fd);
	return (rc);
}

int
entries_make(struct launch *l, const struct plan_entry *entries, size_t count)
{
	static const struct {
		enum step step;
		enum fault_class class;
	} faults[] = {
	    [ENTRY_DIR] = {STEP_MAKE_ENTRY, FAULT_OURS},
	    [ENTRY_LINK] = {STEP_MAKE_ENTRY, FAULT_OURS},
	    [ENTRY_FILE] = {STEP_MAKE_ENTRY, FAULT_OURS},
	    [ENTRY_BIND] = {STEP_BIND_MOUNT, FAULT_USAGE},
	    [ENTRY_PROGRAM] = {STEP_COPY_PROGRAM, FAULT_OURS},
	    [ENTRY_NODE] = {STEP_DEV_NODE, FAULT_HOST},
	};
	const struct plan_entry *e;
	const struct place *place;
	const char *name;
	int dir, rc;

	for (e = entries; e < entries + count; e++) {
		for (place = places; !is_below(e->path, place->path);)
			place++;
		if (place->row != l->current)
			continue;
		dir = open_parent(l->root_fd, place->path, e->path, &name);
		rc = dir == -1 ? -1 : make_entry(l, e, dir, name);
		io_close(&dir);
		if (rc == -1)
			return (fault_at(l, faults[e->kind].step, errno,
			    faults[e->kind].class));
	}
	return (0);
}
