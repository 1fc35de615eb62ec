/*
 * policy_load.c - reads one policy file.
 *
 * inih splits lines into section, key and value; what it would let pass is
 * caught on the raw line before it sees it: lines that it would cut, comments
 * behind a value, text behind a section's bracket.  Everything unknown is an
 * error that names file, line and word.  Called by the broker.
 */
#include <sys/stat.h>

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"

#define FILE_BYTES_MAX (1L << 20)
#define KEYS_MAX 64U
#define BLANKS " \t\r\n\v\f"

struct load {
	struct policy *policy;
	struct diag *diag;
	FILE *file;
	char *raw; /* getline()'s */
	size_t raw_size;
	struct origin origin;	     /* of the line being read */
	char section[128];	     /* as it stands: inih cuts a long one */
	unsigned int seen[KEYS_MAX]; /* the line of each key, 0: none yet */
	bool has_failed;
};

static void
fail(struct load *l, const char *why)
{
	if (!l->has_failed)
		(void)origin_fail(l->diag, &l->origin, "%s", why);
	l->has_failed = true;
}

/* Takes the blanks off both ends; the length left. */
static size_t
trim(char *line, size_t len)
{
	size_t lead = strspn(line, BLANKS);

	memmove(line, line + lead, len - lead + 1);
	len -= lead;
	while (len > 0 && strchr(BLANKS, line[len - 1]) != NULL)
		line[--len] = '\0';
	return (len);
}

/* What is wrong with a trimmed line that inih would take, or NULL. */
static const char *
line_fault(const char *line, size_t len)
{
	const char *bracket;
	size_t i;

	if (line[0] == '#' || line[0] == ';')
		return (NULL);
	if (line[0] == '[') {
		bracket = strchr(line, ']');
		if (bracket == NULL || bracket[1] != '\0')
			return ("a section is [NAME] and nothing else");
		return (NULL);
	}
	for (i = 1; i < len; i++) {
		if (line[i] == ';' && strchr(BLANKS, line[i - 1]) != NULL)
			return ("a comment has a line of its own");
	}
	if (len > 0 && strchr(line, '=') == NULL)
		return ("neither KEY = VALUE nor [SECTION]");
	return (NULL);
}

static bool
take_section(struct load *l, size_t len)
{
	if (len - 2 < sizeof(l->section)) {
		memcpy(l->section, l->raw + 1, len - 2);
		l->section[len - 2] = '\0';
		return (true);
	}
	fail(l, "the section's name is too long");
	return (false);
}

/* inih's reader: one line, without its end; NULL ends the file. */
static char *
read_line(char *buf, int size, void *arg)
{
	struct load *l = arg;
	ssize_t n;
	size_t len;
	const char *fault;

	if (l->has_failed || (n = getline(&l->raw, &l->raw_size, l->file)) < 0)
		return (NULL);
	l->origin.line++;
	if (strlen(l->raw) != (size_t)n) {
		fail(l, "the line holds a NUL byte");
		return (NULL);
	}
	len = trim(l->raw, (size_t)n);
	if ((fault = line_fault(l->raw, len)) != NULL) {
		fail(l, fault);
		return (NULL);
	}
	if (l->raw[0] == '[' && !take_section(l, len))
		return (NULL);
	/* A comment may be as long as it likes. */
	if (l->raw[0] == '#' || l->raw[0] == ';')
		l->raw[1] = '\0';
	else if (len + 3 > (size_t)size) {
		fail(l, "the line is too long");
		return (NULL);
	}
	(void)strlcpy(buf, l->raw, (size_t)size);
	return (buf);
}

static void
twice(struct load *l, const struct policy_key *k, unsigned int line)
{
	(void)origin_fail(l->diag, &l->origin, "%s was set in line %u already",
	    k->key, line);
	l->has_failed = true;
}

/* inih's handler: one key; non-zero goes on. */
static int
take_key(void *arg, const char *section, const char *key, const char *value)
{
	struct load *l = arg;
	const struct policy_key *k;
	const char *tenant;
	unsigned int *seen;

	if (l->has_failed)
		return (0);
	if (section[0] == '\0') {
		fail(l, "a key before the first [SECTION]");
		return (0);
	}
	if ((tenant = tenant_of_section(l->section)) != NULL) {
		if (tenant_set(l->policy, tenant, key, value, &l->origin,
			l->diag) == -1)
			l->has_failed = true;
		return (!l->has_failed);
	}
	k = policy_key_find(l->section, key, &l->origin, l->diag);
	if (k == NULL) {
		l->has_failed = true;
		return (0);
	}
	seen = &l->seen[k - policy_keys];
	if (!k->is_list && *seen != 0) {
		twice(l, k, *seen);
		return (0);
	}
	*seen = l->origin.line;
	if (k->set(l->policy, k, value, &l->origin, l->diag) == -1)
		l->has_failed = true;
	return (!l->has_failed);
}

static int
unreadable(const char *path, struct diag *d)
{
	return (diag_at(d, DIAG_POLICY, path, 0, "cannot be read: %s",
	    strerror(errno)));
}

static int
parse(struct load *l)
{
	int rc = ini_parse_stream(read_line, l, take_key, l);

	if (l->has_failed)
		return (-1);
	if (ferror(l->file))
		return (unreadable(l->origin.file, l->diag));
	if (rc != 0) {
		l->origin.line = rc > 0 ? (unsigned int)rc : 0;
		fail(l, rc > 0 ? "not a line of a policy" : "out of memory");
		return (-1);
	}
	return (0);
}

/* A regular file of a sane size: a pipe would keep the caller waiting. */
static FILE *
open_policy(const char *path, bool is_required, bool *is_absent, struct diag *d)
{
	struct stat st;
	FILE *f;

	*is_absent = false;
	if (stat(path, &st) == -1) {
		*is_absent = !is_required && errno == ENOENT;
		if (!*is_absent)
			(void)unreadable(path, d);
		return (NULL);
	}
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX) {
		(void)diag_at(d, DIAG_POLICY, path, 0,
		    "is not a regular file of at most 1 MiB");
		return (NULL);
	}
	if ((f = fopen(path, "re")) == NULL)
		(void)unreadable(path, d);
	return (f);
}

int
policy_load(struct policy *p, const char *path, bool is_required,
    struct diag *d)
{
	struct load l = {.policy = p, .diag = d};
	bool is_absent;
	char *name;
	int rc = -1;

	if (policy_key_count > KEYS_MAX)
		return (diag_set(d, DIAG_INTERNAL, "too many policy keys"));
	if ((l.file = open_policy(path, is_required, &is_absent, d)) == NULL)
		return (is_absent ? 0 : -1);
	l.origin.file = policy_keep_file(p, path);
	name = strdup(path);
	if (l.origin.file == NULL || name == NULL) {
		(void)diag_set(d, DIAG_INTERNAL, "out of memory");
		free(name);
	} else {
		free(p->name);
		p->name = name;
		rc = parse(&l);
	}
	free(l.raw);
	(void)fclose(l.file); /* only read from */
	return (rc);
}
