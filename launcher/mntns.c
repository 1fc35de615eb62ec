/*
 * mntns.c - the row mntns: a mount table of the job's own, around a new root.
 *
 * The tmpfs that becomes the root lies over the host's "/": a path of the
 * host still starts beneath it, so that nothing of the host gets covered.
 * From here until the pivot the working directory is the new root.  Applied
 * by init.  Verified by the launcher, which loads the job's mountinfo here
 * for the other rows as well.
 */
#include <sys/mount.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "mounts.h"
#include "proc.h"
#include "sys.h"

/* Room for the plan's entries with all their parents, and some to spare. */
static int
make_root(const struct plan *p)
{
	struct mount_option options[] = {{.key = "size",
					     .number =
						 p->program_bytes + (1U << 20)},
	    {.key = "nr_inodes", .number = 64},
	    {.key = "mode", .value = "0755"}};

	for (uint32_t i = 0; i < p->entry_count; i++) {
		options[0].number += p->entries[i].content_len + 4096;
		for (const char *s = p->entries[i].path; *s != '\0'; s++)
			options[1].number += *s == '/';
	}
	return (mounts_make("tmpfs", options, COUNT(options),
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
}

static int
enter_root(struct launch *l)
{
	static const char *const dirs[] = {"dev", "proc", "tmp",
	    &PLAN_WORKDIR[1]};
	int fd;

	if ((l->root_fd = make_root(l->plan)) == -1 ||
	    sys_move_mount(l->root_fd, AT_FDCWD, "/") == -1 ||
	    fchdir(l->root_fd) == -1)
		return (fault_at(l, STEP_MOUNT_ROOT, errno, FAULT_HOST));
	for (size_t i = 0; i < COUNT(dirs); i++)
		if (mkdir(dirs[i], 0755) == -1)
			return (
			    fault_at(l, STEP_MAKE_ENTRY, errno, FAULT_HOST));
	fd = open(&LANDLOCK_CANARY[1], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
	    0644);
	if (fd == -1)
		return (fault_at(l, STEP_MAKE_ENTRY, errno, FAULT_HOST));
	io_close(&fd);
	return (0);
}

int
mntns_apply(struct launch *l)
{
	/* First of all: a slave still receives what the host mounts later. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return (fault_at(l, STEP_MOUNT_PRIVATE, errno, FAULT_HOST));
	(void)umask(0); /* modes are the plan's; session sets the job's */
	if (entries_open_sources(l) == -1 || enter_root(l) == -1)
		return (-1);
	/* -1 where the kernel refuses: the rows that need it will say so. */
	l->proc_fd = mounts_make("proc", NULL, 0,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	return (entries_make(l, l->root_fd, ""));
}

/* 1: a planned bind as it should be.  0: it may be there.  -1: it may not. */
static int
judge_line(const struct plan *p, const struct mount_line *line)
{
	const struct plan_entry *e;
	const char *flags;
	bool is_bind;

	if (line->propagation[0] != '\0')
		return (-1);
	if (mountinfo_is_expected(line->point, p->controls))
		return (0);
	for (e = p->entries; e < p->entries + p->entry_count; e++) {
		is_bind = strcmp(line->point, e->path) == 0;
		if (e->kind != ENTRY_BIND ||
		    (!is_bind && path_below(line->point, e->path) == NULL))
			continue;
		flags = (e->flags & ENTRY_WRITABLE) != 0 ? ",nosuid,nodev" :
							   "ro,nosuid,nodev";
		return (mount_has_flags(line, flags) ? is_bind : -1);
	}
	return (-1);
}

int
mntns_verify(struct launch *l)
{
	const struct mount_line *line;
	uint64_t want = 0, got = 0;
	int is_bind;

	for (uint32_t i = 0; i < l->plan->entry_count; i++)
		want += l->plan->entries[i].kind == ENTRY_BIND;
	readback_want(l, want);
	if (mountinfo_load(l->job_proc) == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	for (size_t i = 0; (line = mountinfo_line(i)) != NULL; i++) {
		if ((is_bind = judge_line(l->plan, line)) == -1)
			return (proc_mismatch(l));
		got += (uint64_t)is_bind;
	}
	readback_got(l, got);
	return (got == want ? 0 : proc_mismatch(l));
}
