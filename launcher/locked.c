/*
 * locked.c - the second user and mount namespace, which lock every mount.
 *
 * Mounts that were copied into a less privileged mount namespace cannot be
 * remounted, uncovered or moved there, whatever capabilities a process gains
 * (MNT_LOCKED, CVE-2014-5206); and capabilities over the network, ipc, uts and
 * pid namespaces, which belong to the first user namespace, are gone.  Runs
 * in init after the root is pivoted and read-only.  No third user namespace
 * can follow: user.max_user_namespaces is 1 in the first and 0 in the second.
 */
#include <linux/nsfs.h>

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "io.h"
#include "proc.h"

#define USERNS_MAX_FILE "sys/user/max_user_namespaces"

/* The sysctl of the user namespace that the caller is in. */
static int
userns_max_set(struct launch *l, int proc, uint64_t max)
{
	char digits[IO_DECIMAL_MAX], text[64];
	uint64_t got;

	if (io_write_file(proc, USERNS_MAX_FILE, io_format_u64(digits, max)) ==
		-1 ||
	    io_read_file(proc, USERNS_MAX_FILE, text, sizeof(text)) == -1)
		return (fault_at(l, STEP_USERNS_MAX, errno, FAULT_HOST));
	if (io_parse_u64(text, 10, &got) == -1 || got != max)
		return (fault_at(l, STEP_USERNS_MAX, 0, FAULT_HOST));
	return (0);
}

/* Both are tried with every capability that this namespace has. */
static int
locked_canaries(struct launch *l)
{
	if (unshare(CLONE_NEWUSER) == 0 || errno != ENOSPC)
		return (proc_mismatch(l));
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0 ||
	    errno != EPERM)
		return (proc_mismatch(l));
	return (0);
}

int
locked_apply(struct launch *l)
{
	int proc = l->proc_fd != -1 ? l->proc_fd : l->host_proc;
	enum step step;

	if (userns_max_set(l, proc, 1) == -1)
		return (-1);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1)
		return (fault_at(l, STEP_STAGE2_UNSHARE, errno, FAULT_HOST));
	if (userns_map(proc, PLAN_JOB_ID, 0, 0, &step) == -1)
		return (fault_at(l, STEP_STAGE2_MAP, errno, FAULT_HOST));
	if (userns_max_set(l, proc, 0) == -1)
		return (-1);
	return (locked_canaries(l));
}

/* 0, or -1 with errno; consumes fd. */
static int
take_ns_relative(int fd, unsigned long request)
{
	int relative = fd == -1 ? -1 : ioctl(fd, request);

	io_close(&fd);
	return (relative);
}

static bool
is_same(int a, int b)
{
	struct stat sa, sb;

	return (fstat(a, &sa) == 0 && fstat(b, &sb) == 0 &&
	    sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino);
}

/*
 * From outside: the job's mount namespace belongs to the job's own user
 * namespace, and that one is a grandchild of the launcher's.
 */
int
locked_verify(struct launch *l)
{
	int user = openat(l->job_proc, "ns/user", O_RDONLY | O_CLOEXEC);
	int own = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	int owner = take_ns_relative(openat(l->job_proc, "ns/mnt",
					 O_RDONLY | O_CLOEXEC),
	    NS_GET_USERNS);
	int parent = user == -1 ? -1 : ioctl(user, NS_GET_PARENT);
	int grandparent = parent == -1 ? -1 : ioctl(parent, NS_GET_PARENT);
	int err = errno;
	bool is_read = user != -1 && own != -1 && owner != -1 && parent != -1 &&
	    grandparent != -1;
	bool is_locked = is_read && is_same(user, owner) &&
	    !is_same(parent, own) && is_same(grandparent, own);

	io_close(&user);
	io_close(&own);
	io_close(&owner);
	io_close(&parent);
	io_close(&grandparent);
	readback_want(l, 1);
	if (!is_read)
		return (fault_at(l, STEP_READ_PROC, err, FAULT_HOST));
	if (!is_locked)
		return (proc_mismatch(l));
	readback_got(l, 1);
	return (0);
}
