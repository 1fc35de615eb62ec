/*
 * mounts.h - what the rows about files share.  From mntns to root, init's
 * working directory is the new root, which l->root_fd is.
 *
 * A mount is a descriptor until it is attached, so that nothing can reach it
 * before it has its flags.
 */
#ifndef LAUNCHER_MOUNTS_H
#define LAUNCHER_MOUNTS_H

#include "launcher.h"

/* A file that anybody could read, were it not for Landlock. */
#define LANDLOCK_CANARY "/.canary"

/* mounts.c; -1 with errno. */
struct mount_option {
	const char *key;
	const char *value;
	uint64_t number; /* when value is NULL */
};
/* A new file system, mounted nowhere yet; attrs are MOUNT_ATTR_*. */
int mounts_make(const char *fstype, const struct mount_option *options,
    size_t count, unsigned int attrs);
/* A private copy of the tree at fd; each mount of it gets attrs. */
int mounts_clone(int fd, unsigned int attrs);
/* Makes one mount read-only. */
int mounts_seal(int mount);

/* entries.c; 0, or -1 after fault_at(). */
/* Clones the bind sources: before anything lies over the host's tree. */
int entries_open_sources(struct launch *l);
/* Makes, in root, what the plan has beneath place; all but the scratch's when
 * place is "". */
int entries_make(struct launch *l, int root, const char *place);
/* What follows place in path, from its '/' on; NULL: it is not beneath. */
const char *path_below(const char *path, const char *place);

/* mountinfo.c: the job's mounts, for the launcher's read-back. */
struct mount_line {
	const char *root; /* the part of its file system that is shown */
	const char *point;
	const char *flags;	 /* of the mount: "ro,nosuid,..." */
	const char *propagation; /* "" when private */
	const char *fstype;
	const char *options; /* of the file system */
};
/* Splits text, in place; the number of lines, or -1: EINVAL, EOVERFLOW. */
long mountinfo_parse(char *text, struct mount_line *lines, size_t max);
/* Reads /proc/JOB/mountinfo: once a launch, by mntns_verify(). */
int mountinfo_load(int job_proc);
const struct mount_line *mountinfo_line(size_t i); /* NULL past the last */
/* The flags begin with these; ",nosuid" leaves ro or rw open. */
bool mount_has_flags(const struct mount_line *line, const char *flags);
/* True for a point at which a row of the set mounts something. */
bool mountinfo_is_expected(const char *point, control_set rows);
/* The mounts that a row makes, and those that are there just as they should. */
uint64_t mountinfo_want(enum control row);
uint64_t mountinfo_got(enum control row);

#endif
