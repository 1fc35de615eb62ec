/*
 * mounts.c - the mounts of our own, the rows dev, procfs and scratch, and the
 * judgement on the job's whole mount table.
 *
 * One table says what is mounted (by init) and what proc_pid_mountinfo(5) must
 * show of it (to the launcher).  Names in it come from the host and from plans:
 * a line that does not fit fails the whole.
 */
#include "launcher.h"

static const struct own_mount {
	enum control row; /* CTL_MNTNS: a bind, with all mounts beneath it */
	const char *point;
	const char *root;   /* what is shown of the file system; NULL: any */
	const char *fstype; /* NULL: any */
	const char *flags;  /* among the mount's; ",nosuid": ro or rw */
	const char *data;   /* among the file system's */
} own[] = {
    {CTL_ROOT, "/", "/", "tmpfs", "ro,nosuid,nodev",
	"size=73728k,nr_inodes=65536,mode=755"},
    {CTL_DEV, "/dev", "/", "tmpfs", "ro,nosuid,noexec",
	"size=64k,nr_inodes=32,mode=755"},
    {CTL_DEV, "/dev/pts", "/", "devpts", "rw,nosuid,noexec",
	"mode=620,ptmxmode=666,max=16"},
    {CTL_PROCFS, "/proc", "/", "proc", "rw,nosuid,nodev,noexec",
	"hidepid=invisible,subset=pid"},
    {CTL_SCRATCH, "/tmp", "/tmp", "tmpfs", "rw,nosuid,nodev", ""},
    {CTL_SCRATCH, "/dev/shm", "/shm", "tmpfs", "rw,nosuid,nodev", ""},
    {CTL_SCRATCH, PLAN_WORKDIR, "/work", "tmpfs", "rw,nosuid,nodev", ""},
};
/* The top directory and the three take inodes that are not the job's. */
#define OWN_INODES 4
_Static_assert(PLAN_PROGRAM_MAX <= 64U << 20, "the root has room");

/* Binds of the host's, each checked to be the very device. */
static const struct plan_entry dev_entries[] = {
    {ENTRY_NODE, .path = "/dev/null", .source = "/dev/null", .ino = 3},
    {ENTRY_NODE, .path = "/dev/zero", .source = "/dev/zero", .ino = 5},
    {ENTRY_NODE, .path = "/dev/full", .source = "/dev/full", .ino = 7},
    {ENTRY_NODE, .path = "/dev/random", .source = "/dev/random", .ino = 8},
    {ENTRY_NODE, .path = "/dev/urandom", .source = "/dev/urandom", .ino = 9},
    {ENTRY_LINK, .path = "/dev/fd", .source = "/proc/self/fd"},
    {ENTRY_LINK, .path = "/dev/stdin", .source = "/proc/self/fd/0"},
    {ENTRY_LINK, .path = "/dev/stdout", .source = "/proc/self/fd/1"},
    {ENTRY_LINK, .path = "/dev/stderr", .source = "/proc/self/fd/2"},
    {ENTRY_LINK, .path = "/dev/ptmx", .source = "pts/ptmx"},
    {ENTRY_DIR, .mode = 0755, .path = "/dev/pts"},
    {ENTRY_DIR, .mode = 0755, .path = "/dev/shm"},
};

/* What one plan's rows and binds mount: nothing else may be there. */
#define MOUNTS_MAX (COUNT(own) + COUNT(dev_entries) + PLAN_ENTRIES_MAX)
static struct {
	struct own_mount mounts[MOUNTS_MAX];
	bool is_seen[MOUNTS_MAX];
	size_t len;
	uint64_t got[CTL__MAX];
	const char *scratch; /* its device */
} table;

int
mount_own(int root, const char *point, const char *data)
{
	const struct own_mount *m = own;
	int mount;

	while (strcmp(m->point, point) != 0)
		m++;
	mount = mount_make(m->fstype, m->flags, data == NULL ? m->data : data);
	if (mount != -1 &&
	    move_mount(mount, "", root, &point[root != -1],
		MOVE_MOUNT_F_EMPTY_PATH) == -1)
		io_close(&mount);
	return (mount);
}

bool
dev_apply(struct launch *l)
{
	int dev = mount_own(l->root_fd, "/dev", NULL), pts = -1;
	/* Each mount of devpts is an instance of its own. */
	bool is_done = must(l, STEP_MOUNT_DEV, dev) &&
	    entries_make(l, dev_entries, COUNT(dev_entries)) &&
	    must(l, STEP_MOUNT_DEVPTS,
		(pts = mount_own(l->root_fd, "/dev/pts", NULL))) &&
	    must(l, STEP_MOUNT_ATTR, mount_set(dev, 0, MOUNT_ATTR_RDONLY));

	io_close(&pts);
	io_close(&dev);
	return (is_done);
}

ALIAS(dev_verify, mountinfo_readback);

/* Always a new one: the host's is never bound in its place.  subset=pid hides
 * /proc/net, a link to self/net that programs open to list interfaces, but only
 * when it is first looked up: init does that before, and keeps it. */
bool
procfs_apply(struct launch *l)
{
	int fs = -1, rc = -1;
	int mount = mount_own(l->root_fd, "/proc", "hidepid=invisible");

	/* Full as yet, but init is alone. */
	if (mount != -1 &&
	    (l->proc_net = openat(mount, "net",
		 O_PATH | O_NOFOLLOW | O_CLOEXEC)) != -1)
		fs = fspick(mount, "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);
	if (fs != -1 &&
	    fsconfig(fs, FSCONFIG_SET_STRING, "subset", "pid", 0) != -1)
		rc = fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0);
	io_close(&fs);
	io_close(&mount);
	return (must(l, STEP_MOUNT_PROC, rc));
}

ALIAS(procfs_verify, mountinfo_readback);

/* One directory of the tmpfs, which stands at the working directory. */
static int
scratch_place(const struct own_mount *m, int scratch, int root)
{
	bool is_work = strcmp(m->point, PLAN_WORKDIR) == 0;
	int rc = -1, mount = -1;

	if (mkdirat(scratch, &m->root[1], is_work ? 0700 : 01777) == 0)
		mount = open_tree(scratch, &m->root[1],
		    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (mount != -1 &&
	    (!is_work ||
		umount2(&m->point[1], MNT_DETACH | UMOUNT_NOFOLLOW) == 0))
		rc = move_mount(mount, "", root, &m->point[1],
		    MOVE_MOUNT_F_EMPTY_PATH);
	io_close(&mount);
	return (rc);
}

/* One tmpfs for all that the job may write, of which directories are mounted.
 * Before 6.15 only what is attached can be cloned from: so the whole stands at
 * the working directory until that, the last, takes its place. */
bool
scratch_apply(struct launch *l)
{
	char data[128], *p = stpcpy(data, "mode=755,size=");
	int scratch, rc;

	p = stpcpy(io_put_u64(p, l->plan->scratch_bytes), ",nr_inodes=");
	(void)io_put_u64(p, l->plan->scratch_inodes + OWN_INODES);
	scratch = mount_own(l->root_fd, PLAN_WORKDIR, data);
	rc = scratch == -1 ? -1 : 0;
	for (size_t i = 0; i < COUNT(own) && rc == 0; i++)
		if (own[i].row == CTL_SCRATCH)
			rc = scratch_place(&own[i], scratch, l->root_fd);
	io_close(&scratch);
	return (must(l, STEP_MOUNT_SCRATCH, rc) &&
	    entries_make(l, l->plan->entries, l->plan->entry_count));
}

/* All its places are on one file system, which has the plan's bounds. */
bool
scratch_verify(struct launch *l)
{
	const struct plan *p = l->plan;
	struct statfs fs = {0};
	int fd = openat(l->job_proc, "root" PLAN_WORKDIR, O_PATH | O_CLOEXEC);
	int rc = fd == -1 ? -1 : fstatfs(fd, &fs);
	uint64_t page = (uint64_t)fs.f_bsize; /* the kernel keeps whole ones */

	io_close(&fd);
	return (must(l, STEP_READ_PROC, rc) && mountinfo_readback(l) &&
	    matches(l, fs.f_files == p->scratch_inodes + OWN_INODES) &&
	    readback(l, (p->scratch_bytes + page - 1) & ~(page - 1),
		(uint64_t)fs.f_blocks * page));
}

/* All of these, and none that begins like the last. */
static bool
has_options(const char *options, const char *these)
{
	const char *p = strstr(options, these);

	return (*these == '\0' ||
	    (p != NULL && strchr(",", p[strlen(these)]) != NULL));
}

/* False for a mount that may not be there, not like this, or not once more. */
static bool
judge_line(char *line)
{
	const struct own_mount *x = table.mounts;
	/* 2 device, 3 root, 4 point, 5 flags, 6 dash, 7 type, 8 source */
	char *at[9] = {NULL};
	bool is_at, is_good;

	for (size_t i = 0; i < COUNT(at); i++)
		at[i] = strsep(&line, " ");
	/* In place of the dash, a mount that is not private has its group. */
	if (line == NULL || strcmp(at[6], "-") != 0)
		return (false);
	proc_unescape(at[4]);
	for (size_t i = 0; i < table.len; i++, x++) {
		is_at = strcmp(at[4], x->point) == 0;
		if (!is_at &&
		    (x->row != CTL_MNTNS || !plan_path_is_in(at[4], x->point)))
			continue;
		if (x->row == CTL_SCRATCH && table.scratch == NULL)
			table.scratch = at[2];
		is_good = (x->row != CTL_SCRATCH ||
			      strcmp(at[2], table.scratch) == 0) &&
		    strstr(at[5], x->flags) != NULL &&
		    has_options(line, x->data) &&
		    (x->root == NULL || strcmp(at[3], x->root) == 0) &&
		    (x->fstype == NULL || strcmp(at[7], x->fstype) == 0);
		if (!is_at || table.is_seen[i])
			return (is_good && !is_at);
		table.is_seen[i] = true;
		table.got[x->row] += is_good;
		return (true); /* a bad one is its row's fault */
	}
	return (false);
}

/* Binds and devices among the entries are to be seen as mounts of row. */
static void
expect_binds(enum control row, const struct plan_entry *e, size_t count)
{
	for (; count-- > 0; e++)
		if (e->kind == ENTRY_BIND || e->kind == ENTRY_NODE)
			table.mounts[table.len++] = (struct own_mount){row,
			    e->path, NULL, NULL, bind_flags(e), ""};
}

bool
mountinfo_read(struct launch *l)
{
	char *line, *rest;
	bool is_good = true;

	memset(&table, 0, sizeof(table));
	for (size_t i = 0; i < COUNT(own); i++)
		if (row_is_wanted(l, own[i].row))
			table.mounts[table.len++] = own[i];
	expect_binds(CTL_DEV, dev_entries, COUNT(dev_entries));
	expect_binds(CTL_MNTNS, l->plan->entries, l->plan->entry_count);
	if ((rest = proc_text(l, "mountinfo")) == NULL)
		return (false);
	while (line = strsep(&rest, "\n"), rest != NULL)
		is_good = judge_line(line) && is_good;
	/* Each line ends with its newline; this is what follows the last. */
	return (matches(l, is_good && *line == '\0'));
}

/* The launcher verifies it before the other rows about files. */
bool
mntns_verify(struct launch *l)
{
	return (ns_verify(l) && mountinfo_read(l) && mountinfo_readback(l));
}

bool
mountinfo_readback(struct launch *l)
{
	uint64_t want = 0;

	for (size_t i = 0; i < table.len; i++)
		want += table.mounts[i].row == l->current;
	return (readback(l, want, table.got[l->current]));
}
