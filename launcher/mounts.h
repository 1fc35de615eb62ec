/*
 * mounts.h - what the rows about files share.
 *
 * From mntns to root, init's working directory is the new root, l->root_fd,
 * while paths from "/" on are still the host's.  A mount is a descriptor until
 * it is attached, so that nothing can reach it before it has its flags.
 */
#ifndef LAUNCHER_MOUNTS_H
#define LAUNCHER_MOUNTS_H

#include <sys/stat.h>

#include "launcher.h"

#define LANDLOCK_CANARY "/.canary" /* readable, were it not for Landlock */
/* A kind of our own tables only: a device, of major 1 and minor ino. */
#define ENTRY_NODE ENTRY__MAX
/* Keys, each with its value. */
#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* filesystems.c: a new file system, attached at name unless that is NULL;
 * attrs are MOUNT_ATTR_*.  These three return -1 with errno. */
int mounts_make(int dir, const char *name, const char *fstype,
    unsigned int attrs, const char *const *options);
int mounts_attach(int mount, int dir, const char *name);
/* And private; scope is AT_RECURSIVE for the whole tree of mounts, or 0. */
int mounts_set(int mount, unsigned int scope, unsigned int attrs);

/* tree.c: makes those of the entries that lie in a mount of the row l->current.
 * 0, or -1 after a fault. */
int
entries_make(struct launch *l, const struct plan_entry *entries, size_t count);
bool is_node(const struct plan_entry *e, const struct stat *st);
bool is_below(const char *path, const char *place); /* "/a/b" and "/a" */

/* mountinfo.c: judges all the mounts of the job: once a launch, first of all.
 * A fault also when there is one that must not be. */
int mountinfo_read(struct launch *l);
/* readback() of the mounts of the row l->current, of CTL_MNTNS the binds: how
 * many there must be, and are just as they must be. */
int mountinfo_readback(struct launch *l);

#endif
