/*
 * mountinfo.c - parses /proc/PID/mountinfo (proc_pid_mountinfo(5)).
 *
 * The text is the kernel's, but names in it come from the host and from
 * plans: a line that does not fit fails the whole table.  The launcher loads
 * it once a launch; only mounts below the job's root are listed.
 */
#include <errno.h>
#include <string.h>

#include "io.h"
#include "mounts.h"

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
	char *id, *parent, *root, *point, *field;

	id = strsep(&text, " ");
	parent = strsep(&text, " ");
	line->device = strsep(&text, " ");
	line->root = root = strsep(&text, " ");
	line->point = point = strsep(&text, " ");
	line->flags = strsep(&text, " ");
	line->propagation = "";
	while ((field = strsep(&text, " ")) != NULL && strcmp(field, "-") != 0)
		line->propagation = field; /* one of them will do */
	line->fstype = strsep(&text, " ");
	(void)strsep(&text, " "); /* the source is what the mounter said */
	line->options = text;
	if (id == NULL || parent == NULL || text == NULL || point[0] != '/')
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

	while ((line = strsep(&text, "\n")) != NULL && text != NULL) {
		if (count == max) {
			errno = EOVERFLOW;
			return (-1);
		}
		if (parse_line(line, &lines[count++]) == -1)
			break;
	}
	if (line != NULL && *line == '\0')
		return ((long)count); /* what follows the last newline */
	errno = EINVAL;
	return (-1);
}

static bool
has_word(const char *list, const char *word, size_t len)
{
	const char *end;

	for (;; list = end + 1) {
		end = strchrnul(list, ',');
		if ((size_t)(end - list) == len && memcmp(list, word, len) == 0)
			return (true);
		if (*end == '\0')
			return (false);
	}
}

bool
mountinfo_has(const char *list, const char *words)
{
	size_t len;

	for (; *words != '\0'; words += len + (words[len] == ',')) {
		len = strcspn(words, ",");
		if (!has_word(list, words, len))
			return (false);
	}
	return (true);
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

const struct mount_line *
mountinfo_find(const char *point, const char *fstype, const char *flags,
    const char *options)
{
	const struct mount_line *line, *found = NULL;

	for (size_t i = 0; (line = mountinfo_line(i)) != NULL; i++) {
		if (strcmp(line->point, point) != 0)
			continue;
		if (found != NULL)
			return (NULL); /* one covers the other */
		found = line;
	}
	if (found == NULL ||
	    (fstype != NULL && strcmp(found->fstype, fstype) != 0) ||
	    !mountinfo_has(found->flags, flags) ||
	    !mountinfo_has(found->options, options))
		return (NULL);
	return (found);
}
