/*
 * ledger_compare.c - is the schema of an existing ledger the one that this
 * agsbx makes?  A trigger that is gone let something pass.  Called by the
 * audit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_int.h"

/*
 * Rank, "trigger events_update" and its text, in one order for every file.
 * Only SQLite's own tables of statistics and counts are left out, by their
 * text: a name of its kind is no proof, since PRAGMA writable_schema gives it
 * to any trigger.
 */
static const char objects_sql[] =
    "SELECT CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1"
    " WHEN 'view' THEN 2 ELSE 3 END, type || ' ' || name, sql"
    " FROM sqlite_schema WHERE NOT (type = 'table' AND coalesce(sql, '') IN"
    " ('CREATE TABLE sqlite_stat1(tbl,idx,stat)',"
    " 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',"
    " 'CREATE TABLE sqlite_sequence(name,seq)')) ORDER BY 1, 2";

static int
open_model(struct ledger *l, sqlite3 **model, struct diag *d)
{
	char *text = schema_text(true);
	int rc = SQLITE_NOMEM;

	*model = NULL;
	if (text != NULL && (rc = sqlite3_open(":memory:", model)) == SQLITE_OK)
		rc = sqlite3_exec(*model, text, NULL, NULL, NULL);
	free(text);
	return (rc == SQLITE_OK ? 0 : sql_fail(l, rc, d));
}

/* The same bytes, whatever is among them. */
static int
compare_column(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
	const void *first = sqlite3_column_blob(a, i);
	const void *second = sqlite3_column_blob(b, i);
	int len_a = sqlite3_column_bytes(a, i);
	int len_b = sqlite3_column_bytes(b, i);
	int len = len_a < len_b ? len_a : len_b;
	int rc = len > 0 ? memcmp(first, second, (size_t)len) : 0;

	return (rc != 0 ? rc : len_a - len_b);
}

/* Which of the two comes first; who is at its end comes last. */
static int
compare_objects(sqlite3_stmt *a, int a_rc, sqlite3_stmt *b, int b_rc)
{
	int rc;

	if (a_rc != SQLITE_ROW || b_rc != SQLITE_ROW)
		return ((a_rc != SQLITE_ROW) - (b_rc != SQLITE_ROW));
	rc = sqlite3_column_int(a, 0) - sqlite3_column_int(b, 0);
	return (rc != 0 ? rc : compare_column(a, b, 1));
}

static void
copy_name(sqlite3_stmt *stmt, char *name, size_t size)
{
	const unsigned char *text = sqlite3_column_text(stmt, 1);

	/* Cut for a person. */
	(void)strlcpy(name, text != NULL ? (const char *)text : "", size);
}

/* The first object that differs: how, and its name; NULL: none. */
static const char *
first_difference(sqlite3_stmt *ours, sqlite3_stmt *theirs, char *name,
    size_t size)
{
	int a, b, rc;

	do {
		a = sqlite3_step(ours);
		b = sqlite3_step(theirs);
		if (a != SQLITE_ROW && b != SQLITE_ROW)
			return (NULL);
		rc = compare_objects(ours, a, theirs, b);
	} while (rc == 0 && compare_column(ours, theirs, 2) == 0);
	copy_name(rc > 0 ? theirs : ours, name, size);
	return (rc == 0 ? "changed" : rc < 0 ? "missing" : "not the ledger's");
}

static int
compare_with(struct ledger *l, sqlite3 *model, char *name, size_t size,
    const char **how, struct diag *d)
{
	auto_stmt theirs = sql_prepare(l, objects_sql, d);
	sqlite3_stmt *ours = NULL;
	int rc;

	if (theirs == NULL)
		return (-1);
	rc = sqlite3_prepare_v2(model, objects_sql, -1, &ours, NULL);
	if (rc != SQLITE_OK)
		return (sql_fail(l, rc, d));
	*how = first_difference(ours, theirs, name, size);
	sql_close_stmt(&ours);
	rc = sqlite3_errcode(l->db);
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		return (sql_fail(l, rc, d));
	return (0);
}

int
schema_compare(struct ledger *l, char *name, size_t size, const char **how,
    struct diag *d)
{
	sqlite3 *model;
	int rc;

	*how = NULL;
	rc = open_model(l, &model, d);
	if (rc == 0)
		rc = compare_with(l, model, name, size, how, d);
	(void)sqlite3_close(model); /* every statement is finalized */
	return (rc);
}
