/*
 * run_leaf.c - cgroups of the runner's own, beside the one that it is in.
 *
 * Only where the cgroup above it is ours with a memory controller: the place
 * where agsbx makes its leaves too.  The naked probe gets one, so that what is
 * charged to it can be told from everything else; all of them are removed.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define CGROUPS "/sys/fs/cgroup"

/* The cgroup of the process, as a path; 0, or -1. */
static int
path_of(const char *proc, char *path, size_t size)
{
	char text[512];

	/* With anything of version 1 there is no "0::" at the start. */
	if (read_file(proc, "cgroup", text, sizeof(text)) <= 0 ||
	    strncmp(text, "0::/", 4) != 0)
		return (-1);
	text[strcspn(text, "\n")] = '\0';
	return (
	    snprintf(path, size, CGROUPS "%s", text + 3) < (int)size ? 0 : -1);
}

void
leaf_find(void)
{
	char path[256], text[256];

	if (path_of("/proc/self", path, sizeof(path)) == -1)
		return;
	*strrchr(path, '/') = '\0';
	if (strlen(path) > sizeof(CGROUPS) && access(path, W_OK) == 0 &&
	    read_file(path, "cgroup.subtree_control", text, sizeof(text)) > 0 &&
	    strstr(text, "memory") != NULL)
		(void)strcpy(setup.leaves, path);
}

int
leaf_make(struct trial *t, const char *name)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/%s", setup.leaves, name);
	if (mkdir(path, 0755) == -1)
		return (-1);
	if (t->attempt->leaf_memory == NULL)
		return (0);
	return (write_file(path, "memory.swap.max", "0") == -1 ||
		    write_file(path, "memory.max", t->attempt->leaf_memory) ==
			-1 ?
		-1 :
		0);
}

int
leaf_enter(const char *name)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/%s", setup.leaves, name);
	return (write_file(path, "cgroup.procs", "0"));
}

/* One that was left frozen cannot be emptied.  Dead is not yet gone. */
void
leaf_remove(const char *name)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/%s", setup.leaves, name);
	for (int i = 0; i < 500 && rmdir(path) == -1 && errno == EBUSY; i++)
		(void)usleep(10000);
}

long
leaf_read_of(pid_t pid, const char *name, char *buf, size_t size)
{
	char proc[64], path[256];

	(void)snprintf(proc, sizeof(proc), "/proc/%d", pid);
	if (path_of(proc, path, sizeof(path)) == -1)
		return (-1);
	return (read_file(path, name, buf, size));
}

bool
leaf_is(pid_t pid, const char *name)
{
	char proc[64], path[256];

	(void)snprintf(proc, sizeof(proc), "/proc/%d", pid);
	return (path_of(proc, path, sizeof(path)) == 0 &&
	    strcmp(strrchr(path, '/') + 1, name) == 0);
}

bool
leaf_is_told(const char *text)
{
	return (setup.leaves[0] != '\0' &&
	    strstr(text, setup.leaves + sizeof(CGROUPS) - 1) != NULL);
}
