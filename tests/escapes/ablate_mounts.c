/*
 * ablate_mounts.c - as ablate_calls.c, for the calls that make and change
 * mounts: an attribute or an option less.
 */
#include <sys/mount.h>

#include <string.h>

#include "ablate.h"
#include "launcher.h"

int __real_mount_setattr(int dir, const char *path, unsigned int flags,
    struct mount_attr *attr, size_t size);
int __wrap_mount_setattr(int dir, const char *path, unsigned int flags,
    struct mount_attr *attr, size_t size);

static unsigned int
attrs_less(unsigned int attrs)
{
	static const struct {
		enum ablation ablation;
		int row;
		unsigned int attr;
	} rows[] = {{ABL_FS_RO, CTL_MNTNS, MOUNT_ATTR_RDONLY},
	    {ABL_FS_ROOTRO, CTL_ROOT, MOUNT_ATTR_RDONLY},
	    {ABL_FS_DEVRO, CTL_DEV, MOUNT_ATTR_RDONLY},
	    {ABL_FS_NOSUID, CTL_MNTNS, MOUNT_ATTR_NOSUID}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].row == ablate_row() && ablated(rows[i].ablation))
			attrs &= ~rows[i].attr;
	}
	return (attrs);
}

int
__wrap_mount_setattr(int dir, const char *path, unsigned int flags,
    struct mount_attr *attr, size_t size)
{
	struct mount_attr less = *attr;

	less.attr_set = attrs_less((unsigned int)less.attr_set);
	if (ablated(ABL_FS_PRIVATE))
		less.propagation = 0;
	return (__real_mount_setattr(dir, path, flags, &less, size));
}

int __real_fsconfig(int fs, unsigned int cmd, const char *key,
    const void *value, int aux);
int __wrap_fsconfig(int fs, unsigned int cmd, const char *key,
    const void *value, int aux);

int
__wrap_fsconfig(int fs, unsigned int cmd, const char *key, const void *value,
    int aux)
{
	static const struct {
		enum ablation ablation;
		int row;
		const char *key;
	} rows[] = {{ABL_FS_SIZE, CTL_SCRATCH, "size"},
	    {ABL_FS_SIZE, CTL_SCRATCH, "nr_inodes"},
	    {ABL_FS_PTS, CTL_DEV, "max"}, {ABL_PR_HIDE, CTL_PROCFS, "hidepid"},
	    {ABL_PR_SUBSET, CTL_PROCFS, "subset"}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (key != NULL && strcmp(key, rows[i].key) == 0 &&
		    rows[i].row == ablate_row() && ablated(rows[i].ablation))
			return (0);
	}
	return (__real_fsconfig(fs, cmd, key, value, aux));
}

int __real_mount(const char *source, const char *target, const char *type,
    unsigned long flags, const void *data);
int __wrap_mount(const char *source, const char *target, const char *type,
    unsigned long flags, const void *data);

/* As a slave the tree still receives what the host mounts later. */
int
__wrap_mount(const char *source, const char *target, const char *type,
    unsigned long flags, const void *data)
{
	if (flags == (MS_REC | MS_PRIVATE) && ablated(ABL_FS_PRIVATE))
		flags = MS_REC | MS_SLAVE;
	return (__real_mount(source, target, type, flags, data));
}

int __real_chdir(const char *path);
int __wrap_chdir(const char *path);
int __real_umount2(const char *target, int flags);
int __wrap_umount2(const char *target, int flags);

int
__wrap_umount2(const char *target, int flags)
{
	if (ablate_row() == CTL_ROOT && ablated(ABL_FS_DETACH))
		return (0);
	/* fs.chdir: what lies over the new root is where we stay. */
	if (ablate_row() == CTL_ROOT && ablated(ABL_FS_CHDIR) &&
	    __real_chdir("/..") == -1)
		return (-1);
	return (__real_umount2(target, flags));
}

int
__wrap_chdir(const char *path)
{
	return (ablated(ABL_FS_CHDIR) ? 0 : __real_chdir(path));
}
