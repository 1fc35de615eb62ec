/*
 * attack_seccomp.c - probes of the group seccomp: see seccomp.def.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "attack.h"

static int
hold_if(long fd)
{
	return (fd == -1 ? errno : hold());
}

int
attempt_sc_userfaultfd(char *const *args)
{
	(void)args;
	return (hold_if(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY)));
}

int
attempt_sc_subreaper(char *const *args)
{
	(void)args;
	return (errno_of(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)));
}

/* Never connected. */
int
attempt_sc_vsock(char *const *args)
{
	(void)args;
	return (errno_of(socket(AF_VSOCK, SOCK_STREAM, 0)));
}

int
attempt_sc_high_family(char *const *args)
{
	(void)args;
	return (errno_of(
	    syscall(SYS_socket, 1UL << 32 | AF_VSOCK, SOCK_STREAM, 0)));
}

/* 26 is ptrace there and msync here; 0 is PTRACE_TRACEME. */
int
attempt_sc_int80(char *const *args)
{
	long r = 26;

	(void)args;
	__asm__ volatile("int $0x80"
			 : "+a"(r)
			 : "b"(0), "c"(0), "d"(0), "S"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return (r == 0 ? 0 : (int)-r);
}

int
attempt_sc_uring(char *const *args)
{
	char params[256] = {0};

	(void)args;
	return (hold_if(syscall(SYS_io_uring_setup, 4, params)));
}

int
attempt_sc_pipe_size(char *const *args)
{
	int ends[2];

	(void)args;
	if (pipe2(ends, O_CLOEXEC) == -1)
		return (errno);
	return (errno_of(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20)));
}

/* Allows everything. */
static long
load_filter(unsigned int flags)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = {.len = 1, .filter = &allow};

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog));
}

int
attempt_sc_widen(char *const *args)
{
	if (load_filter(0) == -1)
		return (errno);
	return (attempt_sc_userfaultfd(args));
}

int
attempt_sc_listener(char *const *args)
{
	(void)args;
	return (hold_if(load_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER)));
}
