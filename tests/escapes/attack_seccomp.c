/*
 * attack_seccomp.c - probes of the group seccomp: see seccomp.def; those that
 * use another table of system calls are in attack_arch.c.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "attack.h"

#define HIGH (1UL << 32) /* beyond what the kernel looks at */
#define LEAKED_FD 9
#ifndef MFD_EXEC
#define MFD_EXEC 0x10
#endif

/* ---- filters of its own ---- */

/* Allows everything. */
static struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
static struct sock_fprog prog = {.len = 1, .filter = &allow};

static long
load_filter(unsigned int flags)
{
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog));
}

int
attempt_sc_widen(char *const *args)
{
	(void)args;
	if (load_filter(0) == -1)
		return (errno);
	return (hold_if(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY)));
}

HOLDS(sc_listener, load_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER))

int
attempt_sc_prctl_seccomp(char *const *args)
{
	(void)args;
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (
	    errno_of(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0)));
}

/* Dispatched once this is not 0. */
int
attempt_sc_prctl_dispatch(char *const *args)
{
	static char selector;

	(void)args;
	return (errno_of(prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
	    0, 0, &selector)));
}

/* ---- terminals ---- */

TRIES(sc_tiocsti, ioctl(LEAKED_FD, TIOCSTI, "#"))

/* A terminal of its own, that controls it. */
static int
open_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;

	if (master == -1 || unlockpt(master) == -1 ||
	    (slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY)) == -1)
		return (-1);
	(void)setsid();
	return (ioctl(slave, TIOCSCTTY, 0) == -1 ? -1 : slave);
}

static int
type_into(unsigned long request)
{
	int fd = open_terminal();

	if (fd == -1)
		return (errno);
	return (errno_of(syscall(SYS_ioctl, fd, request, "#")));
}

int
attempt_sc_tiocsti_own(char *const *args)
{
	(void)args;
	return (type_into(TIOCSTI));
}

int
attempt_sc_tiocsti_high(char *const *args)
{
	(void)args;
	return (type_into(HIGH | TIOCSTI));
}

int
attempt_sc_tioclinux(char *const *args)
{
	char paste = 3;
	int fd = open("/dev/tty0", O_RDWR | O_NOCTTY | O_CLOEXEC);

	(void)args;
	if (fd == -1)
		return (DONE_NOT_HERE);
	return (errno_of(ioctl(fd, TIOCLINUX, &paste)));
}

/* ---- arguments ---- */

TRIES(sc_unlisted,
    sched_setscheduler(0, SCHED_BATCH,
	&(const struct sched_param){.sched_priority = 0}))

/* file_getattr(2) of Linux 6.17. */
int
attempt_sc_newer(char *const *args)
{
	const long nr = 468;
	uint64_t attributes[3];

	(void)args;
	return (errno_of(syscall(nr, AT_FDCWD, "/proc/self/exe", attributes,
	    sizeof(attributes), 0)));
}

HOLDS(sc_personality, personality(READ_IMPLIES_EXEC))
HOLDS(sc_personality_place, personality(ADDR_NO_RANDOMIZE))

/* An empty entry. */
int
attempt_sc_modify_ldt(char *const *args)
{
	const unsigned int entry[] = {0, 0, 0, 0x28};
	const int write_entry = 0x11;

	(void)args;
	return (errno_of(
	    syscall(SYS_modify_ldt, write_entry, entry, sizeof(entry))));
}

TRIES(sc_subreaper, prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))

/* Asks for the size of what the next call would give. */
int
attempt_sc_prctl_mm(char *const *args)
{
	unsigned int size;

	(void)args;
	return (errno_of(prctl(PR_SET_MM, PR_SET_MM_MAP_SIZE, &size, 0, 0)));
}

/* A child with this flag ends at once. */
static int
clone_with(unsigned long flag)
{
	long pid = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return (errno_of(pid));
}

int
attempt_sc_clone_parent(char *const *args)
{
	(void)args;
	return (clone_with(CLONE_PARENT));
}

int
attempt_sc_clone_untraced(char *const *args)
{
	(void)args;
	return (clone_with(CLONE_UNTRACED));
}

static int
pipe_fcntl(int command, int value)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) == -1)
		return (errno);
	return (errno_of(fcntl(ends[1], command, value)));
}

int
attempt_sc_pipe_size(char *const *args)
{
	(void)args;
	return (pipe_fcntl(F_SETPIPE_SZ, 1 << 20));
}

int
attempt_sc_signal(char *const *args)
{
	(void)args;
	return (pipe_fcntl(F_SETSIG, SIGKILL));
}

int
attempt_sc_owner(char *const *args)
{
	(void)args;
	return (pipe_fcntl(F_SETOWN, getpid()));
}

int
attempt_sc_lease(char *const *args)
{
	static const char path[] = "/tmp/agsbx-leased";
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), rc;

	(void)args;
	if (fd == -1)
		return (errno);
	rc = errno_of(fcntl(fd, F_SETLEASE, F_WRLCK));
	(void)unlink(path);
	return (rc);
}

int
attempt_sc_notify(char *const *args)
{
	int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)args;
	if (fd == -1)
		return (errno);
	return (errno_of(fcntl(fd, F_NOTIFY, DN_ATTRIB)));
}

HOLDS(sc_memfd_huge, memfd_create("huge", MFD_HUGETLB))

/* Where the pool is empty, the map is made all the same: nothing is reserved. */
int
attempt_sc_mmap_huge(char *const *args)
{
	void *map = mmap(NULL, 2U << 20, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_HUGETLB, -1, 0);

	(void)args;
	return (map == MAP_FAILED ? errno : 0);
}
HOLDS(sc_memfd_exec, memfd_create("exec", MFD_EXEC))
