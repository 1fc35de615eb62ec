/*
 * root.c - the row root: the new root becomes the only one.
 *
 * pivot_root and not chroot, which a process with capabilities can leave.
 * After it the old root lies over the new one until it is detached; then no
 * path leads to anything of the host.  Applied by init.
 */
#include <sys/mount.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io.h"
#include "mounts.h"
#include "proc.h"
#include "sys.h"

int
root_apply(struct launch *l)
{
	if (fchdir(l->root_fd) == -1 || sys_pivot_root(".", ".") == -1)
		return (fault_at(l, STEP_PIVOT_ROOT, errno, FAULT_HOST));
	if (umount2(".", MNT_DETACH) == -1 || chdir("/") == -1)
		return (fault_at(l, STEP_DETACH_ROOT, errno, FAULT_HOST));
	if (mounts_seal(l->root_fd) == -1)
		return (fault_at(l, STEP_ROOT_RDONLY, errno, FAULT_HOST));
	io_close(&l->root_fd);
	return (0);
}

int
root_verify(struct launch *l)
{
	struct stat host, job;

	readback_want(l, mountinfo_want(CTL_ROOT));
	readback_got(l, mountinfo_got(CTL_ROOT));
	if (stat("/", &host) == -1 ||
	    fstatat(l->job_proc, "root", &job, 0) == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	if (job.st_dev == host.st_dev || mountinfo_got(CTL_ROOT) != 1)
		return (proc_mismatch(l));
	return (0);
}
