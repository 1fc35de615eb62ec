/*
 * probe.c - the job of every faulty run: tries what its confinement denies and
 * /proc does not show, tells each answer, and exits with the number of those
 * that are not as they must be.  Built alone; runs inside the sandbox.
 */
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "plan.h"

static long
try_landlock(void)
{
	return (open(LANDLOCK_CANARY, O_RDONLY | O_CLOEXEC));
}

static long
try_floor_filter(void)
{
	return (syscall((long)CANARY_FLOOR_NR));
}

static long
try_plan_filter(void)
{
	return (syscall((long)CANARY_PLAN_NR));
}

static long
try_root(void)
{
	return (open("/written", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static long
try_usr(void)
{
	return (open("/usr/written", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static long
try_host(void)
{
	return (open("/etc/passwd-", O_RDONLY | O_CLOEXEC));
}

static long
try_userns(void)
{
	return (syscall(SYS_unshare, (long)CLONE_NEWUSER));
}

static long
try_mount(void)
{
	return (mount("none", "/tmp", "tmpfs", 0, NULL));
}

static long
try_remount(void)
{
	return (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
}

/* Without Landlock's scopes (before Linux 6.12) the kernel takes the signal and
 * drops it.  Had init taken it, we would not live to say so. */
static long
try_signal_init(void)
{
	if (kill(1, SIGKILL) == 0)
		(void)usleep(20000);
	return (-1);
}

static long
try_proc_of_init(void)
{
	return (open("/proc/1/environ", O_RDONLY | O_CLOEXEC));
}

static long
try_kernel_file(void)
{
	return (open("/proc/sys/kernel/hostname", O_RDONLY | O_CLOEXEC));
}

static long
try_kernel_memory(void)
{
	return (open("/proc/kcore", O_RDONLY | O_CLOEXEC));
}

static long
try_terminal(void)
{
	return (open("/dev/tty", O_RDWR | O_CLOEXEC));
}

static long
try_packet(void)
{
	return (socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
}

static long
try_keyring(void)
{
	return (syscall(SYS_keyctl, 0L, -3L, 0L));
}

static const struct {
	const char *name;
	long (*attempt)(void);
} attempts[] = {
    {"landlock", try_landlock},
    {"floor_filter", try_floor_filter},
    {"plan_filter", try_plan_filter},
    {"write_root", try_root},
    {"write_usr", try_usr},
    {"host_file", try_host},
    {"userns", try_userns},
    {"mount", try_mount},
    {"remount", try_remount},
    {"kill_init", try_signal_init},
    {"proc_init", try_proc_of_init},
    {"kernel_file", try_kernel_file},
    {"kcore", try_kernel_memory},
    {"terminal", try_terminal},
    {"packet", try_packet},
    {"keyring", try_keyring},
};

int
main(void)
{
	int count = 0;
	long rc;

	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		errno = 0;
		rc = attempts[i].attempt();
		(void)printf("%s: %s\n", attempts[i].name,
		    rc >= 0 ? "done" : strerrorname_np(errno));
		if (rc >= 0)
			count++;
	}
	if (fflush(stdout) == EOF)
		return (100);
	return (count);
}
