/*
 * mountinfo_fixture.h - a plan, the launch that it belongs to, and a directory
 * that looks like /proc/PID, whose mountinfo is in memory: it is read thousands
 * of times.  For the unit test and the fuzz target of the mount table.
 */
#ifndef TESTS_MOUNTINFO_FIXTURE_H
#define TESTS_MOUNTINFO_FIXTURE_H

#include <sys/mman.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"

static struct plan plan = {.controls = CONTROL_ALL,
    .entry_count = 3,
    .entries = {{.kind = ENTRY_BIND, .path = "/usr"},
	{.kind = ENTRY_BIND, .flags = ENTRY_WRITABLE, .path = "/work/a b\\c"},
	{.kind = ENTRY_DIR, .path = "/empty"}}};
static struct board board;
static struct launch launch = {.plan = &plan,
    .board = &board,
    .current = CTL_MNTNS,
    .job_proc = -1};
static char mountinfo_dir[] = "/tmp/agsbx-mountinfo.XXXXXX";
static int mountinfo_fd = -1;

/* False: what the fixture needs of the host was refused. */
static inline bool
mountinfo_setup(void)
{
	char link[64];

	if (mkdtemp(mountinfo_dir) == NULL)
		return (false);
	launch.job_proc =
	    open(mountinfo_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mountinfo_fd = memfd_create("mountinfo", MFD_CLOEXEC);
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", mountinfo_fd);
	return (symlinkat(link, launch.job_proc, "mountinfo") == 0);
}

static inline void
mountinfo_teardown(void)
{
	(void)unlinkat(launch.job_proc, "mountinfo", 0);
	(void)rmdir(mountinfo_dir);
}

/* What it holds from now on, before a launch that has read nothing yet. */
static inline bool
mountinfo_put(const void *text, size_t len)
{
	memset(&board, 0, sizeof(board));
	launch.current = CTL_MNTNS;
	return (ftruncate(mountinfo_fd, 0) == 0 &&
	    pwrite(mountinfo_fd, text, len, 0) == (ssize_t)len);
}

#endif
