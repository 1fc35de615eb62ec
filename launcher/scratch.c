/*
 * scratch.c - the row scratch: one tmpfs for all that the job may write.
 *
 * /work, /tmp and /dev/shm are directories of it, so that the plan's bytes
 * and files bound their sum; its top directory is out of reach.  The plan's
 * entries beneath /work and /tmp are made here, in place.  Applied by init.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <linux/magic.h>

#include "io.h"
#include "mounts.h"
#include "proc.h"
#include "sys.h"

static const struct {
	const char *point;
	const char *name; /* its directory of the tmpfs */
	mode_t mode;
} places[] = {{PLAN_WORKDIR, "work", 0700}, {"/tmp", "tmp", 01777},
    {"/dev/shm", "shm", 01777}};

/* The top directory and the places take inodes that are not the job's. */
#define OWN_INODES (1 + COUNT(places))

/* A size as the kernel keeps it: whole pages.  0 would mean no bound at all. */
static uint64_t
whole_pages(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes == 0 ? page : (bytes + page - 1) / page * page);
}

static int
make_scratch(const struct plan *p)
{
	const struct mount_option options[] = {{.key = "size",
						   .number = whole_pages(
						       p->scratch_bytes)},
	    {.key = "nr_inodes", .number = p->scratch_inodes + OWN_INODES},
	    {.key = "mode", .value = "0755"}};

	return (mounts_make("tmpfs", options, COUNT(options),
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
}

/*
 * Before 6.15 only an attached mount can be cloned from, so the whole tmpfs
 * stands at /work meanwhile.
 */
static int
clone_places(struct launch *l, int scratch, int mounts[COUNT(places)])
{
	if (sys_move_mount(scratch, l->root_fd, &PLAN_WORKDIR[1]) == -1)
		return (-1);
	for (size_t i = 0; i < COUNT(places); i++) {
		if (mkdirat(scratch, places[i].name, places[i].mode) == -1)
			return (-1);
		mounts[i] =
		    sys_open_tree(scratch, places[i].name, OPEN_TREE_CLONE);
		if (mounts[i] == -1)
			return (-1);
	}
	return (umount2(&PLAN_WORKDIR[1], MNT_DETACH | UMOUNT_NOFOLLOW));
}

static int
attach_places(struct launch *l, int scratch)
{
	int mounts[COUNT(places)] = {-1, -1, -1};
	int rc;

	rc = clone_places(l, scratch, mounts);
	for (size_t i = 0; i < COUNT(places); i++) {
		if (rc == 0)
			rc = sys_move_mount(mounts[i], l->root_fd,
			    &places[i].point[1]);
		io_close(&mounts[i]);
	}
	return (rc);
}

static int
make_entries(struct launch *l, const char *point)
{
	int dir, rc;

	dir = openat(l->root_fd, point + 1, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir == -1)
		return (fault_at(l, STEP_MOUNT_SCRATCH, errno, FAULT_HOST));
	rc = entries_make(l, dir, point);
	io_close(&dir);
	return (rc);
}

int
scratch_apply(struct launch *l)
{
	int scratch, rc = 0;

	if ((scratch = make_scratch(l->plan)) == -1 ||
	    attach_places(l, scratch) == -1)
		rc = fault_at(l, STEP_MOUNT_SCRATCH, errno, FAULT_HOST);
	io_close(&scratch);
	if (rc == 0)
		rc = make_entries(l, PLAN_WORKDIR);
	if (rc == 0)
		rc = make_entries(l, "/tmp");
	return (rc);
}

/* What bounds the places, which all have to be on one file system. */
static int
read_bounds(int root, struct statfs *fs)
{
	struct stat work, st;
	int fd, rc = -1;

	fd = openat(root, &PLAN_WORKDIR[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd != -1 && fstatfs(fd, fs) == 0)
		rc = fstat(fd, &work);
	io_close(&fd);
	for (size_t i = 0; i < COUNT(places) && rc == 0; i++) {
		rc = fstatat(root, &places[i].point[1], &st, 0);
		if (rc == 0 && st.st_dev != work.st_dev) {
			errno = EXDEV;
			rc = -1;
		}
	}
	return (rc);
}

int
scratch_verify(struct launch *l)
{
	const uint64_t want = whole_pages(l->plan->scratch_bytes);
	struct statfs fs;
	uint64_t got;
	int root, rc;

	readback_want(l, want);
	root = openat(l->job_proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = root == -1 ? -1 : read_bounds(root, &fs);
	io_close(&root);
	if (rc == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	got = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
	readback_got(l, got);
	if (fs.f_type != TMPFS_MAGIC || got != want ||
	    fs.f_files != l->plan->scratch_inodes + OWN_INODES ||
	    mountinfo_got(CTL_SCRATCH) != COUNT(places))
		return (proc_mismatch(l));
	return (0);
}
