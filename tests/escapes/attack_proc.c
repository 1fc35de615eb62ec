/*
 * attack_proc.c - probes of the group proc: see proc.def.
 */
#include <sys/ptrace.h>
#include <sys/resource.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

int
attempt_pr_version(char *const *args)
{
	return (show_file(args[0]));
}

int
attempt_pr_meminfo(char *const *args)
{
	return (show_file(args[0]));
}

/* Naked its parent is the runner. */
static pid_t
supervisor(void)
{
	return (getppid());
}

int
attempt_pr_init_fdlist(char *const *args)
{
	char path[64] = "/proc/self/fd";
	char pid[16];
	int n = supervisor(), fd;

	(void)args;
	/* by hand: there is nothing else to format */
	char *p = pid + sizeof(pid) - 1;

	for (*p = '\0'; n > 0; n /= 10)
		*--p = (char)('0' + n % 10);
	(void)stpcpy(stpcpy(stpcpy(path, "/proc/"), p), "/fd");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return (errno_of(fd));
}

static const char read_only[] = "intact";

int
attempt_pr_self_mem(char *const *args)
{
	const char *volatile text = read_only;
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	(void)args;
	if (fd == -1 || pwrite(fd, "broken", 6, (off_t)(uintptr_t)text) != 6)
		return (errno);
	return (strcmp(text, "broken") == 0 ? 0 : EIO);
}

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
	return (errno_of(prlimit(supervisor(), RLIMIT_NOFILE, NULL, &now)));
}

int
attempt_ps_ptrace_child(char *const *args)
{
	pid_t pid = fork();
	int rc;

	(void)args;
	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	rc =
	    pid == -1 ? errno : errno_of(ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	end_child(pid);
	return (rc);
}
