/*
 * attack_ns.c - probes of the group ns: see ns.def.
 */
#include <linux/sched.h>

#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

int
attempt_ns_unshare_user(char *const *args)
{
	pid_t stays = fork();
	int rc;

	(void)args;
	if (stays == 0) {
		for (;;)
			(void)pause();
	}
	rc = unshare(CLONE_NEWUSER) == -1 ? errno : hold();
	end_child(stays);
	return (rc);
}

/* 0 when there was a child, else the errno. */
static int
child_done(long pid)
{
	if (pid == 0)
		_exit(0);
	if (pid == -1)
		return (errno);
	(void)waitpid((pid_t)pid, NULL, 0);
	return (0);
}

int
attempt_ns_clone_user(char *const *args)
{
	(void)args;
	return (child_done(
	    syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)));
}

int
attempt_ns_clone3_user(char *const *args)
{
	struct clone_args clone = {.flags = CLONE_NEWUSER,
	    .exit_signal = SIGCHLD};

	(void)args;
	return (child_done(syscall(SYS_clone3, &clone, sizeof(clone))));
}

int
attempt_ns_hostname(char *const *args)
{
	struct utsname name;

	(void)args;
	if (uname(&name) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "%s\n", name.nodename);
	return (0);
}

int
attempt_ns_cgroup_path(char *const *args)
{
	(void)args;
	return (show_file("/proc/self/cgroup"));
}

int
attempt_ns_boottime(char *const *args)
{
	struct timespec up;

	(void)args;
	if (clock_gettime(CLOCK_BOOTTIME, &up) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "%ld\n", (long)up.tv_sec);
	return (0);
}

int
attempt_ns_inotify(char *const *args)
{
	int fd = 0;

	(void)args;
	for (int i = 0; i < 40 && fd != -1; i++)
		fd = inotify_init1(IN_CLOEXEC);
	return (fd == -1 ? errno : hold());
}
