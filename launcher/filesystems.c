/*
 * filesystems.c - the rows dev, procfs and scratch: what the job gets new.
 *
 * Applied by init, in the new root; verified by the launcher, over mountinfo
 * and by looking at the job's files.
 */
#include <sys/mount.h>
#include <sys/vfs.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <linux/magic.h>

#include "io.h"
#include "mounts.h"

/*
 * Nobody can make device nodes in a user namespace, so these are binds of the
 * host's, each checked to be the very device, before and after.  They cannot
 * be nodev, or they would not work.
 */
#define NODE(name, minor) \
	{ \
		.kind = ENTRY_NODE, .path = name, .source = name, .ino = minor \
	}
#define LINK(name, text) \
	{ \
		.kind = ENTRY_LINK, .path = name, .source = text \
	}
static const struct plan_entry dev_entries[] = {
    NODE("/dev/null", 3),
    NODE("/dev/zero", 5),
    NODE("/dev/full", 7),
    NODE("/dev/random", 8),
    NODE("/dev/urandom", 9),
    LINK("/dev/fd", "/proc/self/fd"),
    LINK("/dev/stdin", "/proc/self/fd/0"),
    LINK("/dev/stdout", "/proc/self/fd/1"),
    LINK("/dev/stderr", "/proc/self/fd/2"),
    LINK("/dev/ptmx", "pts/ptmx"),
    {.kind = ENTRY_DIR, .mode = 0755, .path = "/dev/pts"},
    {.kind = ENTRY_DIR, .mode = 0755, .path = "/dev/shm"},
};

static int
fill_dev(struct launch *l, int dev)
{
	int pts, rc = -1;

	if (entries_make(l, dev_entries, COUNT(dev_entries)) == -1)
		return (-1);
	/* Each mount of devpts is an instance of its own. */
	pts = mounts_make("devpts", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
	    OPTIONS("ptmxmode", "0666", "mode", "0620", "max", "16"));
	if (pts == -1 || mounts_attach(pts, dev, "pts") == -1)
		(void)host_fault(l, STEP_MOUNT_DEVPTS);
	else if ((rc = mounts_seal(dev)) == -1)
		(void)host_fault(l, STEP_MOUNT_ATTR);
	io_close(&pts);
	return (rc);
}

int
dev_apply(struct launch *l)
{
	int dev, rc;

	dev = mounts_make("tmpfs", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
	    OPTIONS("size", "64k", "nr_inodes", "32", "mode", "0755"));
	if (dev == -1 || mounts_attach(dev, l->root_fd, "dev") == -1)
		rc = host_fault(l, STEP_MOUNT_DEV);
	else
		rc = fill_dev(l, dev);
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
 * Always a new procfs, of the job's own pid namespace.  Where the kernel does
 * not grant that (the host's is partly covered) the host's is never bound in
 * its place; when the row is waived, /proc is empty.
 *
 * subset=pid hides /proc/net, a link to self/net that programs which list
 * interfaces open.  The kernel asks for the subset when it first looks a name
 * up, so the link is looked up before that is set, and held open by init.  It
 * shows nothing that self/net does not.
 */
int
procfs_apply(struct launch *l)
{
	int mount, fs = -1, rc = -1;

	mount = mounts_make("proc",
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
	    OPTIONS("hidepid", "invisible"));
	/* Full as yet, but nobody can reach it. */
	if (mount != -1)
		l->proc_net =
		    openat(mount, "net", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (l->proc_net != -1)
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

/*
 * One tmpfs for all that the job may write, so that the plan's bytes and files
 * bound the sum; its top directory is out of reach.
 */
static const struct {
	const char *point; /* in the new root */
	const char *name;  /* the tmpfs' directory that is mounted there */
	mode_t mode;
} scratch_places[] = {
    {"tmp", "tmp", 01777}, {"dev/shm", "shm", 01777},
    {&PLAN_WORKDIR[1], "work", 0700}, /* the last: see attach_places() */
};

/* The top directory and the places take inodes that are not the job's. */
#define OWN_INODES (1 + COUNT(scratch_places))

/* A size as the kernel keeps it: whole pages. */
static uint64_t
whole_pages(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return ((bytes + page - 1) / page * page);
}

/* Before 6.15 only what is attached can be cloned from, so the whole tmpfs
 * stands at the working directory until that is attached itself. */
static int
attach_places(int root, int scratch)
{
	const size_t last = COUNT(scratch_places) - 1;
	int mount, rc;

	rc = mounts_attach(scratch, root, scratch_places[last].point);
	for (size_t i = 0; i <= last && rc == 0; i++) {
		const char *name = scratch_places[i].name;

		if (mkdirat(scratch, name, scratch_places[i].mode) == -1)
			return (-1);
		mount = open_tree(scratch, name,
		    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
		rc = mount == -1 ? -1 : 0;
		if (rc == 0 && i == last) /* in the new root, which is "." */
			rc = umount2(scratch_places[i].point,
			    MNT_DETACH | UMOUNT_NOFOLLOW);
		if (rc == 0)
			rc =
			    mounts_attach(mount, root, scratch_places[i].point);
		io_close(&mount);
	}
	return (rc);
}

int
scratch_apply(struct launch *l)
{
	const struct plan *p = l->plan;
	char size[IO_DECIMAL_MAX], inodes[IO_DECIMAL_MAX];
	int scratch, rc;

	scratch = mounts_make("tmpfs", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
	    OPTIONS("size", io_format_u64(size, whole_pages(p->scratch_bytes)),
		"nr_inodes",
		io_format_u64(inodes, p->scratch_inodes + OWN_INODES), "mode",
		"0755"));
	if (scratch == -1 || attach_places(l->root_fd, scratch) == -1)
		rc = host_fault(l, STEP_MOUNT_SCRATCH);
	else
		rc = entries_make(l, p->entries, p->entry_count);
	io_close(&scratch);
	return (rc);
}

/* All places are on one file system, which has the plan's bounds. */
int
scratch_verify(struct launch *l)
{
	const uint64_t want = whole_pages(l->plan->scratch_bytes);
	struct stat work, st;
	struct statfs fs;
	int root, fd, rc = -1;

	root = openat(l->job_proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(root, &PLAN_WORKDIR[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1 || fstat(fd, &work) == -1 || fstatfs(fd, &fs) == -1)
		(void)host_fault(l, STEP_READ_PROC);
	else if (fs.f_type != TMPFS_MAGIC ||
	    fs.f_files != l->plan->scratch_inodes + OWN_INODES ||
	    mountinfo_readback(l) == -1)
		(void)mismatch(l);
	else
		rc = readback(l, want,
		    (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize);
	for (size_t i = 0; i < COUNT(scratch_places) && rc == 0; i++)
		if (fstatat(root, scratch_places[i].point, &st, 0) == -1 ||
		    st.st_dev != work.st_dev)
			rc = mismatch(l);
	io_close(&fd);
	io_close(&root);
	return (rc);
}
