/*
 * ledger_compare.c - is the schema of an existing ledger the one that this
 * agsbx makes?  A trigger that is gone let something pass.  Called by the
 * audit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_int.h"

/* "trigger events_update" and its text, in one order for every file. */
static const char objects_sql[] =
    "SELECT type || ' ' || name, sql FROM sqlite_schema"
    " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " ORDER BY type = 'trigger', 1";

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

static const char *
column(sqlite3_stmt *stmt, int i)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);

	return (text != NULL ? (const char *)text : "");
}

/* The first object that differs: how, and its name; NULL: none. */
static const char *
first_difference(sqlite3_stmt *ours, sqlite3_stmt *theirs, const char **name)
{
	int a, b;

	for (;;) {
		a = sqlite3_step(ours);
		b = sqlite3_step(theirs);
		if (a != SQLITE_ROW && b != SQLITE_ROW)
			return (NULL);
		if (a != SQLITE_ROW) {
			*name = column(theirs, 0);
			return ("not the ledger's");
		}
		*name = column(ours, 0);
		if (b != SQLITE_ROW || strcmp(*name, column(theirs, 0)) != 0)
			return ("missing, or another one was added");
		if (strcmp(column(ours, 1), column(theirs, 1)) != 0)
			return ("changed");
	}
}

static int
compare_with(struct ledger *l, sqlite3 *model, char *name, size_t size,
    const char **how, struct diag *d)
{
	auto_stmt theirs = sql_prepare(l, objects_sql, d);
	sqlite3_stmt *ours = NULL;
	const char *which = NULL;
	int rc;

	if (theirs == NULL)
		return (-1);
	rc = sqlite3_prepare_v2(model, objects_sql, -1, &ours, NULL);
	if (rc != SQLITE_OK)
		return (sql_fail(l, rc, d));
	*how = first_difference(ours, theirs, &which);
	if (*how != NULL)
		(void)strlcpy(name, which, size); /* cut for a person */
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
