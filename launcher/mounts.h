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

/* A file that anybody could read, were it not for Landlock. */
#define LANDLOCK_CANARY "/.canary"
/* Never in a plan: a device of the host's; ino is its minor of major 1. */
#define ENTRY_NODE ENTRY__MAX

/* tree.c; all return -1 with errno. */
/* A new file system, mounted nowhere yet.  attrs are MOUNT_ATTR_*; options are
 * keys, each with its value, and a NULL. */
int
mounts_make(const char *fstype, unsigned int attrs, const char *const *options);
int mounts_attach(int mount, int dir, const char *name);
int mounts_seal(int mount); /* makes this one mount read-only */

/* entries.c; 0, or -1 after fault_at(). */
/* Clones the plan's bind sources: before anything lies over the host's tree. */
int entries_open_sources(struct launch *l);
/* Makes those of the entries that lie in a mount of the row l->current. */
int
entries_make(struct launch *l, const struct plan_entry *entries, size_t count);
bool is_node(const struct plan_entry *e, const struct stat *st);
/* True for "/a/b" and the place "/a". */
bool is_below(const char *path, const char *place);

/* mountinfo.c */
/* Reads the job's mounts and judges each: once a launch, for mntns_verify().
 * 0; or -1 after fault_at(), also when one is there that must not be. */
int mountinfo_read(struct launch *l);
/* The mounts of a row (CTL_MNTNS: the binds) that are just as they must be. */
uint64_t mountinfo_got(enum control row);

#endif
