/*
 * attack_ns.c - probes of the group ns: see ns.def.
 */
#include <linux/sched.h>

#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

/* Beside a process that stays where it was. */
static int
unshare_and_hold(int flag)
{
	pid_t stays = fork();
	int rc;

	if (stays == 0) {
		for (;;)
			(void)pause();
	}
	rc = unshare(flag) == -1 ? errno : hold();
	end_child(stays);
	return (rc);
}

int
attempt_ns_unshare_user(char *const *args)
{
	(void)args;
	return (unshare_and_hold(CLONE_NEWUSER));
}

/* The child is there, beside us, until the runner has looked. */
static int
clone_and_hold(unsigned long flag)
{
	long pid = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);
	int rc;

	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	rc = pid == -1 ? errno : hold();
	if (pid > 0)
		end_child((pid_t)pid);
	return (rc);
}

#define CLONES(name) \
	int attempt_ns_clone_##name(char *const *args) \
	{ \
		return (clone_and_hold(strtoul(args[0], NULL, 16))); \
	}
#define BOTH(name) \
	int attempt_ns_unshare_##name(char *const *args) \
	{ \
		return (unshare_and_hold((int)strtoul(args[0], NULL, 16))); \
	} \
	CLONES(name)
BOTH(mnt)
BOTH(net)
BOTH(uts)
BOTH(ipc)
BOTH(cgroup)
CLONES(pid)

/* 0 when there was a child, else the errno. */
static int
child_done(long pid)
{
	int rc;

	if (pid == 0) {
		(void)alarm(20);
		(void)pause();
		_exit(0);
	}
	if (pid == -1)
		return (errno);
	rc = hold();
	end_child((pid_t)pid);
	return (rc);
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
attempt_ns_clone3_time(char *const *args)
{
	struct clone_args clone = {.flags = CLONE_NEWUSER | CLONE_NEWTIME,
	    .exit_signal = SIGCHLD};

	(void)args;
	return (child_done(syscall(SYS_clone3, &clone, sizeof(clone))));
}

/* No cgroup, and that is what only the kernel itself can tell. */
int
attempt_ns_clone3_cgroup(char *const *args)
{
	struct clone_args clone = {.flags = CLONE_INTO_CGROUP,
	    .exit_signal = SIGCHLD,
	    .cgroup = STDIN_FILENO};
	long pid = syscall(SYS_clone3, &clone, sizeof(clone));

	(void)args;
	return (pid == -1 && errno == EBADF ? 0 : child_done(pid));
}

/* Its own: that it may is the question, not where to. */
int
attempt_ns_setns(char *const *args)
{
	int fd = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);

	(void)args;
	return (errno_of(fd == -1 ? -1 : setns(fd, 0)));
}

int
attempt_ns_sethostname(char *const *args)
{
	(void)args;
	return (errno_of(sethostname("taken", 5)));
}

int
attempt_ns_setdomainname(char *const *args)
{
	(void)args;
	return (errno_of(setdomainname("taken", 5)));
}

int
attempt_ns_handle(char *const *args)
{
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle = {.head.handle_bytes = MAX_HANDLE_SZ};
	int mount;

	(void)args;
	return (errno_of(
	    name_to_handle_at(AT_FDCWD, "/", &handle.head, &mount, 0)));
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
