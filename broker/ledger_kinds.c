/*
 * ledger_kinds.c - one kind of column a pair of functions: a field of struct
 * job to a bound value, and a column back to the field.  What comes out of the
 * file is checked: another program of the same user may have written it.
 */
#include <stdlib.h>
#include <string.h>

#include "ledger_int.h"

int
kind_bind_text(sqlite3_stmt *stmt, int i, const char *text)
{
	if (text == NULL)
		return (sqlite3_bind_null(stmt, i));
	return (sqlite3_bind_text(stmt, i, text, -1, SQLITE_TRANSIENT));
}

static int
buf_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	const char *text = field;

	return (kind_bind_text(stmt, i, text[0] != '\0' ? text : NULL));
}

/* Ids, hashes, tenants: the words that are printed as they stand. */
static bool
is_word(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text <= ' ' || *text > '~')
			return (false);
	return (true);
}

static int
buf_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);
	char *out = field;

	if (text == NULL) {
		out[0] = '\0';
		return (0);
	}
	if (strlcpy(out, (const char *)text, size) >= size || !is_word(out))
		return (SQLITE_CORRUPT);
	return (0);
}

static int
str_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	return (kind_bind_text(stmt, i, *(char *const *)field));
}

static int
str_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);
	char **out = field;

	(void)size; /* of a pointer */
	if (text == NULL)
		return (0);
	*out = strdup((const char *)text);
	return (*out != NULL ? 0 : SQLITE_NOMEM);
}

static int
i64_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	int64_t value = *(const int64_t *)field;

	if (value == JOB_UNKNOWN)
		return (sqlite3_bind_null(stmt, i));
	return (sqlite3_bind_int64(stmt, i, value));
}

static int
i64_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	int64_t value = sqlite3_column_int64(stmt, i);

	if (sqlite3_column_type(stmt, i) == SQLITE_NULL)
		value = JOB_UNKNOWN;
	if (size == sizeof(int)) {
		if (value < INT_MIN || value > INT_MAX)
			return (SQLITE_CORRUPT);
		*(int *)field = (int)value;
		return (0);
	}
	*(int64_t *)field = value;
	return (0);
}

static int
int_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	int64_t value = *(const int *)field;

	return (i64_bind(stmt, i, &value));
}

static int
bool_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	return (sqlite3_bind_int(stmt, i, *(const bool *)field ? 1 : 0));
}

static int
bool_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	(void)size; /* of a bool */
	*(bool *)field = sqlite3_column_int(stmt, i) != 0;
	return (0);
}

static int
reason_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	enum reason reason = *(const enum reason *)field;

	return (buf_bind(stmt, i, reason_name(reason)));
}

static int
reason_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);
	enum reason reason;

	(void)size; /* of an enum */
	reason = reason_by_name(text != NULL ? (const char *)text : "");
	if (reason == REASON__MAX)
		return (SQLITE_CORRUPT);
	*(enum reason *)field = reason;
	return (0);
}

/* limits_hit is a JSON array of reasons, whose names need no escapes. */
#define LIMITS_TEXT_MAX 256

static int
limits_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	const bool *hit = field;
	char text[LIMITS_TEXT_MAX] = "[";

	for (enum reason r = 0; r < REASON__MAX; r++) {
		if (!hit[r])
			continue;
		if (strlcat(text, text[1] != '\0' ? ",\"" : "\"",
			sizeof(text)) >= sizeof(text) ||
		    strlcat(text, reason_name(r), sizeof(text)) >=
			sizeof(text) ||
		    strlcat(text, "\"", sizeof(text)) >= sizeof(text))
			return (SQLITE_TOOBIG);
	}
	if (strlcat(text, "]", sizeof(text)) >= sizeof(text))
		return (SQLITE_TOOBIG);
	return (kind_bind_text(stmt, i, text));
}

static int
limits_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	const unsigned char *column = sqlite3_column_text(stmt, i);
	char text[LIMITS_TEXT_MAX], *rest = text, *word;
	bool *hit = field;
	enum reason reason;

	(void)size; /* of the array: REASON__MAX */
	if (column == NULL ||
	    strlcpy(text, (const char *)column, sizeof(text)) >= sizeof(text))
		return (SQLITE_CORRUPT);
	while ((word = strsep(&rest, "[],\" ")) != NULL) {
		if (word[0] == '\0')
			continue;
		if ((reason = reason_by_name(word)) == REASON__MAX)
			return (SQLITE_CORRUPT);
		hit[reason] = true;
	}
	return (0);
}

/* argv is the strings, each with its NUL: exact whatever bytes they hold. */
static int
argv_bind(sqlite3_stmt *stmt, int i, const void *field)
{
	char *const *argv = *(char *const *const *)field;
	size_t len = 0, used = 0;
	char *blob;

	for (char *const *a = argv; a != NULL && *a != NULL; a++)
		len += strlen(*a) + 1;
	if (len == 0)
		return (sqlite3_bind_zeroblob(stmt, i, 0));
	if (len > INT_MAX || (blob = malloc(len)) == NULL)
		return (SQLITE_NOMEM);
	for (char *const *a = argv; *a != NULL; a++) {
		memcpy(blob + used, *a, strlen(*a) + 1);
		used += strlen(*a) + 1;
	}
	return (sqlite3_bind_blob(stmt, i, blob, (int)len, free));
}

static int
argv_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	const char *blob = sqlite3_column_blob(stmt, i);
	size_t len = (size_t)sqlite3_column_bytes(stmt, i), count = 0, n = 0;
	char **argv;

	(void)size; /* of a pointer */
	if (blob == NULL || len == 0)
		return (0);
	if (blob[len - 1] != '\0')
		return (SQLITE_CORRUPT);
	for (size_t at = 0; at < len; at++)
		count += blob[at] == '\0' ? 1 : 0;
	if ((argv = calloc(count + 1, sizeof(*argv))) == NULL)
		return (SQLITE_NOMEM);
	*(char ***)field = argv; /* job_free() releases what there is */
	for (size_t at = 0; at < len; at += strlen(blob + at) + 1)
		if ((argv[n++] = strdup(blob + at)) == NULL)
			return (SQLITE_NOMEM);
	return (0);
}

static const char *const sources[] = {"rusage", "cgroup"};

static int
source_load(sqlite3_stmt *stmt, int i, void *field, size_t size)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);

	(void)size; /* of a pointer */
	if (text == NULL)
		return (0);
	for (size_t n = 0; n < sizeof(sources) / sizeof(sources[0]); n++)
		if (strcmp((const char *)text, sources[n]) == 0) {
			*(const char **)field = sources[n];
			return (0);
		}
	return (SQLITE_CORRUPT);
}

const struct sql_kind kind_BUF = {buf_bind, buf_load};
const struct sql_kind kind_STR = {str_bind, str_load};
const struct sql_kind kind_I64 = {i64_bind, i64_load};
const struct sql_kind kind_INT = {int_bind, i64_load};
const struct sql_kind kind_BOOL = {bool_bind, bool_load};
const struct sql_kind kind_REASON = {reason_bind, reason_load};
const struct sql_kind kind_LIMITS = {limits_bind, limits_load};
const struct sql_kind kind_ARGV = {argv_bind, argv_load};
const struct sql_kind kind_SOURCE = {str_bind, source_load};
