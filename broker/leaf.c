/*
 * Why this host gives no cgroup leaf.  Reads /proc/self/cgroup and the mount
 * at /sys/fs/cgroup; changes nothing.  Called by host.c, once.
 */
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <linux/magic.h>

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "io.h"

#define LEAF_PATH_MAX 768
#define NO_LEAF "no delegated cgroup v2"

static bool
is_filesystem(const char *path, unsigned long magic)
{
	struct statfs fs;

	return (statfs(path, &fs) == 0 && (unsigned long)fs.f_type == magic);
}

/* Our path in the v2 tree: the line "0::/path". */
static bool
find_own_path(const char *proc_cgroup, char *path, size_t size)
{
	char line[LEAF_PATH_MAX];
	bool is_found = false;
	FILE *f = fopen(proc_cgroup, "re");

	if (f == NULL)
		return (false);
	while (!is_found && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "0::/", 4) == 0) {
			line[strcspn(line, "\n")] = '\0';
			is_found = strlcpy(path, line + 3, size) < size;
		}
	(void)fclose(f); /* only read from */
	return (is_found);
}

static bool
has_memory_controller(const char *dir)
{
	char path[LEAF_PATH_MAX + 32];
	char text[512];

	if (snprintf(path, sizeof(path), "%s/cgroup.controllers", dir) >=
		(int)sizeof(path) ||
	    io_read_file(AT_FDCWD, path, text, sizeof(text)) == -1)
		return (false);
	return (strstr(text, "memory") != NULL);
}

static void
print_owner(const struct stat *st, char *name, size_t size)
{
	const struct passwd *pw = getpwuid(st->st_uid);

	if (pw != NULL && strlcpy(name, pw->pw_name, size) < size)
		return;
	(void)snprintf(name, size, "uid %u", st->st_uid); /* fits */
}

/* A v2 tree is mounted: what keeps us from a leaf in it?  A text that is cut
 * is still a cause, so that snprintf's result is not looked at here. */
static void
explain_v2(const char *own, const char *mount, char *cause, size_t size)
{
	char dir[LEAF_PATH_MAX];
	char owner[64];
	struct statvfs vfs;
	struct stat st;

	if (snprintf(dir, sizeof(dir), "%s%s", mount, own) >=
		(int)sizeof(dir) ||
	    stat(dir, &st) == -1 || statvfs(dir, &vfs) == -1) {
		(void)snprintf(cause, size, NO_LEAF ": %s is not visible here",
		    own);
		return;
	}
	if ((vfs.f_flag & ST_RDONLY) != 0) {
		(void)snprintf(cause, size, NO_LEAF ": %s is read-only", mount);
	} else if (access(dir, W_OK) == -1) {
		print_owner(&st, owner, sizeof(owner));
		(void)snprintf(cause, size, NO_LEAF ": %s belongs to %s", own,
		    owner);
	} else if (!has_memory_controller(dir)) {
		(void)snprintf(cause, size,
		    NO_LEAF ": %s has no memory controller", own);
	} else {
		(void)snprintf(cause, size,
		    "this version of agsbx makes no cgroup leaf yet, though "
		    "%s is delegated",
		    own);
	}
}

void
leaf_explain(const char *proc_cgroup, const char *mount, char *cause,
    size_t size)
{
	char own[LEAF_PATH_MAX];
	char unified[LEAF_PATH_MAX];
	bool has_own = find_own_path(proc_cgroup, own, sizeof(own));
	bool is_hybrid = snprintf(unified, sizeof(unified), "%s/unified",
			     mount) < (int)sizeof(unified) &&
	    is_filesystem(unified, CGROUP2_SUPER_MAGIC);

	if (is_filesystem(mount, CGROUP2_SUPER_MAGIC) && has_own)
		explain_v2(own, mount, cause, size);
	else if (is_hybrid)
		(void)snprintf(cause, size, NO_LEAF " (%s is a hybrid mount)",
		    mount);
	else if (is_filesystem(mount, TMPFS_MAGIC))
		(void)snprintf(cause, size, NO_LEAF " (%s is cgroup v1)",
		    mount);
	else if (access(proc_cgroup, F_OK) == -1)
		(void)snprintf(cause, size,
		    NO_LEAF " (the kernel has no cgroups)");
	else
		(void)snprintf(cause, size,
		    NO_LEAF " (nothing is mounted on %s)", mount);
}

void
leaf_find(char *cause, size_t size)
{
	leaf_explain("/proc/self/cgroup", "/sys/fs/cgroup", cause, size);
}
