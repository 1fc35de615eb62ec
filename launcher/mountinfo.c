/*
 * mountinfo.c - the job's mount table: what it must be, and what it is.
 *
 * Parses /proc/PID/mountinfo (proc_pid_mountinfo(5)), which lists what lies
 * below the job's root.  The text is the kernel's, but names in it come from
 * the host and from plans: a line that does not fit fails the whole.
 * Called by the launcher.
 */
#include <errno.h>
#include <string.h>

#include "io.h"
#include "mounts.h"

#define NODE(name) \
	{ \
		CTL_DEV, "/dev/" name, NULL, NULL, ",nosuid,noexec", "" \
	}

/* What the rows mount; anything else that the job sees must be a bind. */
static const struct expected {
	enum control row;
	const char *point;
	const char *root;   /* NULL: any */
	const char *fstype; /* NULL: any */
	const char *flags;  /* see mount_has_flags() */
	const char *options;
} expected[] = {
    {CTL_ROOT, "/", "/", "tmpfs", "ro,nosuid,nodev", ""},
    {CTL_DEV, "/dev", "/", "tmpfs", "ro,nosuid,noexec", ""},
    {CTL_DEV, "/dev/pts", "/", "devpts", "rw,nosuid,noexec", "max=16"},
    NODE("null"),
    NODE("zero"),
    NODE("full"),
    NODE("random"),
    NODE("urandom"),
    {CTL_PROCFS, "/proc", "/", "proc", "rw,nosuid,nodev,noexec",
	"hidepid=invisible,subset=pid"},
    {CTL_SCRATCH, PLAN_WORKDIR, "/work", "tmpfs", "rw,nosuid,nodev", ""},
    {CTL_SCRATCH, "/tmp", "/tmp", "tmpfs", "rw,nosuid,nodev", ""},
    {CTL_SCRATCH, "/dev/shm", "/shm", "tmpfs", "rw,nosuid,nodev", ""},
};

static struct {
	char text[64 * 1024];
	struct mount_line lines[512];
	size_t count;
} table;

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

static int
parse_line(char *text, struct mount_line *line)
{
	char *root, *point, *field;

	for (int i = 0; i < 3; i++) /* its id, its parent's, the device */
		(void)strsep(&text, " ");
	line->root = root = strsep(&text, " ");
	line->point = point = strsep(&text, " ");
	line->flags = strsep(&text, " ");
	line->propagation = "";
	while ((field = strsep(&text, " ")) != NULL && strcmp(field, "-") != 0)
		line->propagation = field; /* one of them will do */
	line->fstype = strsep(&text, " ");
	(void)strsep(&text, " "); /* the source is what the mounter said */
	line->options = text;
	if (text == NULL || point[0] != '/')
		return (-1);
	unescape(root);
	unescape(point);
	return (0);
}

long
mountinfo_parse(char *text, struct mount_line *lines, size_t max)
{
	size_t count = 0;
	char *line;

	errno = EINVAL;
	while (*(line = text) != '\0') {
		(void)strsep(&text, "\n");
		if (count == max)
			errno = EOVERFLOW;
		if (count == max || text == NULL ||
		    parse_line(line, &lines[count++]) == -1)
			return (-1);
	}
	return ((long)count);
}

int
mountinfo_load(int job_proc)
{
	long count = -1;

	table.count = 0;
	if (io_read_file(job_proc, "mountinfo", table.text,
		sizeof(table.text)) != -1)
		count = mountinfo_parse(table.text, table.lines,
		    COUNT(table.lines));
	if (count == -1)
		return (-1);
	table.count = (size_t)count;
	return (0);
}

const struct mount_line *
mountinfo_line(size_t i)
{
	return (i < table.count ? &table.lines[i] : NULL);
}

bool
mount_has_flags(const struct mount_line *line, const char *flags)
{
	const char *have = line->flags + (flags[0] == ',' ? strlen("ro") : 0);

	return (strncmp(have, flags, strlen(flags)) == 0);
}

bool
mountinfo_is_expected(const char *point, control_set rows)
{
	for (size_t i = 0; i < COUNT(expected); i++)
		if (strcmp(expected[i].point, point) == 0)
			return ((rows & CONTROL_BIT(expected[i].row)) != 0);
	return (false);
}

uint64_t
mountinfo_want(enum control row)
{
	uint64_t want = 0;

	for (size_t i = 0; i < COUNT(expected); i++)
		want += expected[i].row == row;
	return (want);
}

static bool
is_as_expected(const struct mount_line *line, const struct expected *e)
{
	return ((e->root == NULL || strcmp(line->root, e->root) == 0) &&
	    (e->fstype == NULL || strcmp(line->fstype, e->fstype) == 0) &&
	    mount_has_flags(line, e->flags) &&
	    strstr(line->options, e->options) != NULL);
}

uint64_t
mountinfo_got(enum control row)
{
	const struct mount_line *line;
	const struct expected *e;
	uint64_t got = 0;

	for (e = expected; e < expected + COUNT(expected); e++) {
		size_t at_point = 0, as_expected = 0;

		for (size_t i = 0; (line = mountinfo_line(i)) != NULL; i++) {
			if (strcmp(line->point, e->point) != 0)
				continue;
			at_point++; /* a second one would cover the first */
			as_expected += is_as_expected(line, e);
		}
		got += e->row == row && at_point == 1 && as_expected == 1;
	}
	return (got);
}
