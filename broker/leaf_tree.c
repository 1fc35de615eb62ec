/*
 * Cgroups as directories: their files, controllers and types.  Enables
 * controllers where it is told to; moves and makes nothing.  Called by the
 * other leaf_*.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"

static const struct {
	unsigned int bit;
	const char *name;
} leaf_words[] = {
    {LEAF_MEMORY, "memory"},
    {LEAF_PIDS, "pids"},
    {LEAF_CPU, "cpu"},
};
#define LEAF_WORDS (sizeof(leaf_words) / sizeof(leaf_words[0]))

bool
leaf_own_path(const char *proc_cgroup, char path[static LEAF_PATH_MAX])
{
	char line[LEAF_PATH_MAX + 4];
	bool is_found = false;
	FILE *f = fopen(proc_cgroup, "re");

	if (f == NULL)
		return (false);
	while (!is_found && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "0::/", 4) == 0) {
			is_found = strchr(line, '\n') != NULL;
			line[strcspn(line, "\n")] = '\0';
			is_found = is_found &&
			    strlcpy(path, line + 3, LEAF_PATH_MAX) <
				LEAF_PATH_MAX;
		}
	(void)fclose(f); /* only read from */
	return (is_found);
}

const char *
leaf_file(const char *dir, const char *file, char path[static LEAF_PATH_MAX])
{
	return (
	    snprintf(path, LEAF_PATH_MAX, "%s/%s", dir, file) < LEAF_PATH_MAX ?
		path :
		NULL);
}

unsigned int
leaf_controllers(const char *dir, const char *file)
{
	char path[LEAF_PATH_MAX], text[512];
	char *rest = text, *word;
	unsigned int set = 0;

	if (leaf_file(dir, file, path) == NULL ||
	    io_read_file(AT_FDCWD, path, text, sizeof(text)) == -1)
		return (0);
	while ((word = strsep(&rest, " \n")) != NULL)
		for (size_t i = 0; i < LEAF_WORDS; i++)
			if (strcmp(word, leaf_words[i].name) == 0)
				set |= leaf_words[i].bit;
	return (set);
}

unsigned int
leaf_enable(const char *dir, int *err)
{
	unsigned int has = leaf_controllers(dir, "cgroup.controllers");
	unsigned int on = leaf_controllers(dir, "cgroup.subtree_control");
	char path[LEAF_PATH_MAX], text[16];

	*err = 0;
	if (leaf_file(dir, "cgroup.subtree_control", path) == NULL)
		return (0);
	for (size_t i = 0; i < LEAF_WORDS; i++) {
		if ((has & ~on & leaf_words[i].bit) == 0)
			continue;
		(void)snprintf(text, sizeof(text), "+%s", /* it fits */
		    leaf_words[i].name);
		if (io_write_file(AT_FDCWD, path, text) == -1)
			*err = errno;
	}
	return (leaf_controllers(dir, "cgroup.subtree_control"));
}

bool
leaf_can_write(const char *dir, const char *file)
{
	char path[LEAF_PATH_MAX];

	return (leaf_file(dir, file, path) != NULL && access(path, W_OK) == 0);
}

bool
leaf_is_domain(const char *dir)
{
	char path[LEAF_PATH_MAX], text[32];

	if (leaf_file(dir, "cgroup.type", path) == NULL)
		return (false);
	if (io_read_file(AT_FDCWD, path, text, sizeof(text)) == -1)
		return (errno == ENOENT);
	return (strcmp(text, "domain\n") == 0);
}
