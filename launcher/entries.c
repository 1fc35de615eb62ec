/*
 * entries.c - directories, links, files, the program and binds of the plan.
 *
 * Bind sources are the only paths of the host that the launcher opens, and
 * each must still be the very inode that the policy saw.  In the new root,
 * names are made one by one through descriptors: no link is followed and no
 * mount is entered, so nothing is ever created outside of it.  Called by init.
 */
#include <sys/mount.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "io.h"
#include "mounts.h"
#include "sys.h"

#define RESOLVE_OURS \
	(RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | \
	    RESOLVE_NO_XDEV)

/* Clones of the bind sources, from their opening until they are attached. */
static struct {
	int mount;
	bool is_dir;
} sources[PLAN_ENTRIES_MAX];

const char *
path_below(const char *path, const char *place)
{
	size_t len = strlen(place);

	if (strncmp(path, place, len) != 0 || path[len] != '/')
		return (NULL);
	return (path + len);
}

static int
clone_source(struct launch *l, uint32_t i, int fd)
{
	const struct plan_entry *e = &l->plan->entries[i];
	unsigned int attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	struct stat st;
	enum step step;

	if (fstat(fd, &st) == -1)
		return (fault_at(l, STEP_BIND_SOURCE, errno, FAULT_USAGE));
	if (st.st_dev != e->dev || st.st_ino != e->ino)
		return (fault_at(l, STEP_BIND_CHANGED, ESTALE, FAULT_USAGE));
	/* Sockets answer through a read-only bind, pipes and devices too. */
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return (fault_at(l, STEP_BIND_SOURCE, ENOTSUP, FAULT_USAGE));
	if ((e->flags & ENTRY_WRITABLE) == 0)
		attrs |= MOUNT_ATTR_RDONLY;
	sources[i].is_dir = S_ISDIR(st.st_mode);
	sources[i].mount = mounts_clone(fd, attrs, &step);
	if (sources[i].mount == -1)
		return (fault_at(l, step, errno, FAULT_HOST));
	return (0);
}

int
entries_open_sources(struct launch *l)
{
	const struct plan_entry *e = l->plan->entries;
	int fd, rc = 0;

	for (uint32_t i = 0; i < l->plan->entry_count && rc == 0; i++) {
		if (e[i].kind != ENTRY_BIND)
			continue;
		fd = open(e[i].source, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd == -1)
			return (
			    fault_at(l, STEP_BIND_SOURCE, errno, FAULT_USAGE));
		rc = clone_source(l, i, fd);
		io_close(&fd);
	}
	return (rc);
}

/* Opens path's directory below root, made as needed; *name is what is left. */
static int
open_parent(int root, const char *path, const char **name)
{
	const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_OURS};
	char part[NAME_MAX + 1];
	int dir, next;
	size_t len;

	dir = fcntl(root, F_DUPFD_CLOEXEC, 0);
	for (path++; dir != -1; path += len + 1) {
		if (path[len = strcspn(path, "/")] == '\0')
			break;
		next = -1;
		errno = ENAMETOOLONG;
		if (len < sizeof(part)) {
			*(char *)mempcpy(part, path, len) = '\0';
			if (mkdirat(dir, part, 0755) == 0 || errno == EEXIST)
				next = sys_openat2(dir, part, &how);
		}
		io_close(&dir);
		dir = next;
	}
	*name = path;
	return (dir);
}

static int
create_file(int dir, const char *name, mode_t mode)
{
	const struct open_how how = {.flags = O_WRONLY | O_CREAT | O_EXCL |
		O_CLOEXEC,
	    .mode = mode,
	    .resolve = RESOLVE_OURS};

	return (sys_openat2(dir, name, &how));
}

/* Only /proc can be there already: the plan names it when procfs is waived. */
static int
make_dir(struct launch *l, uint32_t i, int dir, const char *name)
{
	const mode_t mode = l->plan->entries[i].mode;

	if ((mkdirat(dir, name, mode) == -1 && errno != EEXIST) ||
	    fchmodat(dir, name, mode, 0) == -1)
		return (fault_at(l, STEP_MAKE_ENTRY, errno, FAULT_OURS));
	return (0);
}

static int
make_link(struct launch *l, uint32_t i, int dir, const char *name)
{
	if (symlinkat(l->plan->entries[i].source, dir, name) == -1)
		return (fault_at(l, STEP_MAKE_ENTRY, errno, FAULT_OURS));
	return (0);
}

static int
make_file(struct launch *l, uint32_t i, int dir, const char *name)
{
	const struct plan_entry *e = &l->plan->entries[i];
	int fd, rc = 0;

	if ((fd = create_file(dir, name, e->mode)) == -1 ||
	    io_write_all(fd, e->content, e->content_len) == -1)
		rc = fault_at(l, STEP_MAKE_ENTRY, errno, FAULT_OURS);
	io_close(&fd);
	return (rc);
}

/*
 * Copies exactly len bytes and sees that there are no more.  By offset: the
 * descriptor's own is shared with whoever sent it, and a pipe, which could
 * keep init waiting, fails with ESPIPE.
 */
static int
copy_exactly(int to, int from, uint64_t len)
{
	static char buf[64 * 1024];
	uint64_t done = 0;
	ssize_t n;

	while ((n = pread(from, buf, sizeof(buf), (off_t)done)) > 0) {
		if ((uint64_t)n > len - done)
			break;
		if (io_write_all(to, buf, (size_t)n) == -1)
			return (-1);
		done += (uint64_t)n;
	}
	if (n == 0 && done == len)
		return (0);
	if (n != -1)
		errno = n == 0 ? ENODATA : EFBIG;
	return (-1);
}

static int
make_program(struct launch *l, uint32_t i, int dir, const char *name)
{
	const struct plan *p = l->plan;
	int fd, rc = 0;

	if ((fd = create_file(dir, name, p->entries[i].mode)) == -1 ||
	    copy_exactly(fd, l->fds[PLAN_PROGRAM], p->program_bytes) == -1)
		rc = fault_at(l, STEP_COPY_PROGRAM, errno, FAULT_OURS);
	io_close(&fd);
	return (rc);
}

static int
make_bind(struct launch *l, uint32_t i, int dir, const char *name)
{
	int rc, fd = -1;

	if (sources[i].is_dir)
		rc = mkdirat(dir, name, 0755);
	else
		rc = fd = create_file(dir, name, 0644);
	io_close(&fd);
	if (rc == -1 || sys_move_mount(sources[i].mount, dir, name) == -1)
		rc = fault_at(l, STEP_BIND_MOUNT, errno, FAULT_USAGE);
	io_close(&sources[i].mount);
	return (rc == -1 ? -1 : 0);
}

static int
make_entry(struct launch *l, uint32_t i, int root, const char *path)
{
	static int (*const make[ENTRY__MAX])(struct launch *, uint32_t, int,
	    const char *) = {
	    [ENTRY_DIR] = make_dir,
	    [ENTRY_LINK] = make_link,
	    [ENTRY_FILE] = make_file,
	    [ENTRY_BIND] = make_bind,
	    [ENTRY_PROGRAM] = make_program,
	};
	const char *name;
	int dir, rc;

	if ((dir = open_parent(root, path, &name)) == -1)
		return (fault_at(l, STEP_MAKE_ENTRY, errno, FAULT_USAGE));
	rc = make[l->plan->entries[i].kind](l, i, dir, name);
	io_close(&dir);
	return (rc);
}

int
entries_make(struct launch *l, int root, const char *place)
{
	const char *path;

	for (uint32_t i = 0; i < l->plan->entry_count; i++) {
		path = l->plan->entries[i].path;
		if (*place == '\0' &&
		    (path_below(path, PLAN_WORKDIR) != NULL ||
			path_below(path, "/tmp") != NULL))
			continue;
		path = path_below(path, place);
		if (path != NULL && make_entry(l, i, root, path) == -1)
			return (-1);
	}
	return (0);
}
