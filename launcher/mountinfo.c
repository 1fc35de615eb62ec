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
	size_t
	    lines[COUNT(own) + PLAN_ENTRIES_MAX]; /* a bad one counts twice */
	size_t len;
} table;

static void
table_fill(const struct plan *p)
{
	const struct plan_entry *e;

	memset(&table, 0, sizeof(table));
	for (size_t i = 0; i < COUNT(own); i++)
		if ((p->controls & CONTROL_BIT(own[i].row)) != 0)
			table.mounts[table.len++] = own[i];
	for (e = p->entries; e < p->entries + p->entry_count; e++)
		if (e->kind == ENTRY_BIND)
			table.mounts[table.len++] =
			    (struct expected){.row = CTL_MNTNS,
				.point = e->path,
				.flags = (e->flags & ENTRY_WRITABLE) != 0 ?
				    ",nosuid,nodev" :
				    "ro,nosuid,nodev",
				.options = ""};
}

/* The kernel writes space, tab, newline and backslash as \ooo. */
static void
unescape(char *s)
{
	char *out = s;

	for (; *s != '\0'; s++) {
		if (*s == '\\' && strspn(s + 1, "01234567") >= 3) {
			*out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 +
			    (s[3] - '0'));
			s += 3;
		} else
			*out++ = *s;
	}
	*out = '\0';
}

/* False for a mount that may not be there, or not like this. */
static bool
judge_line(char *line)
{
	enum {
		ROOT = 3,
		POINT,
		FLAGS,
		DASH,
		FSTYPE,
		SOURCE,
		OPTIONS
	};
	const struct expected *x = table.mounts;
	char *f[OPTIONS];
	size_t len, tail;
	bool is_at, is_good;

	for (int i = 0; i < OPTIONS; i++)
		f[i] = strsep(&line, " ");
	/* In place of the dash, a mount that is not private has its group. */
	if (line == NULL || strcmp(f[DASH], "-") != 0)
		return (false);
	unescape(f[POINT]);
	len = strlen(line);
	for (; x < table.mounts + table.len; x++) {
		is_at = strcmp(f[POINT], x->point) == 0;
		if (!is_at &&
		    (x->row != CTL_MNTNS || !is_below(f[POINT], x->point)))
			continue;
		tail = strlen(x->options);
		is_good = strstr(f[FLAGS], x->flags) != NULL && len >= tail &&
		    strcmp(line + len - tail, x->options) == 0 &&
		    (x->root == NULL || strcmp(f[ROOT], x->root) == 0) &&
		    (x->fstype == NULL || strcmp(f[FSTYPE], x->fstype) == 0);
		if (is_at)
			table.lines[x - table.mounts] += is_good ? 1 : 2;
		return (is_at || is_good);
	}
	return (false);
}

int
mountinfo_read(struct launch *l)
{
	static char text[64 * 1024];
	char *line, *rest = text;
	bool is_good = true;

	table_fill(l->plan);
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
	uint64_t want = 0, got = 0;

	for (size_t i = 0; i < table.len; i++)
		if (table.mounts[i].row == l->current) {
			want++;
			/* A second one would cover the first. */
			got += table.lines[i] == 1;
		}
	return (readback(l, want, got));
}
