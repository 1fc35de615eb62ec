/*
 * attack_process.c - probes of the group process: see process.def.
 *
 * Init is the parent of a job; naked it is the runner, which is only read.
 */
#include <linux/kcmp.h>

#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

int
attempt_ps_kill_host(char *const *args)
{
	return (errno_of(kill((pid_t)strtol(args[0], NULL, 10), SIGSTOP)));
}

int
attempt_ps_prlimit_init(char *const *args)
{
	struct rlimit now;

	(void)args;
	/* Reading is enough to know, and harms no runner. */
	return (errno_of(prlimit(getppid(), RLIMIT_NOFILE, NULL, &now)));
}

/* The one that it has is enough to know, and harms no runner. */
int
attempt_ps_renice_init(char *const *args)
{
	const id_t init = (id_t)getppid();
	int now;

	(void)args;
	errno = 0;
	now = getpriority(PRIO_PROCESS, init);
	if (errno != 0)
		return (errno);
	return (errno_of(setpriority(PRIO_PROCESS, init, now)));
}

int
attempt_ps_sigqueue_host(char *const *args)
{
	return (errno_of(sigqueue((pid_t)strtol(args[0], NULL, 10), SIGSTOP,
	    (union sigval){.sival_int = 0})));
}

int
attempt_ps_tkill_host(char *const *args)
{
	return (
	    errno_of(syscall(SYS_tkill, strtol(args[0], NULL, 10), SIGSTOP)));
}

int
attempt_ps_pidfd_host(char *const *args)
{
	long fd = syscall(SYS_pidfd_open, strtol(args[0], NULL, 10), 0);

	return (errno_of(fd == -1 ?
		-1 :
		syscall(SYS_pidfd_send_signal, fd, SIGSTOP, NULL, 0)));
}

int
attempt_ps_ptrace_init(char *const *args)
{
	(void)args;
	return (errno_of(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL)));
}

static int
get_descriptor(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	return (errno_of(fd == -1 ? -1 : syscall(SYS_pidfd_getfd, fd, 1, 0)));
}

int
attempt_ps_getfd_init(char *const *args)
{
	(void)args;
	return (get_descriptor(getppid()));
}

static int
kcmp_errno(pid_t pid)
{
	return (errno_of(syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0L, 0L)));
}

int
attempt_ps_kcmp_init(char *const *args)
{
	(void)args;
	return (kcmp_errno(getppid()));
}

/* With a child that waits: what reach() says of it. */
static int
with_child(int (*reach)(pid_t pid))
{
	pid_t pid = fork();
	int rc;

	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	rc = pid == -1 ? errno : reach(pid);
	end_child(pid);
	return (rc);
}

static char word[8] = "intact";

static int
seize(pid_t pid)
{
	return (errno_of(ptrace(PTRACE_SEIZE, pid, NULL, NULL)));
}

static int
read_from(pid_t pid)
{
	char copy[sizeof(word)] = "";
	struct iovec to = {copy, sizeof(copy)}, from = {word, sizeof(word)};
	ssize_t n = process_vm_readv(pid, &to, 1, &from, 1, 0);

	if (n == -1)
		return (errno);
	return (strcmp(copy, word) == 0 ? 0 : EIO);
}

static int
write_to(pid_t pid)
{
	char other[sizeof(word)] = "broken";
	struct iovec from = {other, sizeof(other)}, to = {word, sizeof(word)};

	return (errno_of(process_vm_writev(pid, &from, 1, &to, 1, 0)));
}

static int
robust_list(pid_t pid)
{
	void *head;
	size_t len;

	return (errno_of(syscall(SYS_get_robust_list, pid, &head, &len)));
}

#define REACHES(name, how) \
	int attempt_ps_##name(char *const *args) \
	{ \
		(void)args; \
		return (with_child(how)); \
	}
REACHES(ptrace_child, seize)
REACHES(vm_readv, read_from)
REACHES(vm_writev, write_to)
REACHES(getfd_child, get_descriptor)
REACHES(kcmp_child, kcmp_errno)
REACHES(robust_list, robust_list)

/* Nothing is executed after it: nobody is stopped. */
int
attempt_ps_traceme(char *const *args)
{
	(void)args;
	return (errno_of(ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
}

/* Naked it is the higher number, which is anybody's to write. */
int
attempt_ps_oom_last(char *const *args)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	(void)args;
	return (fd == -1 ? errno : hold_if(write(fd, "500", 3)));
}
