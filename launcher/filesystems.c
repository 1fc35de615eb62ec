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
	/* Each mount of devpts is an instance of its own. */
	static const char *const options[] = {"ptmxmode", "0666", "mode",
	    "0620", "max", "16", NULL};
	int pts, rc = -1;

	if (entries_make(l, dev_entries, COUNT(dev_entries)) == -1)
		return (-1);
	pts = mounts_make("devpts", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
	    options);
	if (pts != -1)
		rc = mounts_attach(pts, dev, "pts");
	io_close(&pts);
	if (rc == -1)
		return (host_fault(l, STEP_MOUNT_DEVPTS));
	if (mounts_seal(dev) == -1)
		return (host_fault(l, STEP_MOUNT_ATTR));
	return (0);
}

int
dev_apply(struct launch *l)
{
	static const char *const options[] = {"size", "64k", "nr_inodes", "32",
	    "mode", "0755", NULL};
	int dev, rc;

	dev = mounts_make("tmpfs", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
	    options);
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
	uint64_t want = 2; /* /dev and /dev/pts */
	const struct plan_entry *e = dev_entries;
	bool is_held = true;
	struct stat st;
	int root;

	root = openat(l->job_proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root == -1)
		return (host_fault(l, STEP_READ_PROC));
	for (; e->kind == ENTRY_NODE; e++) {
		want++;
		is_held = is_held &&
		    fstatat(root, &e->path[1], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    is_node(e, &st);
	}
	io_close(&root);
	if (readback(l, want, mountinfo_got(CTL_DEV)) == -1)
		return (-1);
	return (is_held ? 0 : mismatch(l));
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
	static const char *const options[] = {"hidepid", "invisible", NULL};
	int mount, fs = -1, rc = -1;

	mount = mounts_make("proc",
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, options);
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
	return (readback(l, 1, mountinfo_got(CTL_PROCFS)));
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

/* A size as the kernel keeps it: whole pages.  0 would mean no bound at all. */
static uint64_t
whole_pages(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes == 0 ? page : (bytes + page - 1) / page * page);
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
	const char *const options[] = {"size",
	    io_format_u64(size, whole_pages(p->scratch_bytes)), "nr_inodes",
	    io_format_u64(inodes, p->scratch_inodes + OWN_INODES), "mode",
	    "0755", NULL};
	int scratch, rc = -1;

	scratch =
	    mounts_make("tmpfs", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, options);
	if (scratch != -1)
		rc = attach_places(l->root_fd, scratch);
	if (rc == -1)
		(void)host_fault(l, STEP_MOUNT_SCRATCH);
	io_close(&scratch);
	/* What the plan has beneath the places, in place. */
	return (rc == -1 ? -1 : entries_make(l, p->entries, p->entry_count));
}

/* All places are on one file system, which has the plan's bounds. */
int
scratch_verify(struct launch *l)
{
	const uint64_t want = whole_pages(l->plan->scratch_bytes);
	struct statfs fs;
	struct stat work, st;
	int fd, root, rc = -1;

	root = openat(l->job_proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(root, &PLAN_WORKDIR[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root != -1 && fd != -1 && fstatfs(fd, &fs) == 0)
		rc = fstat(fd, &work);
	for (size_t i = 0; i < COUNT(scratch_places) && rc == 0; i++) {
		rc = fstatat(root, scratch_places[i].point, &st, 0);
		if (rc == 0 && st.st_dev != work.st_dev) {
			errno = EXDEV;
			rc = -1;
		}
	}
	io_close(&fd);
	io_close(&root);
	if (rc == -1)
		return (host_fault(l, STEP_READ_PROC));
	if (readback(l, want, (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize) ==
		-1 ||
	    fs.f_type != TMPFS_MAGIC ||
	    fs.f_files != l->plan->scratch_inodes + OWN_INODES ||
	    mountinfo_got(CTL_SCRATCH) != COUNT(scratch_places))
		return (mismatch(l));
	return (0);
}
