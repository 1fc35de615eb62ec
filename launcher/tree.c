/*
 * tree.c - the rows mntns and root, and all that the plan puts in the new root.
 *
 * A tmpfs is laid over the host's "/", filled, and becomes the only root.  What
 * is shown of the host must still be the very inode that the policy saw, and no
 * link may lead to it.  In the new root, names are made one by one through
 * descriptors: no link is followed and no mount is entered, so nothing is ever
 * created outside of it.  Applied by init, verified by the launcher.
 */
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/sysmacros.h>

#include <errno.h>
#include <fcntl.h>
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
	unsigned int attrs = MOUNT_ATTR_NOSUID;
	struct stat st;
	int fd, mount = -1;

	attrs |= e->kind == ENTRY_NODE ? MOUNT_ATTR_NOEXEC : MOUNT_ATTR_NODEV;
	if (e->kind == ENTRY_BIND && (e->flags & ENTRY_WRITABLE) == 0)
		attrs |= MOUNT_ATTR_RDONLY;
	fd = open_strictly(AT_FDCWD, e->source, O_PATH, 0);
	if (fd != -1 && fstat(fd, &st) == 0 &&
	    (errno = source_fault(e, &st)) == 0)
		mount = open_tree(fd, "",
		    AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE |
			OPEN_TREE_CLOEXEC);
	if (mount != -1 && mounts_set(mount, AT_RECURSIVE, attrs) == -1)
		io_close(&mount);
	io_close(&fd);
	return (mount);
}

/* Opens the directory of path, made as needed; *name is what is left. */
static int
open_parent(int root, const char *place, char *path, char **name)
{
	char *slash;
	int next, dir;

	dir = openat(root, *place == '\0' ? "." : place + 1,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (; dir != -1 && (slash = strchr(path, '/')) != NULL;
	     path = slash + 1) {
		*slash = '\0';
		next = -1;
		if (mkdirat(dir, path, 0755) == 0 || errno == EEXIST)
			next =
			    open_strictly(dir, path, O_PATH | O_DIRECTORY, 0);
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
	static const enum step steps[] = {[ENTRY_DIR] = STEP_MAKE_ENTRY,
	    [ENTRY_LINK] = STEP_MAKE_ENTRY,
	    [ENTRY_FILE] = STEP_MAKE_ENTRY,
	    [ENTRY_BIND] = STEP_BIND_MOUNT,
	    [ENTRY_PROGRAM] = STEP_COPY_PROGRAM,
	    [ENTRY_NODE] = STEP_DEV_NODE};
	const struct plan_entry *e;
	const struct place *place;
	char path[PLAN_PATH_MAX], *name = path;
	int dir, rc;

	for (e = entries; e < entries + count; e++) {
		for (place = places; !is_below(e->path, place->path);)
			place++;
		if (place->row != l->current)
			continue;
		errno = ENAMETOOLONG;
		rc = dir = -1;
		if (memccpy(path, e->path + strlen(place->path) + 1, '\0',
			sizeof(path)) != NULL)
			dir = open_parent(l->root_fd, place->path, path, &name);
		if (dir != -1)
			rc = make_entry(l, e, dir, name);
		io_close(&dir);
		if (rc == -1)
			return (fault_at(l, steps[e->kind], errno,
			    e->kind == ENTRY_BIND     ? FAULT_USAGE :
				e->kind == ENTRY_NODE ? FAULT_HOST :
							FAULT_OURS));
	}
	return (0);
}

/* Room for the plan's entries with all their parents, and some to spare. */
static int
make_root(const struct plan *p)
{
	uint64_t bytes = p->program_bytes + (1U << 20), inodes = 64;
	char size[IO_DECIMAL_MAX], count[IO_DECIMAL_MAX];

	for (uint32_t i = 0; i < p->entry_count; i++) {
		bytes += p->entries[i].content_len + 4096;
		for (const char *s = p->entries[i].path; *s != '\0'; s++)
			inodes += *s == '/';
	}
	return (mounts_make(AT_FDCWD, "/", "tmpfs",
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
	    OPTIONS("size", io_format_u64(size, bytes), "nr_inodes",
		io_format_u64(count, inodes), "mode", "0755")));
}

int
mntns_apply(struct launch *l)
{
	static const struct plan_entry base[] = {
	    {ENTRY_DIR, .mode = 0755, .path = "/dev"},
	    {ENTRY_DIR, .mode = 0755, .path = "/proc"},
	    {ENTRY_DIR, .mode = 0755, .path = "/tmp"},
	    {ENTRY_DIR, .mode = 0755, .path = PLAN_WORKDIR},
	    {ENTRY_FILE, .mode = 0644, .path = LANDLOCK_CANARY},
	};
	const struct plan_entry *e = l->plan->entries;

	/* First of all: a slave still receives what the host mounts later. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return (host_fault(l, STEP_MOUNT_PRIVATE));
	(void)umask(0); /* modes are the plan's; session sets the job's */
	for (uint32_t i = 0; i < l->plan->entry_count; i++)
		if (e[i].kind == ENTRY_BIND &&
		    (sources[i] = clone_source(&e[i])) == -1)
			return (fault_at(l,
			    errno == ESTALE ? STEP_BIND_CHANGED :
					      STEP_BIND_SOURCE,
			    errno, FAULT_USAGE));
	if ((l->root_fd = make_root(l->plan)) == -1 || fchdir(l->root_fd) == -1)
		return (host_fault(l, STEP_MOUNT_ROOT));
	/* -1 where the kernel refuses: the rows that need it will say so. */
	l->proc_fd = mounts_make(-1, NULL, "proc",
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
	    OPTIONS(NULL));
	if (entries_make(l, base, COUNT(base)) == -1)
		return (-1);
	return (entries_make(l, e, l->plan->entry_count));
}

int
mntns_verify(struct launch *l)
{
	return (mountinfo_read(l) == -1 ? -1 : mountinfo_readback(l));
}

/*
 * pivot_root and not chroot, which a process with capabilities can leave.
 * After it the old root lies over the new one until it is detached.
 */
int
root_apply(struct launch *l)
{
	if (fchdir(l->root_fd) == -1 || sys_pivot_root(".", ".") == -1)
		return (host_fault(l, STEP_PIVOT_ROOT));
	if (umount2(".", MNT_DETACH) == -1 || chdir("/") == -1)
		return (host_fault(l, STEP_DETACH_ROOT));
	if (mounts_set(l->root_fd, 0, MOUNT_ATTR_RDONLY) == -1)
		return (host_fault(l, STEP_ROOT_RDONLY));
	io_close(&l->root_fd);
	return (0);
}

int
root_verify(struct launch *l)
{
	struct stat host, job;

	if (stat("/", &host) == -1 ||
	    fstatat(l->job_proc, "root", &job, 0) == -1)
		return (host_fault(l, STEP_READ_PROC));
	if (job.st_dev == host.st_dev)
		return (mismatch(l));
	return (mountinfo_readback(l));
}
