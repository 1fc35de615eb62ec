/*
 * finish_sockets.c - finds unix sockets in what a policy binds, named pipes in
 * what it binds read-only, and mounts that show the kernel's own objects.
 *
 * connect(2) asks for no write permission of the mount and no Landlock right
 * that kernels of today know, so a socket answers through a read-only bind
 * too: who listens there is outside the sandbox.  Nor does open(2) of a named
 * pipe ask the mount, to write to whoever reads it there.  A bind brings along
 * what is mounted below it, and "/proc" or "/sys" is only the usual name of such
 * a mount.  Looks at names, types and file systems of directories alone (one
 * that is mounted on a file's name would take a stat of every file), follows no
 * link, opens nothing but directories; what it walks may be a job's work, so
 * entries and depth are bounded.  Called by finish_binds.c.
 */
#include <sys/vfs.h>

#include <linux/magic.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy_int.h"

#define DEPTH_MAX 100U /* each level holds a descriptor */

#ifndef CONFIGFS_MAGIC /* not in linux/magic.h */
#define CONFIGFS_MAGIC 0x62656570
#endif
#ifndef MQUEUE_MAGIC
#define MQUEUE_MAGIC 0x19800202
#endif
#ifndef FUSE_CTL_SUPER_MAGIC
#define FUSE_CTL_SUPER_MAGIC 0x65735543
#endif

/* Each is the host's, whatever it is called. */
static const struct {
	uint32_t magic; /* f_type is signed, and not as wide everywhere */
	const char *name;
} kernel_filesystems[] = {
    {SYSFS_MAGIC, "sysfs"},
    {PROC_SUPER_MAGIC, "proc"},
    {CGROUP_SUPER_MAGIC, "cgroup"},
    {CGROUP2_SUPER_MAGIC, "cgroup2"},
    {DEBUGFS_MAGIC, "debugfs"},
    {TRACEFS_MAGIC, "tracefs"},
    {SECURITYFS_MAGIC, "securityfs"},
    {SELINUX_MAGIC, "selinuxfs"},
    {BPF_FS_MAGIC, "bpf"},
    {DEVPTS_SUPER_MAGIC, "devpts"},
    {MQUEUE_MAGIC, "mqueue"},
    {CONFIGFS_MAGIC, "configfs"},
    {EFIVARFS_MAGIC, "efivarfs"},
    {PSTOREFS_MAGIC, "pstore"},
    {BINFMTFS_MAGIC, "binfmt_misc"},
    {FUSE_CTL_SUPER_MAGIC, "fusectl"},
    {HUGETLBFS_MAGIC, "hugetlbfs"},
    {NSFS_MAGIC, "nsfs"},
};

struct scan {
	const struct policy_bind *bind;
	struct diag *diag;
	unsigned int most; /* entries that may be looked at */
	unsigned int entries;
	unsigned int depth;
	size_t len;	     /* of path */
	char path[PATH_MAX]; /* of what is looked at */
};

static int scan_dir(struct scan *s, int dirfd, const char *name);

static int
refuse(struct scan *s, const char *why)
{
	return (origin_fail(s->diag, &s->bind->origin,
	    "%s: %s, and a job could connect to a unix socket there, also "
	    "through a read-only bind; bind a directory without it",
	    s->path, why));
}

static int
refuse_pipe(struct scan *s)
{
	return (origin_fail(s->diag, &s->bind->origin,
	    "%s: it is a named pipe, and a job could write into it through a "
	    "read-only bind; bind a directory without it",
	    s->path));
}

static int
judge_filesystem(struct scan *s, const struct statfs *fs)
{
	const size_t n =
	    sizeof(kernel_filesystems) / sizeof(kernel_filesystems[0]);

	for (size_t i = 0; i < n; i++) {
		if ((uint32_t)fs->f_type != kernel_filesystems[i].magic)
			continue;
		return (origin_fail(s->diag, &s->bind->origin,
		    "%s: it is on a mount of %s, and no job is shown the "
		    "kernel's objects; bind a directory without it",
		    s->path, kernel_filesystems[i].name));
	}
	return (0);
}

static unsigned char
type_of(int dirfd, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return (e->d_type);
	if (fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return (DT_UNKNOWN);
	return ((unsigned char)IFTODT(st.st_mode));
}

static int
scan_entry(struct scan *s, int dirfd, const struct dirent *e)
{
	const size_t len = s->len;
	const size_t more = strlen(e->d_name) + 1;
	unsigned char type;
	int rc = 0;

	if (more >= sizeof(s->path) - len)
		return (refuse(s, "the paths in it are too long to look at"));
	s->path[len] = '/';
	memcpy(s->path + len + 1, e->d_name, more);
	s->len += more;
	type = type_of(dirfd, e);
	if (type == DT_DIR)
		rc = scan_dir(s, dirfd, e->d_name);
	else if (type == DT_SOCK)
		rc = refuse(s, "it is a socket");
	else if (type == DT_FIFO && !s->bind->is_writable)
		rc = refuse_pipe(s);
	else if (type == DT_UNKNOWN && errno != ENOENT)
		rc = refuse(s, strerror(errno));
	s->len = len;
	s->path[len] = '\0';
	return (rc);
}

static int
scan_stream(struct scan *s, DIR *dir)
{
	const struct dirent *e;
	int rc = 0;

	while (rc == 0) {
		errno = 0;
		if ((e = readdir(dir)) == NULL)
			return (errno == 0 ? 0 : refuse(s, strerror(errno)));
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (s->entries++ == s->most)
			return (origin_fail(s->diag, &s->bind->origin,
			    "%s holds more than %u entries, too many to look "
			    "for unix sockets, which a job could connect to: "
			    "bind a part of it",
			    s->bind->source, s->most));
		rc = scan_entry(s, dirfd(dir), e);
	}
	return (rc);
}

/* A directory that cannot be read, but searched, can hide a socket from this
 * walk and not from the job, which is of the same account. */
static int
judge_unreadable(struct scan *s, int dirfd, const char *name)
{
	int err = errno;

	if (err == ENOENT || err == ENOTDIR)
		return (0); /* it was replaced meanwhile */
	if (err == EACCES && faccessat(dirfd, name, X_OK, AT_EACCESS) == -1 &&
	    errno == EACCES)
		return (0);
	return (refuse(s, strerror(err)));
}

static int
scan_dir(struct scan *s, int dirfd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct statfs fs;
	DIR *dir;
	int fd, rc;

	if (s->depth == DEPTH_MAX)
		return (refuse(s, "the directories in it are too deep"));
	if ((fd = openat(dirfd, name, flags)) == -1)
		return (judge_unreadable(s, dirfd, name));
	if ((dir = fdopendir(fd)) == NULL) {
		(void)close(fd); /* only read from */
		return (diag_set(s->diag, DIAG_INTERNAL, "out of memory"));
	}
	s->depth++;
	if (fstatfs(fd, &fs) == -1)
		rc = refuse(s, strerror(errno));
	else if ((rc = judge_filesystem(s, &fs)) == 0)
		rc = scan_stream(s, dir);
	s->depth--;
	(void)closedir(dir); /* only read from */
	return (rc);
}

int
finish_sockets(const struct policy_bind *b, unsigned int most, struct diag *d)
{
	struct scan *s = calloc(1, sizeof(*s));
	struct statfs fs;
	struct stat st;
	int rc = 0;

	if (s == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	s->bind = b;
	s->most = most;
	s->diag = d;
	s->len = strlcpy(s->path, b->source, sizeof(s->path));
	if (s->len >= sizeof(s->path))
		rc = refuse(s, strerror(ENAMETOOLONG));
	else if (stat(b->source, &st) == -1 || statfs(b->source, &fs) == -1)
		rc = refuse(s, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		rc = scan_dir(s, AT_FDCWD, b->source);
	else
		rc = judge_filesystem(s, &fs);
	free(s);
	return (rc);
}
