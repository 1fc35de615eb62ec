/*
 * lang.c - the languages, and what a program's first bytes say of how it is
 * executed.  Pure.  Called by command.c.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lang.h"

static const struct lang langs[] = {
#define LANG(name, suffixes, program, unbuffered) \
	{name, suffixes, program, unbuffered},
#include "languages.def"
#undef LANG
};
#define LANGS (sizeof(langs) / sizeof(langs[0]))

/* The list for a person: "python, node, ...". */
static const char lang_names[] =
#define LANG(name, suffixes, program, unbuffered) ", " name
#include "languages.def"
#undef LANG
    ;

const struct lang *
lang_default(void)
{
	return (&langs[0]);
}

const struct lang *
lang_by_name(const char *name, struct diag *d)
{
	for (size_t i = 0; i < LANGS; i++)
		if (strcmp(name, langs[i].name) == 0)
			return (&langs[i]);
	(void)diag_set(d, DIAG_USAGE, "unknown language \"%s\" (known: %s)",
	    name, lang_names + 2);
	return (NULL);
}

static bool
has_suffix(const struct lang *l, const char *suffix)
{
	size_t len = strlen(suffix);

	for (const char *s = l->suffixes; *s != '\0'; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");
		if (n == len && strncasecmp(s, suffix, n) == 0)
			return (true);
		s += n;
	}
	return (false);
}

const struct lang *
lang_by_suffix(const char *file)
{
	const char *suffix = strrchr(file, '.');

	if (suffix == NULL)
		return (NULL);
	for (size_t i = 0; i < LANGS; i++)
		if (has_suffix(&langs[i], suffix))
			return (&langs[i]);
	return (NULL);
}

int
lang_file_name(const struct lang *l, const char *stem, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s%.*s", stem,
	    (int)strcspn(l->suffixes, " "), l->suffixes);

	return (n < 0 || (size_t)n >= size ? -1 : 0);
}

static enum lang_exec
bad_line(const char *file, const char *why, struct diag *d)
{
	(void)diag_set(d, DIAG_COMMAND, "%s: its #! line %s", file, why);
	return (EXEC_BAD);
}

/*
 * The kernel would take what follows "#!" as it is.  /proc is where a link
 * to a descriptor of init's could be named (/proc/self/exe and the like).
 */
static enum lang_exec
judge_line(const char *line, size_t len, bool is_whole, const char *file,
    struct diag *d)
{
	char path[LANG_HEAD_SIZE];
	size_t n = 0;

	while (len > 0 && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	while (n < len && strchr(" \t\n", line[n]) == NULL)
		n++;
	if (n == len && !is_whole)
		return (bad_line(file, "is too long", d));
	memcpy(path, line, n);
	path[n] = '\0';
	if (n == 0 || path[0] != '/')
		return (bad_line(file, "names no absolute path", d));
	if (strchr(path, '\r') != NULL)
		return (bad_line(file,
		    "ends with a carriage return (save it "
		    "with Unix line ends)",
		    d));
	if (strstr(path, "/proc/") != NULL || strstr(path, "/..") != NULL)
		return (
		    bad_line(file, "must not go through /proc or \"..\"", d));
	return (EXEC_FILE);
}

enum lang_exec
lang_exec_by_head(const char *head, size_t len, const char *file,
    struct diag *d)
{
	static const char elf[] = {0x7f, 'E', 'L', 'F'};

	if (len > sizeof(elf) && memcmp(head, elf, sizeof(elf)) == 0)
		return (EXEC_FILE);
	if (len < 2 || head[0] != '#' || head[1] != '!')
		return (EXEC_NONE);
	return (judge_line(head + 2, len - 2, len < LANG_HEAD_SIZE, file, d));
}
