/*
 * mounts.c - new file systems and clones of mounts, as descriptors.
 *
 * Knows the mount API and nothing of plans, rows or paths.  Called by init.
 */
#include <sys/mount.h>

#include <fcntl.h>

#include "io.h"
#include "mounts.h"
#include "sys.h"

static int
set_option(int fs, const struct mount_option *option)
{
	char digits[IO_DECIMAL_MAX];
	const char *value = option->value;

	if (value == NULL)
		value = io_format_u64(digits, option->number);
	return (sys_fsconfig_string(fs, option->key, value));
}

int
mounts_make(const char *fstype, const struct mount_option *options,
    size_t count, unsigned int attrs)
{
	int fs, mount = -1;
	size_t i;

	if ((fs = sys_fsopen(fstype)) == -1)
		return (-1);
	for (i = 0; i < count; i++)
		if (set_option(fs, &options[i]) == -1)
			break;
	if (i == count && sys_fsconfig_create(fs) == 0)
		mount = sys_fsmount(fs, attrs);
	io_close(&fs);
	return (mount);
}

int
mounts_clone(int fd, unsigned int attrs)
{
	const struct mount_attr attr = {.attr_set = attrs,
	    .propagation = MS_PRIVATE};
	int mount;

	mount = sys_open_tree(fd, "",
	    OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH);
	if (mount != -1 &&
	    sys_mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr) ==
		-1)
		io_close(&mount);
	return (mount);
}

int
mounts_seal(int mount)
{
	const struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};

	return (sys_mount_setattr(mount, "", AT_EMPTY_PATH, &attr));
}
