/*
 * attack_fs.c - probes of the group fs: see fs.def.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

/* What is tried is all in the path. */
#define SHOWS(name) \
	int attempt_##name(char *const *args) \
	{ \
		return (show_file(args[0])); \
	}
#define PLANTS(name) \
	int attempt_##name(char *const *args) \
	{ \
		return (plant_file(args[0])); \
	}
/* Planted where only the probe's own root has it. */
#define PLANTS_AND_HOLDS(name) \
	int attempt_##name(char *const *args) \
	{ \
		int rc = plant_file(args[0]); \
\
		return (rc == 0 ? hold() : rc); \
	}
#define OPENS_AND_HOLDS(name) \
	int attempt_##name(char *const *args) \
	{ \
		int fd = open(args[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC); \
\
		return (fd == -1 ? errno : hold()); \
	}

SHOWS(fs_host_read)
SHOWS(fs_home_ssh)
SHOWS(fs_home_documents)
SHOWS(fs_oldroot)
SHOWS(fs_dotdot)
SHOWS(fs_cwd_outside)
SHOWS(fs_proc_root)
PLANTS(fs_ro_write)
PLANTS(fs_ro_canary)
PLANTS(fs_host_write)
PLANTS_AND_HOLDS(fs_etc_write)
PLANTS_AND_HOLDS(fs_etc_preload)
PLANTS_AND_HOLDS(fs_dev_plant)
OPENS_AND_HOLDS(fs_dev_autofs)
OPENS_AND_HOLDS(fs_dev_kvm)
OPENS_AND_HOLDS(fs_dev_fuse)

int
attempt_fs_remount_rw(char *const *args)
{
	if (mount(NULL, args[0], NULL, MS_REMOUNT | MS_BIND, NULL) == -1)
		return (errno);
	return (plant_file(args[1]));
}

int
attempt_fs_symlink_out(char *const *args)
{
	if (symlink(args[1], args[0]) == -1)
		return (errno);
	return (show_file(args[0]));
}

int
attempt_fs_host_stat(char *const *args)
{
	struct stat st;

	if (stat(args[0], &st) == -1)
		return (errno);
	(void)dprintf(STDOUT_FILENO, "inode %ju\n", (uintmax_t)st.st_ino);
	return (0);
}

int
attempt_fs_host_list(char *const *args)
{
	DIR *dir = opendir(args[0]);
	struct dirent *e;

	if (dir == NULL)
		return (errno);
	while ((e = readdir(dir)) != NULL)
		(void)dprintf(STDOUT_FILENO, "%s\n", e->d_name);
	(void)closedir(dir);
	return (0);
}

int
attempt_fs_mknod(char *const *args)
{
	return (errno_of(mknod(args[0], S_IFCHR | 0600, 0)));
}

/* In a tmpfs: naked, the one at /etc. */
int
attempt_fs_xattr_flood(char *const *args)
{
	static const char value[32U * 1024];
	char name[32];
	const char *path = "/etc/agsbx-flood";

	(void)args;
	if (plant_file(path) != 0)
		path = "/tmp/agsbx-flood";
	if (plant_file(path) != 0)
		return (DONE_NOT_HERE);
	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "user.%d", i);
		if (setxattr(path, name, value, sizeof(value), 0) == -1)
			return (errno);
	}
	return (0);
}

/* Out of a root that was only changed: a directory above the next one, and up.
 * args[0] is the root to begin with, and has a directory shown in it. */
int
attempt_fs_chroot_break(char *const *args)
{
	int fd;

	if (chroot(args[0]) == -1 || chdir("/") == -1)
		return (errno);
	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1 || chroot("shown") == -1 || fchdir(fd) == -1)
		return (errno);
	for (int i = 0; i < 64; i++) {
		if (chdir("..") == -1)
			return (errno);
	}
	return (chroot(".") == -1 ? errno : show_file(args[1]));
}
