/*
 * procfs.c - the row procfs: a /proc that shows the job to itself only.
 *
 * Always a new one of the job's own pid namespace.  Where the kernel does not
 * grant that (the host's is partly covered) the row fails, and the host's is
 * never bound in its place; when the row is waived, /proc is empty and the
 * links /dev/fd and /dev/stdin lead nowhere.  Applied by init.
 *
 * subset=pid hides /proc/net, a link to self/net, but not self/net itself;
 * programs that list interfaces open it by that name.  The kernel asks for
 * the subset when it first looks a name up, not when the name is known: so
 * the link is looked up before the subset is set, and held open by init.  It
 * shows nothing that self/net does not.
 */
#include <sys/mount.h>

#include <errno.h>
#include <fcntl.h>

#include "io.h"
#include "mounts.h"
#include "proc.h"
#include "sys.h"

static int
attach_procfs(struct launch *l, int fs, int *mount)
{
	if (sys_fsconfig_string(fs, "hidepid", "invisible") == -1 ||
	    sys_fsconfig_create(fs) == -1)
		return (-1);
	*mount = sys_fsmount(fs,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (*mount == -1)
		return (-1);
	/* Full as yet, but nobody can reach it. */
	l->proc_net = openat(*mount, "net", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (l->proc_net == -1 ||
	    sys_fsconfig_string(fs, "subset", "pid") == -1 ||
	    sys_fsconfig_reconfigure(fs) == -1)
		return (-1);
	return (sys_move_mount(*mount, l->root_fd, "proc"));
}

int
procfs_apply(struct launch *l)
{
	int fs, mount = -1, rc = 0;

	if ((fs = sys_fsopen("proc")) == -1 ||
	    attach_procfs(l, fs, &mount) == -1)
		rc = fault_at(l, STEP_MOUNT_PROC, errno, FAULT_HOST);
	io_close(&mount);
	io_close(&fs);
	return (rc);
}

int
procfs_verify(struct launch *l)
{
	readback_want(l, mountinfo_want(CTL_PROCFS));
	readback_got(l, mountinfo_got(CTL_PROCFS));
	return (mountinfo_got(CTL_PROCFS) == 1 ? 0 : proc_mismatch(l));
}
