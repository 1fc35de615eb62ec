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

static int sources[PLAN_ENTRIES_MAX]; /* the binds' clones, until attached */

const char *
path_below(const char *path, const char *place)
{
	size_t len = strlen(place);

	if (strncmp(path, place, len) != 0 || path[len] != '/')
		return (NULL);
	return (path + len);
}

static int
clone_source(struct launch *l, const struct plan_entry *e, int fd)
{
	unsigned int attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	struct stat st;
	int mount;

	if (fd == -1 || fstat(fd, &st) == -1)
		return (fault_at(l, STEP_BIND_SOURCE, errno, FAULT_USAGE));
	if (st.st_dev != e->dev || st.st_ino != e->ino)
		return (fault_at(l, STEP_BIND_CHANGED, ESTALE, FAULT_USAGE));
	/* Sockets answer through a read-only bind, pipes and devices too. */
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return (fault_at(l, STEP_BIND_SOURCE, ENOTSUP, FAULT_USAGE));
	if ((e->flags & ENTRY_WRITABLE) == 0)
		attrs |= MOUNT_ATTR_RDONLY;
	if ((mount = mounts_clone(fd, attrs)) == -1)
		return (fault_at(l, STEP_BIND_MOUNT, errno, FAULT_HOST));
	return (mount);
}

int
entries_open_sources(struct launch *l)
{
	const struct plan_entry *e = l->plan->entries;
	int fd;

	for (uint32_t i = 0; i < l->plan->entry_count; i++) {
		if (e[i].kind != ENTRY_BIND)
			continue;
		fd = open(e[i].source, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		sources[i] = clone_source(l, &e[i], fd);
		io_close(&fd);
		if (sources[i] == -1)
			return (-1);
	}
	return (0);
}

static int
open_safely(int dir, const char *name, unsigned int flags, mode_t mode)
{
	const struct open_how how = {.flags = flags | O_CLOEXEC,
	    .mode = mode,
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
		RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};

	return (sys_openat2(dir, name, &how));
}

/* Opens path's directory below root, made as needed; *name is what is left. */
static int
open_parent(int root, const char *path, const char **name)
{
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
				next = open_safely(dir, part,
				    O_PATH | O_DIRECTORY, 0);
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
	return (open_safely(dir, name, O_WRONLY | O_CREAT | O_EXCL, mode));
}

/* Only /proc can be there already: the plan has it when procfs is waived. */
static int
make_dir(struct launch *l, uint32_t i, int dir, const char *name)
{
	const mode_t mode = l->plan->entries[i].mode;

	if (mkdirat(dir, name, mode) == -1 && errno != EEXIST)
		return (-1);
	return (fchmodat(dir, name, mode, 0));
}

static int
make_link(struct launch *l, uint32_t i, int dir, const char *name)
{
	return (symlinkat(l->plan->entries[i].source, dir, name));
}

static int
make_file(struct launch *l, uint32_t i, int dir, const char *name)
{
	const struct plan_entry *e = &l->plan->entries[i];
	int fd, rc = -1;

	if ((fd = create_file(dir, name, e->mode)) != -1)
		rc = io_write_all(fd, e->content, e->content_len);
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
	int fd, rc = -1;

	if ((fd = create_file(dir, name, p->entries[i].mode)) != -1)
		rc = copy_exactly(fd, l->fds[PLAN_PROGRAM], p->program_bytes);
	io_close(&fd);
	return (rc);
}

static int
make_bind(struct launch *l, uint32_t i, int dir, const char *name)
{
	struct stat st;
	int fd = -1, rc;

	(void)l;
	if ((rc = fstat(sources[i], &st)) == 0 && S_ISDIR(st.st_mode))
		rc = mkdirat(dir, name, 0755);
	else if (rc == 0)
		rc = fd = create_file(dir, name, 0644);
	if (rc != -1)
		rc = sys_move_mount(sources[i], dir, name);
	io_close(&fd);
	io_close(&sources[i]);
	return (rc);
}

static int
make_entry(struct launch *l, uint32_t i, int root, const char *path)
{
	static const struct {
		int (*fn)(struct launch *, uint32_t, int, const char *);
		enum step step;
		enum fault_class class;
	} make[ENTRY__MAX] = {
	    [ENTRY_DIR] = {make_dir, STEP_MAKE_ENTRY, FAULT_OURS},
	    [ENTRY_LINK] = {make_link, STEP_MAKE_ENTRY, FAULT_OURS},
	    [ENTRY_FILE] = {make_file, STEP_MAKE_ENTRY, FAULT_OURS},
	    [ENTRY_BIND] = {make_bind, STEP_BIND_MOUNT, FAULT_USAGE},
	    [ENTRY_PROGRAM] = {make_program, STEP_COPY_PROGRAM, FAULT_OURS},
	};
	const uint8_t kind = l->plan->entries[i].kind;
	const char *name;
	int dir, rc;

	if ((dir = open_parent(root, path, &name)) == -1)
		return (fault_at(l, STEP_MAKE_ENTRY, errno, make[kind].class));
	rc = make[kind].fn(l, i, dir, name);
	if (rc == -1)
		rc = fault_at(l, make[kind].step, errno, make[kind].class);
	io_close(&dir);
	return (rc);
}

int
entries_make(struct launch *l, int root, const char *place)
{
	for (uint32_t i = 0; i < l->plan->entry_count; i++) {
		const char *path = l->plan->entries[i].path;

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
