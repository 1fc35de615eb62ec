/*
 * run_clean.c - what trials leave is ended and removed: by descriptors, so that
 * no link is followed, and whatever the modes are.
 *
 * Knows nothing of attempts.  Called by the worker after each trial, and by the
 * runner for a worker that did not come to its end.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define DEPTH_MAX 64 /* of descriptors: no drill makes more */

/* A directory that nobody may read is opened all the same. */
static int
open_dir(int parent, const char *name)
{
	char path[64];
	int fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int handle;

	if (fd != -1 || errno != EACCES)
		return (fd);
	handle =
	    openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (handle == -1)
		return (-1);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
	if (chmod(path, 0700) == 0)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)close(handle);
	return (fd);
}

static void
remove_at(int parent, const char *name, int depth)
{
	struct dirent *e;
	DIR *dir;
	int fd;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT ||
	    depth == DEPTH_MAX || (fd = open_dir(parent, name)) == -1)
		return;
	(void)fchmod(fd, 0700); /* read, and not written, is not enough */
	if ((dir = fdopendir(fd)) == NULL) {
		(void)close(fd);
		return;
	}
	while ((e = readdir(dir)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_at(fd, e->d_name, depth + 1);
	}
	(void)closedir(dir);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

void
remove_tree(const char *path)
{
	remove_at(AT_FDCWD, path, 0);
}

void
end_children(const pid_t *but, size_t count)
{
	char list[4096], dir[64];
	bool is_one = true;

	(void)snprintf(dir, sizeof(dir), "/proc/self/task/%d", getpid());
	for (int tries = 0; is_one && tries < 1000; tries++) {
		is_one = false;
		if (read_file(dir, "children", list, sizeof(list)) <= 0)
			break;
		for (char *p = list; *p != '\0';) {
			pid_t pid = (pid_t)strtol(p, &p, 10);
			size_t i = 0;

			p += strspn(p, " \n");
			while (i < count && but[i] != pid)
				i++;
			if (i < count)
				continue;
			is_one = true;
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, NULL, WNOHANG | __WALL);
		}
		(void)usleep(1000);
	}
}
