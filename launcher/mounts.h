/*
 * mounts.h - what the rows mntns, dev, procfs, scratch, root and landlock
 * share.
 *
 * A mount is a descriptor until it is attached, so that it can never be
 * reached without its flags.  From mntns to root the working directory of
 * init is the new root, l->root_fd.
 */
#ifndef LAUNCHER_MOUNTS_H
#define LAUNCHER_MOUNTS_H

#include "launcher.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A file that anybody could read, were it not for Landlock. */
#define LANDLOCK_CANARY "/.canary"

/* mounts.c: all of these return -1 with errno. */

/* An option: a text, or a number in decimal. */
struct mount_option {
	const char *key;
	const char *value;
	uint64_t number;
};
/* A new file system that is mounted nowhere; attrs are MOUNT_ATTR_*. */
int mounts_make(const char *fstype, const struct mount_option *options,
    size_t count, unsigned int attrs);
/* A detached, private copy of the tree at fd, with attrs added to each of its
 * mounts.  *step tells what failed. */
int mounts_clone(int fd, unsigned int attrs, enum step *step);
/* Makes that one mount read-only. */
int mounts_seal(int mount);

/* entries.c: what the plan puts into the root; 0, or -1 after fault_at(). */

/* Clones every bind source: before anything is mounted over the host's. */
int entries_open_sources(struct launch *l);
/* Makes those outside the scratch (place ""), or those beneath one of its
 * places ("/work"), in the directory root. */
int entries_make(struct launch *l, int root, const char *place);
/* What follows place in path, from its '/' on; NULL: it is not beneath. */
const char *path_below(const char *path, const char *place);

/* mountinfo.c: the job's mount table, for the launcher's read-back. */

struct mount_line {
	const char *root; /* the part of its file system that it shows */
	const char *device;
	const char *point;
	const char *flags;	 /* of the mount: "ro,nosuid,..." */
	const char *propagation; /* "" when private */
	const char *fstype;
	const char *options; /* of the file system */
};
/* Splits text, in place; the number of lines, or -1: EINVAL, EOVERFLOW. */
long mountinfo_parse(char *text, struct mount_line *lines, size_t max);
/* True when the comma-separated list holds every one of words. */
bool mountinfo_has(const char *list, const char *words);
/* Reads /proc/JOB/mountinfo: once a launch, by mntns_verify(). */
int mountinfo_load(int job_proc);
const struct mount_line *mountinfo_line(size_t i); /* NULL past the last */
/* The only mount at point, when it has all flags and options; else NULL.
 * fstype NULL: any. */
const struct mount_line *mountinfo_find(const char *point, const char *fstype,
    const char *flags, const char *options);

#endif
