/*
 * attack_mounts.c - probes of the group ns that change what is mounted where:
 * see ns.def.  args[0] is a read-only bind, or a name for a directory.
 */
#include <sys/mount.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

int
attempt_ns_mount_tmpfs(char *const *args)
{
	(void)args;
	return (hold_if(mount("agsbx-mine", "/tmp", "tmpfs", 0, NULL)));
}

int
attempt_ns_mount_setattr(char *const *args)
{
	struct mount_attr attr = {.attr_clr = MOUNT_ATTR_RDONLY};

	return (
	    hold_if(mount_setattr(AT_FDCWD, args[0], 0, &attr, sizeof(attr))));
}

int
attempt_ns_umount(char *const *args)
{
	return (hold_if(umount2(args[0], MNT_DETACH)));
}

/* To where it may make a directory: naked, the tmpfs at /etc. */
int
attempt_ns_move_mount(char *const *args)
{
	const char *to = "/etc/agsbx-moved";

	if (mkdir(to, 0700) == -1)
		to = "/work/agsbx-moved";
	if (to[1] == 'w' && mkdir(to, 0700) == -1)
		return (DONE_NOT_HERE);
	return (hold_if(move_mount(AT_FDCWD, args[0], AT_FDCWD, to, 0)));
}

int
attempt_ns_fsopen(char *const *args)
{
	(void)args;
	return (hold_if(fsopen("tmpfs", FSOPEN_CLOEXEC)));
}

int
attempt_ns_fsmount(char *const *args)
{
	int fs = fsopen("tmpfs", FSOPEN_CLOEXEC);

	(void)args;
	if (fs == -1 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == -1)
		return (errno);
	return (errno_of(fsmount(fs, FSMOUNT_CLOEXEC, 0)));
}

int
attempt_ns_open_tree(char *const *args)
{
	(void)args;
	return (errno_of(
	    open_tree(AT_FDCWD, "/tmp", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)));
}

/* What is in its root is what the runner looks for. */
int
attempt_ns_chroot(char *const *args)
{
	char jail[128];
	int rc;

	(void)snprintf(jail, sizeof(jail), "%s/agsbx-jail", args[0]);
	if (mkdir(args[0], 0700) == -1 || mkdir(jail, 0700) == -1)
		return (errno);
	rc = chroot(args[0]) == -1 ? errno : hold();
	(void)rmdir(rc == 0 ? "/agsbx-jail" : jail);
	(void)rmdir(args[0]);
	return (rc);
}
