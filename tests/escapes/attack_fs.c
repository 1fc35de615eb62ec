/*
 * attack_fs.c - probes of the group fs: see fs.def.
 */
#include <sys/mount.h>

#include <errno.h>

#include "attack.h"

int
attempt_fs_host_read(char *const *args)
{
	return (show_file(args[0]));
}

int
attempt_fs_home_ssh(char *const *args)
{
	return (show_file(args[0]));
}

int
attempt_fs_home_documents(char *const *args)
{
	return (show_file(args[0]));
}

int
attempt_fs_oldroot(char *const *args)
{
	return (show_file(args[0]));
}

int
attempt_fs_ro_write(char *const *args)
{
	return (plant_file(args[0]));
}

int
attempt_fs_ro_canary(char *const *args)
{
	return (plant_file(args[0]));
}

int
attempt_fs_remount_rw(char *const *args)
{
	if (mount(NULL, args[0], NULL, MS_REMOUNT | MS_BIND, NULL) == -1)
		return (errno);
	return (plant_file(args[1]));
}

int
attempt_fs_etc_write(char *const *args)
{
	int rc = plant_file(args[0]);

	return (rc == 0 ? hold() : rc);
}
