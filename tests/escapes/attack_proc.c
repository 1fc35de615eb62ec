/*
 * attack_proc.c - probes of the group proc: see proc.def.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

#define SHOWS(name) \
	int attempt_pr_##name(char *const *args) \
	{ \
		return (show_file(args[0])); \
	}
SHOWS(version)
SHOWS(meminfo)
SHOWS(cmdline)
SHOWS(cpuinfo)
SHOWS(kallsyms)
SHOWS(iomem)
SHOWS(config_gz)
SHOWS(boot_id)
SHOWS(core_pattern)
SHOWS(partitions)
SHOWS(devices)
SHOWS(filesystems)
SHOWS(pressure)
SHOWS(stat)
SHOWS(interrupts)
SHOWS(host_comm)
SHOWS(host_status)
SHOWS(sys)

/* A file of the parent, which is init; naked it is the runner. */
static int
open_parents(const char *name, int flags)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", getppid(), name);
	return (open(path, flags | O_CLOEXEC));
}

int
attempt_pr_init_status(char *const *args)
{
	char path[64];

	(void)args;
	(void)snprintf(path, sizeof(path), "/proc/%d/status", getppid());
	return (show_file(path));
}

int
attempt_pr_init_fdlist(char *const *args)
{
	(void)args;
	return (errno_of(open_parents("fd", O_RDONLY | O_DIRECTORY)));
}

#define OPENS_AND_HOLDS(name, flags) \
	int attempt_pr_init_##name(char *const *args) \
	{ \
		int fd = open_parents(args[0], flags); \
\
		return (fd == -1 ? errno : hold()); \
	}
OPENS_AND_HOLDS(mem, O_RDWR)
OPENS_AND_HOLDS(environ, O_RDONLY)
OPENS_AND_HOLDS(maps, O_RDONLY)
OPENS_AND_HOLDS(auxv, O_RDONLY)

#define FOLLOWS(name) \
	int attempt_pr_init_##name(char *const *args) \
	{ \
		return (errno_of(open_parents(args[0], O_PATH))); \
	}
FOLLOWS(root)
FOLLOWS(exe)

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

/* The child sees whether its memory changed. */
int
attempt_pr_child_mem(char *const *args)
{
	const char *volatile text = read_only;
	char path[64];
	int go[2], fd, rc, status = 1;
	pid_t pid;
	char byte;

	(void)args;
	if (pipe2(go, O_CLOEXEC) == -1 || (pid = fork()) == -1)
		return (errno);
	if (pid == 0) {
		(void)close(go[1]);
		(void)!read(go[0], &byte, 1);
		_exit(strcmp(text, "broken") != 0);
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	rc = fd == -1 || pwrite(fd, "broken", 6, (off_t)(uintptr_t)text) != 6 ?
	    errno :
	    0;
	(void)close(go[1]);
	(void)waitpid(pid, &status, 0);
	return (rc == 0 && status != 0 ? EIO : rc);
}
