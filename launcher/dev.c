/*
 * dev.c - the row dev: five harmless devices, and ptys of the job's own.
 *
 * The nodes are binds of the host's, since nobody can make device nodes in a
 * user namespace; each is checked to be the very device, before it is bound
 * and again by the launcher.  They cannot be nodev, or they would not work.
 * /dev itself ends up read-only.  Applied by init.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io.h"
#include "mounts.h"
#include "proc.h"
#include "sys.h"

static const struct node {
	const char *name;
	unsigned int minor; /* of major 1, "mem" */
} nodes[] = {{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8},
    {"urandom", 9}};

static const struct {
	const char *name;
	const char *text;
} links[] = {
    {"fd", "/proc/self/fd"},
    {"stdin", "/proc/self/fd/0"},
    {"stdout", "/proc/self/fd/1"},
    {"stderr", "/proc/self/fd/2"},
    {"ptmx", "pts/ptmx"},
};

static bool
is_node(const struct node *node, const struct stat *st)
{
	return (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, node->minor));
}

static int
bind_node(int host, int dev, const struct node *node)
{
	int source, target, mount = -1, rc = -1;
	struct stat st;

	source = openat(host, node->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	target = openat(dev, node->name, O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (source != -1 && target != -1 && fstat(source, &st) == 0) {
		errno = ENODEV;
		if (is_node(node, &st))
			mount = mounts_clone(source,
			    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	}
	if (mount != -1)
		rc = sys_move_mount(mount, dev, node->name);
	io_close(&mount);
	io_close(&source);
	io_close(&target);
	return (rc);
}

static int
bind_nodes(int dev)
{
	int host = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = host == -1 ? -1 : 0;

	for (size_t i = 0; i < COUNT(nodes) && rc == 0; i++)
		rc = bind_node(host, dev, &nodes[i]);
	io_close(&host);
	return (rc);
}

static int
attach_devpts(int dev)
{
	/* Each mount of devpts is an instance of its own. */
	static const struct mount_option options[] = {{.key = "ptmxmode",
							  .value = "0666"},
	    {.key = "mode", .value = "0620"}, {.key = "max", .number = 16}};
	int mount, rc = -1;

	mount = mounts_make("devpts", options, COUNT(options),
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	if (mount != -1)
		rc = sys_move_mount(mount, dev, "pts");
	io_close(&mount);
	return (rc);
}

static int
fill_dev(struct launch *l, int dev)
{
	for (size_t i = 0; i < COUNT(links); i++)
		if (symlinkat(links[i].text, dev, links[i].name) == -1)
			return (fault_at(l, STEP_MOUNT_DEV, errno, FAULT_HOST));
	if (mkdirat(dev, "pts", 0755) == -1 || mkdirat(dev, "shm", 0755) == -1)
		return (fault_at(l, STEP_MOUNT_DEV, errno, FAULT_HOST));
	if (bind_nodes(dev) == -1)
		return (fault_at(l, STEP_DEV_NODE, errno, FAULT_HOST));
	if (attach_devpts(dev) == -1)
		return (fault_at(l, STEP_MOUNT_DEVPTS, errno, FAULT_HOST));
	if (mounts_seal(dev) == -1)
		return (fault_at(l, STEP_MOUNT_ATTR, errno, FAULT_HOST));
	return (0);
}

int
dev_apply(struct launch *l)
{
	static const struct mount_option options[] = {{.key = "size",
							  .value = "64k"},
	    {.key = "nr_inodes", .number = 32},
	    {.key = "mode", .value = "0755"}};
	int dev, rc;

	dev = mounts_make("tmpfs", options, COUNT(options),
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	if (dev == -1 || sys_move_mount(dev, l->root_fd, "dev") == -1)
		rc = fault_at(l, STEP_MOUNT_DEV, errno, FAULT_HOST);
	else
		rc = fill_dev(l, dev);
	io_close(&dev);
	return (rc);
}

int
dev_verify(struct launch *l)
{
	bool is_held = mountinfo_got(CTL_DEV) == mountinfo_want(CTL_DEV);
	struct stat st;
	int dev;

	readback_want(l, mountinfo_want(CTL_DEV));
	readback_got(l, mountinfo_got(CTL_DEV));
	dev = openat(l->job_proc, "root/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dev == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	for (size_t i = 0; i < COUNT(nodes); i++)
		is_held = is_held &&
		    fstatat(dev, nodes[i].name, &st, AT_SYMLINK_NOFOLLOW) ==
			0 &&
		    is_node(&nodes[i], &st);
	io_close(&dev);
	return (is_held ? 0 : proc_mismatch(l));
}
