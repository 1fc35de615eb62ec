/*
 * tree.c - the rows mntns and root, and all that the plan puts in the new root.
 *
 * A tmpfs is laid over the host's "/", filled, and becomes the only root.  What
 * it shows of the host must be the very inode that the policy saw.  No link is
 * followed and no mount entered: nothing is ever created outside of it.
 */
#include "launcher.h"

/* Mounts of the launcher's own, and the row that makes what lies in them. */
static const struct place {
	const char *path; /* and all that begins like it */
	enum control row;
} places[] = {
    {"/dev/", CTL_DEV},
    {PLAN_WORKDIR "/", CTL_SCRATCH},
    {"/tmp/", CTL_SCRATCH},
    {"/", CTL_MNTNS},
};

static int sources[PLAN_ENTRIES_MAX]; /* the binds' clones, until attached */

/* A device that is nodev does not work. */
const char *
bind_flags(const struct plan_entry *e)
{
	if (e->kind == ENTRY_NODE)
		return ("ro,nosuid,noexec");
	return ((e->flags & ENTRY_WRITABLE) != 0 ? ",nosuid,nodev" :
						   "ro,nosuid,nodev");
}

static unsigned int
mount_attrs(const char *flags)
{
	return ((strstr(flags, "ro") != NULL ? MOUNT_ATTR_RDONLY : 0U) |
	    (strstr(flags, "nosuid") != NULL ? MOUNT_ATTR_NOSUID : 0U) |
	    (strstr(flags, "nodev") != NULL ? MOUNT_ATTR_NODEV : 0U) |
	    (strstr(flags, "noexec") != NULL ? MOUNT_ATTR_NOEXEC : 0U));
}

int
mount_set(int mount, unsigned int scope, unsigned int attrs)
{
	struct mount_attr attr = {.attr_set = attrs, .propagation = MS_PRIVATE};

	return (mount_setattr(mount, "", AT_EMPTY_PATH | scope, &attr,
	    sizeof(attr)));
}

int
mount_make(const char *fstype, const char *flags, const char *data)
{
	int fs = fsopen(fstype, FSOPEN_CLOEXEC), rc = fs, mount = -1;
	char text[128], *rest = text, *key, *value;

	(void)stpcpy(text, data);
	while (rc != -1 && (value = strsep(&rest, ",")) != NULL) {
		key = strsep(&value, "=");
		rc = fsconfig(fs, FSCONFIG_SET_STRING, key, value, 0);
	}
	if (rc != -1 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != -1)
		mount = fsmount(fs, FSMOUNT_CLOEXEC,
		    mount_attrs(flags) & ~(unsigned int)MOUNT_ATTR_RDONLY);
	io_close(&fs);
	return (mount);
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
source_errno(const struct plan_entry *e, const struct stat *st)
{
	dev_t device = makedev(1, (unsigned int)e->ino);

	if (e->kind == ENTRY_NODE)
		return (
		    S_ISCHR(st->st_mode) && st->st_rdev == device ? 0 : ENODEV);
	if (st->st_dev != e->dev || st->st_ino != e->ino)
		return (ESTALE);
	/* Sockets answer through a read-only bind, pipes and devices too. */
	return (S_ISDIR(st->st_mode) || S_ISREG(st->st_mode) ? 0 : ENOTSUP);
}

/* A private copy of the tree at e's source; each mount has e's attributes. */
static int
clone_source(const struct plan_entry *e)
{
	struct stat st;
	int mount = -1, fd = open_strictly(AT_FDCWD, e->source, O_PATH, 0);

	if (fd != -1 && fstat(fd, &st) == 0 &&
	    (errno = source_errno(e, &st)) == 0)
		mount = open_tree(fd, "",
		    AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE |
			OPEN_TREE_CLOEXEC);
	if (mount != -1 &&
	    mount_set(mount, AT_RECURSIVE, mount_attrs(bind_flags(e))) == -1)
		io_close(&mount);
	io_close(&fd);
	return (mount);
}

/* Opens the directory that path is to be in: place, or one below it. */
static int
open_parent(int root, const char *place, const char *path)
{
	const char *below = path + strlen(place), *end = strrchr(below, '/');
	char parent[PLAN_PATH_MAX];
	int top = openat(root, place[1] == '\0' ? "." : &place[1],
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int dir = -1;

	if (top == -1 || end == NULL)
		return (top);
	*(char *)mempcpy(parent, below, (size_t)(end - below)) = '\0';
	dir = open_strictly(top, parent, O_PATH | O_DIRECTORY, 0);
	io_close(&top);
	return (dir);
}

/* Copies len bytes, which must be all.  By offset: the descriptor's own is its
 * sender's too, and a pipe could keep init waiting (ESPIPE). */
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

static int
make_entry(struct launch *l, const struct plan_entry *e, int dir)
{
	const char *name = strrchr(e->path, '/') + 1;
	struct stat st;
	int fd = -1, rc = -1;

	switch (e->kind) {
	case ENTRY_DIR:
		rc = mkdirat(dir, name, e->mode);
		break;
	case ENTRY_LINK:
		rc = symlinkat(e->source, dir, name);
		break;
	case ENTRY_BIND:
	case ENTRY_NODE:
		fd = e->kind == ENTRY_NODE ? clone_source(e) :
					     sources[e - l->plan->entries];
		if (fd != -1 && fstat(fd, &st) == 0)
			rc = S_ISDIR(st.st_mode) ?
			    mkdirat(dir, name, 0755) :
			    mknodat(dir, name, S_IFREG | 0644, 0);
		if (rc == 0)
			rc = move_mount(fd, "", dir, name,
			    MOVE_MOUNT_F_EMPTY_PATH);
		break;
	default:
		fd = open_strictly(dir, name, O_WRONLY | O_CREAT | O_EXCL,
		    e->mode);
		if (fd != -1 && e->kind == ENTRY_FILE)
			rc = io_write_all(fd, e->content, e->content_len);
		else if (fd != -1)
			rc = copy_exactly(fd, l->fds[PLAN_PROGRAM],
			    l->plan->program_bytes);
		break;
	}
	io_close(&fd);
	return (rc);
}

bool
entries_make(struct launch *l, const struct plan_entry *entries, size_t count)
{
	const struct place *place;
	int dir, rc;

	for (const struct plan_entry *e = entries; e < entries + count; e++) {
		place = places;
		while (strncmp(e->path, place->path, strlen(place->path)) != 0)
			place++;
		if (place->row != l->current)
			continue;
		dir = open_parent(l->root_fd, place->path, e->path);
		rc = dir == -1 ? -1 : make_entry(l, e, dir);
		io_close(&dir);
		if (rc == -1)
			return (fault(l,
			    e->kind == ENTRY_BIND     ? STEP_BIND_MOUNT :
				e->kind == ENTRY_NODE ? STEP_DEV_NODE :
							STEP_MAKE_ENTRY,
			    errno));
	}
	return (true);
}

bool
mntns_apply(struct launch *l)
{
	static const struct plan_entry base[] = {
	    {ENTRY_DIR, .mode = 0755, .path = "/dev"},
	    {ENTRY_DIR, .mode = 0555, .path = "/proc"}, /* if waived, empty */
	    {ENTRY_DIR, .mode = 0755, .path = "/tmp"},
	    {ENTRY_DIR, .mode = 0755, .path = PLAN_WORKDIR},
	    {ENTRY_FILE, .mode = 0644, .path = LANDLOCK_CANARY},
	};
	const struct plan_entry *e = l->plan->entries;
	int fd;

	/* First of all: a slave still receives what the host mounts later. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return (fault(l, STEP_MOUNT_PRIVATE, errno));
	(void)umask(0); /* modes are the plan's; session sets the job's */
	for (uint32_t i = 0; i < l->plan->entry_count; i++)
		if (e[i].kind == ENTRY_BIND &&
		    (sources[i] = clone_source(&e[i])) == -1)
			return (fault(l,
			    errno == ESTALE ? STEP_BIND_CHANGED :
					      STEP_BIND_SOURCE,
			    errno));
	l->root_fd = mount_own(-1, "/", NULL);
	if (l->root_fd == -1 || fchdir(l->root_fd) == -1)
		return (fault(l, STEP_MOUNT_ROOT, errno));
	/* Where the kernel refuses, the rows that need it will say so. */
	fd = mount_make("proc", "nosuid,nodev,noexec", "hidepid=off");
	if (fd != -1)
		l->proc_fd = fd;
	return (entries_make(l, base, COUNT(base)) &&
	    entries_make(l, e, l->plan->entry_count));
}

/* pivot_root and not chroot, which a process with capabilities can leave.
 * After it the old root lies over the new one until it is detached. */
bool
root_apply(struct launch *l)
{
	return (must(l, STEP_PIVOT_ROOT, fchdir(l->root_fd)) &&
	    must(l, STEP_PIVOT_ROOT, sys_pivot_root(".", ".")) &&
	    must(l, STEP_DETACH_ROOT, umount2(".", MNT_DETACH)) &&
	    must(l, STEP_DETACH_ROOT, chdir("/")) &&
	    must(l, STEP_ROOT_RDONLY,
		mount_set(l->root_fd, 0, MOUNT_ATTR_RDONLY)));
}

bool
root_verify(struct launch *l)
{
	struct stat host, job;

	return (must(l, STEP_READ_PROC, stat("/", &host)) &&
	    must(l, STEP_READ_PROC, fstatat(l->job_proc, "root", &job, 0)) &&
	    matches(l, job.st_dev != host.st_dev) && mountinfo_readback(l));
}
