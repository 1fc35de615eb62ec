/*
 * needs.c - what a host must have, or lack, to show an attempt: NULL, or why
 * it cannot.
 */
#include <linux/magic.h>

#include <sys/vfs.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "needs.h"
#include "run.h"

const char *
need_no_memory_controller(void)
{
	return (strstr(setup.waivers, "memory") != NULL ?
		NULL :
		"a memory controller holds the ceiling here");
}

const char *
need_leaf(void)
{
	return (setup.leaves[0] != '\0' ?
		NULL :
		"no cgroup with a memory controller is ours here");
}

const char *
need_swap(void)
{
	char text[1024];

	/* The first line is the heading. */
	if (read_file("/proc", "swaps", text, sizeof(text)) <= 0 ||
	    strchr(text, '\n')[1] == '\0')
		return ("there is no swap here");
	return (need_leaf());
}

const char *
need_host_up(void)
{
	struct timespec up = {0};

	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	return (up.tv_sec >= 300 ? NULL :
				   "the host itself is not up for 5 minutes");
}

const char *
need_host_root(void)
{
	return (geteuid() == 0 ? NULL :
				 "naked only root of the host can do it, and "
				 "the suite is not run as root");
}

/* Landlock names each file of the plan, also where the host's own /etc lies over
 * them. */
const char *
need_whole_etc(void)
{
	static const char *const files[] = {"/etc/passwd", "/etc/group",
	    "/etc/hosts", "/etc/hostname", "/etc/host.conf",
	    "/etc/nsswitch.conf"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (access(files[i], R_OK) == -1)
			return ("/etc lacks a file that each job has");
	return (NULL);
}

const char *
need_programs(void)
{
	static const struct {
		const char *path;
		const char *why;
	} programs[] = {
	    {"/bin/bash", "no bash here"},
	    {"/usr/bin/sqlite3", "no sqlite3 here"},
	    {"/usr/bin/python3", "no python3 here"},
	    {"/usr/bin/pgrep", "no pgrep here"},
	    {"/usr/bin/unshare", "no unshare here"},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (access(programs[i].path, X_OK) == -1)
			return (programs[i].why);
	}
	return (NULL);
}

const char *
need_few_epoll_watches(void)
{
	char text[32];

	if (read_file("/proc/sys/fs/epoll", "max_user_watches", text,
		sizeof(text)) <= 0)
		return ("/proc does not tell how many epoll watches there are");
	return (strtol(text, NULL, 10) <= 800000 ?
		NULL :
		"more than 800,000 epoll watches here: 160 MiB of the kernel's");
}

const char *
need_no_tmpfs(void)
{
	struct statfs fs;

	return (statfs("/var/tmp", &fs) == 0 && fs.f_type != TMPFS_MAGIC ?
		NULL :
		"/var/tmp is a tmpfs, where RLIMIT_FSIZE is enough");
}
