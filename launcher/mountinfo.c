/*
 * mountinfo.c - the job's mount table: what it must be, and what it is.
 *
 * /proc/PID/mountinfo (proc_pid_mountinfo(5)) lists what lies below the job's
 * root.  The text is the kernel's, but names in it come from the host and from
 * plans: a line that does not fit fails the whole.  Called by the launcher.
 */
#include <string.h>

#include "io.h"
#include "mounts.h"

struct expected {
	enum control row; /* CTL_MNTNS: a bind, with all mounts beneath it */
	const char *point;
	const char *root;    /* what is shown of the file system; NULL: any */
	const char *fstype;  /* NULL: any */
	const char *flags;   /* among the mount's; ",nosuid": ro or rw */
	const char *options; /* the last of the file system's */
};
static const struct expected own[] = {
    {CTL_ROOT, "/", "/", "tmpfs", "ro,nosuid,nodev", ""},
    {CTL_DEV, "/dev", "/", "tmpfs", "ro,nosuid,noexec", ""},
    {CTL_DEV, "/dev/pts", "/", "devpts", "rw,nosuid,noexec", ",max=16"},
    {CTL_DEV, "/dev/null", NULL, NULL, ",nosuid,noexec", ""},
    {CTL_DEV, "/dev/zero", NULL, NULL, ",nosuid,noexec", ""},
    {CTL_DEV, "/dev/full", NULL, NULL, ",nosuid,noexec", ""},
    {CTL_DEV, "/dev/random", NULL, NULL, ",nosuid,noexec", ""},
    {CTL_DEV, "/dev/urandom", NULL, NULL, ",nosuid,noexec", ""},
    {CTL_PROCFS, "/proc", "/", "proc", "rw,nosuid,nodev,noexec",
	",hidepid=invisible,subset=pid"},
    {CTL_SCRATCH, PLAN_WORKDIR, "/work", "tmpfs", "rw,nosuid,nodev", ""},
    {CTL_SCRATCH, "/tmp", "/tmp", "tmpfs", "rw,nosuid,nodev", ""},
    {CTL_SCRATCH, "/dev/shm", "/shm", "tmpfs", "rw,nosuid,nodev", ""},
};

/* What one plan's rows and binds mount: nothing else may be there. */
static struct {
	struct expected mounts[COUNT(own) + PLAN_ENTRIES_MAX];
	bool is_seen[COUNT(own) + PLAN_ENTRIES_MAX];
	size_t len;
	uint64_t got[CTL__MAX];
} table;

/* The kernel writes space, tab, newline and backslash as \ooo. */
static void
unescape(char *s)
{
	char *out = s;

	for (; *s != '\0'; s++) {
		*out = *s;
		if (*s == '\\' && strspn(s + 1, "01234567") >= 3) {
			*out = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
			    (s[3] - '0'));
			s += 3;
		}
		out++;
	}
	*out = '\0';
}

/* False for a mount that may not be there, or not like this, or twice: the
 * second covers the first. */
static bool
judge_line(char *line)
{
	char *root, *point, *flags, *dash, *fstype;
	const struct expected *x;
	size_t len, tail;
	bool is_at, is_good;

	for (int i = 0; i < 3; i++) /* its id, its parent's, the device */
		(void)strsep(&line, " ");
	root = strsep(&line, " ");
	point = strsep(&line, " ");
	flags = strsep(&line, " ");
	dash = strsep(&line, " ");
	fstype = strsep(&line, " ");
	(void)strsep(&line, " "); /* the source; the options are left */
	/* In place of the dash, a mount that is not private has its group. */
	if (line == NULL || strcmp(dash, "-") != 0)
		return (false);
	unescape(point);
	len = strlen(line);
	for (size_t i = 0; i < table.len; i++) {
		x = &table.mounts[i];
		is_at = strcmp(point, x->point) == 0;
		if (!is_at &&
		    (x->row != CTL_MNTNS || !is_below(point, x->point)))
			continue;
		tail = strlen(x->options);
		is_good = strstr(flags, x->flags) != NULL && len >= tail &&
		    strcmp(line + len - tail, x->options) == 0 &&
		    (x->root == NULL || strcmp(root, x->root) == 0) &&
		    (x->fstype == NULL || strcmp(fstype, x->fstype) == 0);
		if (!is_at || table.is_seen[i])
			return (is_good && !is_at);
		table.is_seen[i] = true;
		table.got[x->row] += is_good;
		return (true); /* a bad one is its row's fault */
	}
	return (false);
}

int
mountinfo_read(struct launch *l)
{
	static char text[64 * 1024];
	const struct plan_entry *e = l->plan->entries;
	char *line, *rest = text;
	bool is_good = true;

	memset(&table, 0, sizeof(table));
	for (size_t i = 0; i < COUNT(own); i++)
		if ((l->plan->controls & CONTROL_BIT(own[i].row)) != 0)
			table.mounts[table.len++] = own[i];
	for (; e < l->plan->entries + l->plan->entry_count; e++)
		if (e->kind == ENTRY_BIND)
			table.mounts[table.len++] =
			    (struct expected){CTL_MNTNS, e->path, NULL, NULL,
				(e->flags & ENTRY_WRITABLE) != 0 ?
				    ",nosuid,nodev" :
				    "ro,nosuid,nodev",
				""};
	if (io_read_file(l->job_proc, "mountinfo", text, sizeof(text)) == -1)
		return (host_fault(l, STEP_READ_PROC));
	for (line = strsep(&rest, "\n"); rest != NULL;
	     line = strsep(&rest, "\n"))
		is_good = judge_line(line) && is_good;
	/* Each line ends with its newline; this is what follows the last. */
	return (is_good && *line == '\0' ? 0 : mismatch(l));
}

int
mountinfo_readback(struct launch *l)
{
	uint64_t want = 0;

	for (size_t i = 0; i < table.len; i++)
		want += table.mounts[i].row == l->current;
	return (readback(l, want, table.got[l->current]));
}
