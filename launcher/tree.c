/*
 * tree.c - the rows mntns and root: a mount table of the job's own.
 *
 * A tmpfs is laid over the host's "/", filled, and becomes the only root.
 * Paths of the host start beneath it meanwhile, so that nothing of the host
 * gets covered.  Applied by init; verified by the launcher, which reads the
 * job's mountinfo here for the other rows as well.
 */
#include <sys/mount.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io.h"
#include "mounts.h"
#include "sys.h"

int
mounts_make(const char *fstype, unsigned int attrs, const char *const *options)
{
	int fs = fsopen(fstype, FSOPEN_CLOEXEC);
	int rc = fs, mount = -1;

	for (; rc != -1 && *options != NULL; options += 2)
		rc = fsconfig(fs, FSCONFIG_SET_STRING, options[0], options[1],
		    0);
	if (rc != -1 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != -1)
		mount = fsmount(fs, FSMOUNT_CLOEXEC, attrs);
	io_close(&fs);
	return (mount);
}

int
mounts_attach(int mount, int dir, const char *name)
{
	return (move_mount(mount, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH));
}

int
mounts_seal(int mount)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};

	return (mount_setattr(mount, "", AT_EMPTY_PATH, &attr, sizeof(attr)));
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
	return (mounts_make("tmpfs", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
	    OPTIONS("size", io_format_u64(size, bytes), "nr_inodes",
		io_format_u64(count, inodes), "mode", "0755")));
}

int
mntns_apply(struct launch *l)
{
	static const struct plan_entry base[] = {
	    {.kind = ENTRY_DIR, .mode = 0755, .path = "/dev"},
	    {.kind = ENTRY_DIR, .mode = 0755, .path = "/proc"},
	    {.kind = ENTRY_DIR, .mode = 0755, .path = "/tmp"},
	    {.kind = ENTRY_DIR, .mode = 0755, .path = PLAN_WORKDIR},
	    {.kind = ENTRY_FILE, .mode = 0644, .path = LANDLOCK_CANARY},
	};

	/* First of all: a slave still receives what the host mounts later. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return (host_fault(l, STEP_MOUNT_PRIVATE));
	(void)umask(0); /* modes are the plan's; session sets the job's */
	if (entries_open_sources(l) == -1)
		return (-1);
	if ((l->root_fd = make_root(l->plan)) == -1 ||
	    mounts_attach(l->root_fd, AT_FDCWD, "/") == -1 ||
	    fchdir(l->root_fd) == -1)
		return (host_fault(l, STEP_MOUNT_ROOT));
	/* -1 where the kernel refuses: the rows that need it will say so. */
	l->proc_fd = mounts_make("proc",
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
	    OPTIONS(NULL));
	if (entries_make(l, base, COUNT(base)) == -1)
		return (-1);
	return (entries_make(l, l->plan->entries, l->plan->entry_count));
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
	if (mounts_seal(l->root_fd) == -1)
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
