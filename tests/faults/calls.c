/*
 * Which system calls broker, launcher, init and the held job make, and which
 * faults are plausible for each.  A call that is not here fails the test that
 * meets it, so that none stays without its faults.  Knows nothing of tracing.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "calls.h"

#define ANY CALL_ANY
#define FD (CALL_ANY | CALL_FD)
#define PATH (CALL_ANY | CALL_PATH)
#define OPEN (CALL_ANY | CALL_FD | CALL_PATH)
#define MAKE (CALL_ANY | CALL_PATH | CALL_SPACE)
#define INPUT (CALL_ANY | CALL_WAIT | CALL_PATH | CALL_LESS)
#define OUTPUT (CALL_ANY | CALL_WAIT | CALL_SPACE | CALL_LESS)
#define WAITS (CALL_ANY | CALL_WAIT)
#define SPAWN (CALL_ANY | CALL_WAIT | CALL_SPACE | CALL_FD)

#define CALL(name, kind) \
	{ \
		SYS_##name, #name, kind \
	}
static const struct {
	int nr;
	const char *name;
	unsigned int kind;
} table[] = {
    CALL(access, PATH),
    CALL(arch_prctl, ANY),
    CALL(brk, CALL_NEVER), /* answers the old end, no errno */
    CALL(capget, ANY),
    CALL(capset, ANY),
    CALL(chdir, PATH),
    CALL(chmod, MAKE),
    CALL(chown, MAKE),
    CALL(clock_gettime, ANY),
    CALL(clock_nanosleep, WAITS | CALL_CHANCE),
    CALL(clone, SPAWN),
    CALL(clone3, SPAWN),
    CALL(close, CALL_DONE | CALL_WAIT | CALL_SPACE),
    CALL(close_range, ANY),
    CALL(dup2, FD),
    CALL(dup3, FD),
    CALL(epoll_create1, FD),
    CALL(epoll_ctl, ANY | CALL_SPACE),
    CALL(epoll_wait, WAITS),
    CALL(execve, PATH | CALL_FD),
    CALL(execveat, PATH | CALL_FD),
    CALL(exit, CALL_NEVER),
    CALL(exit_group, CALL_NEVER),
    CALL(faccessat2, PATH),
    CALL(fchdir, PATH),
    CALL(fchmod, MAKE),
    CALL(fchmodat, MAKE),
    CALL(fchown, MAKE),
    CALL(fchownat, MAKE),
    CALL(fcntl, FD | CALL_WAIT),
    CALL(fdatasync, ANY | CALL_SPACE | CALL_WAIT),
    CALL(flock, WAITS),
    CALL(fsconfig, MAKE),
    CALL(fsmount, OPEN | CALL_SPACE),
    CALL(fsopen, FD),
    CALL(fspick, OPEN),
    CALL(fstat, PATH),
    CALL(fstatfs, PATH),
    CALL(fsync, ANY | CALL_SPACE | CALL_WAIT),
    CALL(ftruncate, MAKE | CALL_WAIT),
    CALL(futex, CALL_NEVER), /* no second thread: it only wakes nobody */
    CALL(getcwd, PATH),
    CALL(getdents64, PATH),
    CALL(getegid, CALL_NEVER),
    CALL(geteuid, CALL_NEVER),
    CALL(getgid, CALL_NEVER),
    CALL(getpid, CALL_NEVER),
    CALL(getppid, CALL_NEVER),
    CALL(getpriority, ANY),
    CALL(getrandom, WAITS),
    CALL(getrusage, ANY),
    CALL(getsid, ANY),
    CALL(getsockopt, ANY),
    CALL(gettid, CALL_NEVER),
    CALL(getuid, CALL_NEVER),
    CALL(getxattr, PATH),
    CALL(inotify_add_watch, PATH | CALL_SPACE),
    CALL(inotify_init1, FD),
    CALL(ioctl, ANY),
    CALL(keyctl, PATH),
    CALL(kill, ANY),
    CALL(landlock_add_rule, ANY),
    CALL(landlock_create_ruleset, FD),
    CALL(landlock_restrict_self, ANY),
    CALL(linkat, MAKE),
    CALL(lseek, ANY),
    CALL(lstat, PATH),
    CALL(madvise, ANY),
    CALL(memfd_create, FD),
    CALL(mkdir, MAKE),
    CALL(mkdirat, MAKE),
    CALL(mknodat, MAKE),
    CALL(mmap, PATH),
    CALL(mount, MAKE),
    CALL(mount_setattr, MAKE),
    CALL(move_mount, MAKE),
    CALL(mprotect, ANY),
    CALL(mremap, ANY),
    CALL(munmap, ANY),
    CALL(name_to_handle_at, PATH),
    CALL(newfstatat, PATH),
    CALL(open, OPEN | CALL_WAIT),
    CALL(open_tree, OPEN),
    CALL(openat, OPEN | CALL_WAIT | CALL_SPACE),
    CALL(openat2, OPEN | CALL_WAIT),
    CALL(pidfd_getfd, FD),
    CALL(pidfd_open, FD),
    CALL(pidfd_send_signal, ANY),
    CALL(pipe2, FD),
    CALL(pivot_root, MAKE),
    CALL(poll, WAITS),
    CALL(ppoll, WAITS),
    CALL(prctl, ANY),
    CALL(pread64, INPUT),
    CALL(prlimit64, ANY),
    CALL(pwrite64, OUTPUT),
    CALL(read, INPUT),
    CALL(readlink, PATH),
    CALL(readlinkat, PATH),
    CALL(recvmsg, WAITS | CALL_CUT),
    CALL(recvfrom, WAITS | CALL_CUT),
    CALL(rename, MAKE),
    CALL(renameat, MAKE),
    CALL(renameat2, MAKE),
    CALL(rmdir, MAKE),
    CALL(rseq, ANY),
    CALL(rt_sigaction, ANY),
    CALL(rt_sigpending, ANY),
    CALL(rt_sigprocmask, ANY),
    CALL(rt_sigreturn, CALL_NEVER),
    CALL(restart_syscall, CALL_NEVER),
    CALL(rt_sigtimedwait, WAITS),
    CALL(sched_getaffinity, ANY),
    CALL(sched_getparam, ANY),
    CALL(sched_getscheduler, ANY),
    CALL(sched_setscheduler, ANY),
    CALL(seccomp, PATH),
    CALL(sendfile, WAITS | CALL_CUT | CALL_SPACE | CALL_PATH),
    CALL(sendmsg, WAITS | CALL_SPACE),
    CALL(sendto, WAITS | CALL_SPACE),
    CALL(set_robust_list, ANY),
    CALL(set_tid_address, CALL_NEVER),
    CALL(setdomainname, ANY),
    CALL(setfsgid, CALL_NEVER),
    CALL(setfsuid, CALL_NEVER),
    CALL(setgroups, ANY),
    CALL(sethostname, ANY),
    CALL(getitimer, ANY),
    CALL(setitimer, ANY),
    CALL(setns, ANY),
    CALL(setpriority, PATH),
    CALL(setresgid, WAITS),
    CALL(setresuid, WAITS),
    CALL(setsid, ANY),
    CALL(setsockopt, ANY),
    CALL(shutdown, ANY),
    CALL(signalfd4, FD),
    CALL(socket, FD),
    CALL(socketpair, FD),
    CALL(splice, WAITS | CALL_CUT),
    CALL(stat, PATH),
    CALL(statfs, PATH),
    CALL(statx, PATH),
    CALL(symlinkat, MAKE),
    CALL(sysinfo, ANY), /* qsort(3) */
    CALL(tee, WAITS | CALL_CUT),
    CALL(tgkill, ANY),
    CALL(umask, CALL_NEVER),
    CALL(umount2, PATH),
    CALL(uname, ANY),
    CALL(unlink, MAKE),
    CALL(unlinkat, MAKE),
    CALL(unshare, ANY | CALL_SPACE),
    CALL(utimensat, MAKE),
    CALL(wait4, WAITS),
    CALL(waitid, WAITS),
    CALL(write, OUTPUT),
    CALL(writev, WAITS | CALL_SPACE),
};

/* Each fault, and the calls that may have it. */
static const struct {
	int fault;
	unsigned int kinds;
} faults[FAULT_COUNT] = {
    {EPERM, CALL_ANY},
    {ENOSYS, CALL_ANY},
    {EINVAL, CALL_ANY},
    {ENOMEM, CALL_ANY},
    {EACCES, CALL_PATH},
    {EMFILE, CALL_FD},
    {ENOSPC, CALL_SPACE},
    {EIO, CALL_SPACE | CALL_PATH | CALL_LESS},
    {EAGAIN, CALL_WAIT},
    {EINTR, CALL_WAIT},
    {FAULT_SHORT, CALL_LESS | CALL_CUT},
};

unsigned int
call_kind(int nr)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].nr == nr)
			return (table[i].kind);
	return (0);
}

const char *
call_name(int nr)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].nr == nr)
			return (table[i].name);
	return ("unknown");
}

int
fault_at_index(unsigned int index)
{
	return (faults[index].fault);
}

bool
fault_is_plausible(unsigned int kind, int fault)
{
	for (unsigned int i = 0; i < FAULT_COUNT; i++)
		if (faults[i].fault == fault)
			return ((faults[i].kinds & kind) != 0);
	return (false);
}

const char *
fault_name(int fault)
{
	return (fault == FAULT_SHORT ? "short" : strerrorname_np(fault));
}
