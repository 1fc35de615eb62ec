/*
 * filesystems.c - the rows dev, procfs and scratch: what the job gets new.
 *
 * Applied by init, in the new root; verified by the launcher, by mountinfo and
 * by looking at the job's files.
 */
#include <sys/mount.h>
#include <sys/vfs.h>

#include <fcntl.h>

#include <linux/magic.h>

#include "io.h"
#include "mounts.h"

int
mounts_make(int dir, const char *name, const char *fstype, unsigned int attrs,
    const char *const *options)
{
	int fs = fsopen(fstype, FSOPEN_CLOEXEC);
	int rc = fs, mount = -1;

	for (; rc != -1 && *options != NULL; options += 2)
		rc = fsconfig(fs, FSCONFIG_SET_STRING, options[0], options[1],
		    0);
	if (rc != -1 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != -1)
		mount = fsmount(fs, FSMOUNT_CLOEXEC, attrs);
	io_close(&fs);
	if (mount != -1 && name != NULL &&
	    mounts_attach(mount, dir, name) == -1)
		io_close(&mount);
	return (mount);
}

int
mounts_attach(int mount, int dir, const char *name)
{
	return (move_mount(mount, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH));
}

int
mounts_set(int mount, unsigned int scope, unsigned int attrs)
{
	struct mount_attr attr = {.attr_set = attrs, .propagation = MS_PRIVATE};

	return (mount_setattr(mount, "", AT_EMPTY_PATH | scope, &attr,
	    sizeof(attr)));
}

/*
 * Nobody can make device nodes in a user namespace, so these are binds of the
 * host's, each checked to be the very device, before and after.  They cannot
 * be nodev, or they would not work.
 */
static const struct plan_entry dev_entries[] = {
    {ENTRY_NODE, .path = "/dev/null", .source = "/dev/null", .ino = 3},
    {ENTRY_NODE, .path = "/dev/zero", .source = "/dev/zero", .ino = 5},
    {ENTRY_NODE, .path = "/dev/full", .source = "/dev/full", .ino = 7},
    {ENTRY_NODE, .path = "/dev/random", .source = "/dev/random", .ino = 8},
    {ENTRY_NODE, .path = "/dev/urandom", .source = "/dev/urandom", .ino = 9},
    {ENTRY_LINK, .path = "/dev/fd", .source = "/proc/self/fd"},
    {ENTRY_LINK, .path = "/dev/stdin", .source = "/proc/self/fd/0"},
    {ENTRY_LINK, .path = "/dev/stdout", .source = "/proc/self/fd/1"},
    {ENTRY_LINK, .path = "/dev/stderr", .source = "/proc/self/fd/2"},
    {ENTRY_LINK, .path = "/dev/ptmx", .source = "pts/ptmx"},
    {ENTRY_DIR, .mode = 0755, .path = "/dev/pts"},
    {ENTRY_DIR, .mode = 0755, .path = "/dev/shm"},
};

int
dev_apply(struct launch *l)
{
	const unsigned int attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
	int dev, pts = -1, rc = -1;

	dev = mounts_make(l->root_fd, "dev", "tmpfs", attrs,
	    OPTIONS("size", "64k", "nr_inodes", "32", "mode", "0755"));
	if (dev == -1)
		return (host_fault(l, STEP_MOUNT_DEV));
	if (entries_make(l, dev_entries, COUNT(dev_entries)) == 0) {
		/* Each mount of devpts is an instance of its own. */
		pts = mounts_make(dev, "pts", "devpts", attrs,
		    OPTIONS("ptmxmode", "0666", "mode", "0620", "max", "16"));
		if (pts == -1)
			(void)host_fault(l, STEP_MOUNT_DEVPTS);
		else if ((rc = mounts_set(dev, 0, MOUNT_ATTR_RDONLY)) == -1)
			(void)host_fault(l, STEP_MOUNT_ATTR);
	}
	io_close(&pts);
	io_close(&dev);
	return (rc);
}

int
dev_verify(struct launch *l)
{
	const struct plan_entry *e = dev_entries;
	struct stat st;
	int root, rc = 0;

	root = openat(l->job_proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root == -1)
		return (host_fault(l, STEP_READ_PROC));
	for (; e->kind == ENTRY_NODE; e++)
		if (fstatat(root, &e->path[1], &st, AT_SYMLINK_NOFOLLOW) ==
			-1 ||
		    !is_node(e, &st))
			rc = mismatch(l);
	io_close(&root);
	return (mountinfo_readback(l) == -1 ? -1 : rc);
}

/*
 * Always a new one, of the job's own pid namespace: the host's is never bound
 * in its place.  subset=pid hides /proc/net, a link to self/net (which it does
 * not hide) that programs open to list interfaces.  The kernel asks for the
 * subset when it first looks a name up, so init does that before, and keeps it.
 */
int
procfs_apply(struct launch *l)
{
	int mount, fs = -1, rc = -1;

	mount = mounts_make(-1, NULL, "proc",
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
	    OPTIONS("hidepid", "invisible"));
	/* Full as yet, but nobody can reach it. */
	if (mount != -1 &&
	    (l->proc_net = openat(mount, "net",
		 O_PATH | O_NOFOLLOW | O_CLOEXEC)) != -1)
		fs = fspick(mount, "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);
	if (fs != -1 &&
	    fsconfig(fs, FSCONFIG_SET_STRING, "subset", "pid", 0) != -1 &&
	    fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) != -1)
		rc = mounts_attach(mount, l->root_fd, "proc");
	if (rc == -1)
		(void)host_fault(l, STEP_MOUNT_PROC);
	io_close(&fs);
	io_close(&mount);
	return (rc);
}

int
procfs_verify(struct launch *l)
{
	return (mountinfo_readback(l));
}

/* One tmpfs for all that the job may write, so that the plan's bytes and files
 * bound the sum.  Its directories are mounted; its top is out of reach. */
static const struct scratch_place {
	const char *point; /* in the new root */
	const char *name;  /* in the tmpfs */
	mode_t mode;
} scratch_places[] = {
    {"tmp", "tmp", 01777}, {"dev/shm", "shm", 01777},
    {&PLAN_WORKDIR[1], "work", 0700}, /* the last: see scratch_apply() */
};

/* The top directory and the places take inodes that are not the job's. */
#define OWN_INODES (1 + COUNT(scratch_places))

/*
 * Before 6.15 only what is attached can be cloned from, so the whole tmpfs
 * stands at the working directory until the clone for that is made.
 */
int
scratch_apply(struct launch *l)
{
	const size_t last = COUNT(scratch_places) - 1;
	const struct scratch_place *at;
	const struct plan *p = l->plan;
	char size[IO_DECIMAL_MAX], inodes[IO_DECIMAL_MAX];
	int scratch, mount, rc;

	scratch = mounts_make(l->root_fd, scratch_places[last].point, "tmpfs",
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
	    OPTIONS("size", io_format_u64(size, p->scratch_bytes), "nr_inodes",
		io_format_u64(inodes, p->scratch_inodes + OWN_INODES), "mode",
		"0755"));
	rc = scratch == -1 ? -1 : 0;
	for (size_t i = 0; i <= last && rc == 0; i++) {
		at = &scratch_places[i];
		rc = mount = -1;
		if (mkdirat(scratch, at->name, at->mode) == 0)
			mount = open_tree(scratch, at->name,
			    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
		if (mount != -1 &&
		    (i != last ||
			umount2(at->point, MNT_DETACH | UMOUNT_NOFOLLOW) == 0))
			rc = mounts_attach(mount, l->root_fd, at->point);
		io_close(&mount);
	}
	if (rc == -1)
		(void)host_fault(l, STEP_MOUNT_SCRATCH);
	io_close(&scratch);
	return (rc == -1 ? -1 : entries_make(l, p->entries, p->entry_count));
}

/* All places are on one file system, which has the plan's bounds. */
int
scratch_verify(struct launch *l)
{
	const struct plan *p = l->plan;
	struct stat work, st;
	struct statfs fs;
	uint64_t page;
	int root, fd, rc = -1;

	root = openat(l->job_proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(root, &PLAN_WORKDIR[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1 || fstat(fd, &work) == -1 || fstatfs(fd, &fs) == -1)
		(void)host_fault(l, STEP_READ_PROC);
	else if (fs.f_type != TMPFS_MAGIC || mountinfo_readback(l) == -1 ||
	    fs.f_files != p->scratch_inodes + OWN_INODES)
		(void)mismatch(l);
	else { /* the kernel keeps whole pages */
		page = (uint64_t)fs.f_bsize;
		rc = readback(l, (p->scratch_bytes + page - 1) / page * page,
		    (uint64_t)fs.f_blocks * page);
	}
	for (size_t i = 0; i < COUNT(scratch_places) && rc == 0; i++)
		if (fstatat(root, scratch_places[i].point, &st, 0) == -1 ||
		    st.st_dev != work.st_dev)
			rc = mismatch(l);
	io_close(&fd);
	io_close(&root);
	return (rc);
}
