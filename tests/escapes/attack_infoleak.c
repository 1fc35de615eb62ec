/*
 * attack_infoleak.c - probes of the group infoleak: see infoleak.def.  Each
 * shows what it learned; the residuals of other groups are here as well.
 */
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define SHOWS(name) \
	int attempt_il_##name(char *const *args) \
	{ \
		return (show_file(args[0])); \
	}
SHOWS(passwd)
SHOWS(group)
SHOWS(machine_id)
SHOWS(loadavg)
SHOWS(uptime_file)

/* All of it: show_file() shows a page. */
static int
show_all(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n = -1;

	while (fd != -1 && (n = read(fd, buf, sizeof(buf))) > 0)
		(void)!write(STDOUT_FILENO, buf, (size_t)n);
	(void)close(fd);
	return (fd == -1 || n == -1 ? errno : 0);
}

int
attempt_il_mounts(char *const *args)
{
	(void)args;
	return (show_all("/proc/self/mountinfo"));
}

/* Naked nothing is bound: it shows what it was told of. */
int
attempt_pr_mountinfo(char *const *args)
{
	if (access("/shown", F_OK) == -1)
		return (dprintf(STDOUT_FILENO, "%s\n", args[0]) < 0);
	return (show_all("/proc/self/mountinfo"));
}

int
attempt_il_uptime(char *const *args)
{
	struct sysinfo info;

	(void)args;
	if (sysinfo(&info) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "%ld\n", info.uptime);
	return (0);
}

/* It stops while a host sleeps, which servers do not. */
int
attempt_il_monotonic(char *const *args)
{
	struct timespec up;

	(void)args;
	if (clock_gettime(CLOCK_MONOTONIC, &up) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "%ld\n", (long)up.tv_sec);
	return (0);
}

/* How often a file was opened between two rests of whoever opens it. */
int
attempt_il_inotify(char *const *args)
{
	int fd = inotify_init1(IN_CLOEXEC);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct inotify_event event;
	int opened = 0, rests = 0;

	if (fd == -1 || inotify_add_watch(fd, args[0], IN_ALL_EVENTS) == -1)
		return (errno);
	/* Of a file, not a directory: no event has a name behind it. */
	for (int i = 0; i < 20000 && rests < 5; i++) {
		if (poll(&p, 1, 100) == 1 &&
		    read(fd, &event, sizeof(event)) == sizeof(event)) {
			opened += (event.mask & IN_OPEN) != 0;
		} else if (opened != 0) {
			(void)dprintf(STDOUT_FILENO, "opened %d\n", opened);
			opened = 0;
			rests++;
		}
	}
	return (0);
}

int
attempt_il_softnet(char *const *args)
{
	(void)args;
	return (show_file("/proc/self/net/softnet_stat"));
}

int
attempt_il_sockstat(char *const *args)
{
	(void)args;
	return (show_file("/proc/self/net/sockstat"));
}

/* As pr_mountinfo. */
int
attempt_pr_mount_owner(char *const *args)
{
	if (access("/shown", F_OK) == -1)
		return (dprintf(STDOUT_FILENO, "uid=%d,gid=%d\n", getuid(),
			    getgid()) < 0);
	(void)args;
	return (show_all("/proc/self/mountinfo"));
}

int
attempt_il_sysinfo(char *const *args)
{
	struct sysinfo info;

	(void)args;
	if (sysinfo(&info) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "memory %lu\n",
	    info.totalram * info.mem_unit);
	return (0);
}

int
attempt_il_statfs(char *const *args)
{
	struct statfs st;

	(void)args;
	if (statfs("/usr", &st) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "disk %ju\n", (uintmax_t)st.f_blocks);
	return (0);
}

/* Of its own program, which is in memory: the answer is not EAGAIN. */
int
attempt_il_pagecache(char *const *args)
{
	char byte;
	struct iovec to = {&byte, 1};
	int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);

	(void)args;
	if (fd == -1)
		return (errno);
	(void)!read(fd, &byte, 1);
	return (errno_of(preadv2(fd, &to, 1, 0, RWF_NOWAIT)));
}

int
attempt_il_nsids(char *const *args)
{
	char link[64];
	ssize_t n = readlink("/proc/self/ns/pid", link, sizeof(link));

	(void)args;
	return (n > 5 && memcmp(link, "pid:[", 5) == 0 ? 0 : errno_of(n));
}

int
attempt_il_release(char *const *args)
{
	struct utsname name;

	(void)args;
	if (uname(&name) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "release %s\n", name.release);
	return (0);
}

int
attempt_il_cpuid(char *const *args)
{
	unsigned int a, b, c, d;

	(void)args;
	return (
	    __get_cpuid(0x80000002U, &a, &b, &c, &d) == 1 ? 0 : DONE_NOT_HERE);
}

int
attempt_il_cycles(char *const *args)
{
	uint64_t first = __builtin_ia32_rdtsc();

	(void)args;
	return (__builtin_ia32_rdtsc() > first ? 0 : EIO);
}

/* ---- residuals of other groups ---- */

/* Its own program, as a file that is in no file system. */
int
attempt_fs_noexec_memfd(char *const *args)
{
	static char name[] = "agsbx-attack";
	char *const argv[] = {name, NULL};
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), status = 0;
	int copy = memfd_create("copy", MFD_CLOEXEC);
	pid_t pid;

	(void)args;
	if (self == -1 || copy == -1 ||
	    sendfile(copy, self, NULL, 64U << 20) == -1 || (pid = fork()) == -1)
		return (errno);
	if (pid == 0) {
		(void)fexecve(copy, argv, environ);
		_exit(127);
	}
	(void)waitpid(pid, &status, 0);
	/* Without arguments it ends with 2. */
	return (WIFEXITED(status) && WEXITSTATUS(status) == 2 ? 0 : EACCES);
}

int
attempt_rs_locks(char *const *args)
{
	static const char path[] = "/tmp/agsbx-locks";
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), rc = 0;

	(void)args;
	if (fd == -1)
		return (errno);
	for (int i = 0; i < 4000 && rc == 0; i++)
		rc = errno_of(fcntl(fd, F_SETLK,
		    &(struct flock){.l_type = F_WRLCK,
			.l_whence = SEEK_SET,
			.l_start = 2 * i,
			.l_len = 1}));
	(void)unlink(path);
	return (rc);
}

/* Neighbours of another kind, so that they are not joined. */
int
attempt_rs_vmas(char *const *args)
{
	(void)args;
	for (int i = 0; i < 30000; i++) {
		int kind = i % 2 == 0 ? PROT_READ : PROT_NONE;

		if (mmap(NULL, 4096, kind, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0) == MAP_FAILED)
			return (errno);
	}
	return (0);
}
