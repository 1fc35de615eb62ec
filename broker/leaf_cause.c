/*
 * Why no leaf with a memory controller can be made in a cgroup, for a person,
 * and the command that changes it.  Wording only: reads what leaf_find.c found
 * wrong once more, decides nothing.
 */
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <linux/magic.h>

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"

#define NO_LEAF "no delegated cgroup v2"
#define USE_V2 \
	"boot with cgroup_no_v1=all (systemd: " \
	"systemd.unified_cgroup_hierarchy=1), so that all controllers are v2"

void
leaf_say(char *text, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, size, fmt, ap); /* may be cut */
	va_end(ap);
}

static bool
is_filesystem(const char *path, unsigned long magic)
{
	struct statfs fs;

	return (statfs(path, &fs) == 0 && (unsigned long)fs.f_type == magic);
}

static void
print_mount_cause(const struct leaf_host *host, struct leaf_place *place)
{
	char unified[LEAF_PATH_MAX];
	size_t size = sizeof(place->cause);
	bool is_hybrid = snprintf(unified, sizeof(unified), "%s/unified",
			     host->mount) < (int)sizeof(unified) &&
	    is_filesystem(unified, host->magic);

	if (is_hybrid)
		leaf_say(place->cause, size, NO_LEAF " (%s is a hybrid mount)",
		    host->mount);
	else if (is_filesystem(host->mount, TMPFS_MAGIC))
		leaf_say(place->cause, size, NO_LEAF " (%s is cgroup v1)",
		    host->mount);
	else if (access(host->proc_cgroup, F_OK) == -1)
		leaf_say(place->cause, size,
		    NO_LEAF " (the kernel has no cgroups)");
	else
		leaf_say(place->cause, size,
		    NO_LEAF " (nothing is mounted on %s)", host->mount);
	if (is_hybrid || is_filesystem(host->mount, TMPFS_MAGIC))
		(void)strlcpy(place->fix, USE_V2, sizeof(place->fix));
	else if (access(host->proc_cgroup, F_OK) == 0)
		leaf_say(place->fix, sizeof(place->fix),
		    "as root: mount -t cgroup2 -o nsdelegate cgroup2 %s, and "
		    "start agsbx as root once more: it makes its own subtree "
		    "and drops root",
		    host->mount);
}

bool
leaf_mount_is_v2(const struct leaf_host *host)
{
	return (is_filesystem(host->mount, host->magic));
}

void
leaf_explain_mount(const struct leaf_host *host, struct leaf_place *place)
{
	print_mount_cause(host, place);
	leaf_say(place->steps[LEAF_STEP_OWN], sizeof(place->steps[0]), "%s",
	    place->cause);
}

static void
print_owner(uid_t uid, char *name, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw != NULL && strlcpy(name, pw->pw_name, size) < size)
		return;
	leaf_say(name, size, "uid %u", uid); /* fits */
}

/* The command that gives the caller's shell a subtree. */
static void
explain_owner(const struct leaf_host *host, const char *path,
    const struct stat *st, struct leaf_obstacle *o)
{
	char owner[64];
	unsigned int uid = getuid();

	print_owner(st->st_uid, owner, sizeof(owner));
	leaf_say(o->text, sizeof(o->text), "%s belongs to %s", path, owner);
	leaf_say(o->fix, sizeof(o->fix),
	    "as root: cd %s && echo +memory +pids > cgroup.subtree_control && "
	    "mkdir -p agsbx/shell && "
	    "echo +memory +pids > agsbx/cgroup.subtree_control && "
	    "chown %u agsbx agsbx/cgroup.procs agsbx/cgroup.subtree_control && "
	    "chown -R %u agsbx/shell && echo %d > agsbx/shell/cgroup.procs",
	    host->mount, uid, uid, getppid());
}

/* "memory 0 107 0": the last number says whether it is enabled. */
static bool
is_switched_off(const char *proc_cgroups)
{
	char line[256];
	unsigned int on = 1;
	FILE *f = fopen(proc_cgroups, "re");

	if (f == NULL)
		return (false);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "memory %*u %*u %u", &on) == 1)
			break;
	(void)fclose(f); /* only read from */
	return (on == 0);
}

/* The first cgroup on the way down that does not pass memory on. */
static void
explain_controller(const struct leaf_host *host, const char *dir,
    const char *path, struct leaf_obstacle *o)
{
	char at[LEAF_PATH_MAX];
	size_t len = strlen(host->mount);

	if (is_switched_off(host->proc_cgroups)) {
		leaf_say(o->text, sizeof(o->text),
		    "%s has no memory controller: it is switched off", path);
		leaf_say(o->fix, sizeof(o->fix),
		    "boot without cgroup_disable=memory");
		return;
	}
	leaf_say(o->text, sizeof(o->text), "%s has no memory controller", path);
	if ((leaf_controllers(host->mount, "cgroup.controllers") &
		LEAF_MEMORY) == 0)
		return;
	do {
		leaf_say(at, sizeof(at), "%.*s", (int)len, dir);
		if ((leaf_controllers(at, "cgroup.subtree_control") &
			LEAF_MEMORY) == 0)
			break;
		len += 1 + strcspn(dir + len + (dir[len] != '\0'), "/");
	} while (len < strlen(dir));
	leaf_say(o->fix, sizeof(o->fix),
	    "as root: echo +memory +pids > %s/cgroup.subtree_control", at);
}

static bool
explain_type(const char *dir, const char *path, struct leaf_obstacle *o)
{
	char name[LEAF_PATH_MAX], type[32];

	if (snprintf(name, sizeof(name), "%s/cgroup.type", dir) >=
		(int)sizeof(name) ||
	    io_read_file(AT_FDCWD, name, type, sizeof(type)) == -1)
		return (false); /* the root of the hierarchy has no type */
	type[strcspn(type, "\n")] = '\0';
	if (strcmp(type, "domain") == 0)
		return (false);
	leaf_say(o->text, sizeof(o->text),
	    "%s is of type \"%s\"; only a domain can hold a memory ceiling",
	    path, type);
	return (true);
}

void
leaf_explain_dir(const struct leaf_host *host, const char *dir,
    const char *path, int err, struct leaf_obstacle *o)
{
	struct statvfs vfs;
	struct stat st;

	*o = (struct leaf_obstacle){.text = ""};
	if (stat(dir, &st) == -1 || statvfs(dir, &vfs) == -1) {
		leaf_say(o->text, sizeof(o->text), "%s: %s", path,
		    strerror(errno));
	} else if ((vfs.f_flag & ST_RDONLY) != 0) {
		leaf_say(o->text, sizeof(o->text), "%s is read-only",
		    host->mount);
		leaf_say(o->fix, sizeof(o->fix),
		    "start the container with a writable %s (podman: "
		    "--security-opt unmask=%s, docker: --security-opt "
		    "writable-cgroups=true)",
		    host->mount, host->mount);
	} else if (access(dir, W_OK) == -1) {
		explain_owner(host, path, &st, o);
	} else if (explain_type(dir, path, o)) {
		return;
	} else if ((leaf_controllers(dir, "cgroup.controllers") &
		       LEAF_MEMORY) == 0) {
		explain_controller(host, dir, path, o);
	} else if (err != 0 && err != EBUSY) {
		leaf_say(o->text, sizeof(o->text),
		    "%s does not let its controllers be enabled: %s", path,
		    strerror(err));
	} else {
		leaf_say(o->text, sizeof(o->text),
		    "%s has other processes, and a cgroup with processes can "
		    "have no leaf with controllers",
		    path);
		leaf_say(o->fix, sizeof(o->fix),
		    "start agsbx in a delegated cgroup where it is alone");
	}
}
