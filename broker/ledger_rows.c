/*
 * ledger_rows.c - struct job to and from the table jobs, column by column of
 * ledger_columns.def.  Untrusted bytes go in as bound values only.  Called by
 * ledger_ops.c inside a transaction, and by ledger_list.c.
 */
#include <stddef.h>

#include "ledger_int.h"

static const struct column {
	const struct sql_kind *kind;
	size_t offset;
	size_t size;
	bool is_fixed;
} columns[] = {
#define COLUMN(kind, member, is_fixed) \
	{&kind_##kind, offsetof(struct job, member), \
	    sizeof(((struct job *)NULL)->member), is_fixed},
#define FIXED(name, definition, kind, member) COLUMN(kind, member, true)
#define LATER(name, definition, kind, member) COLUMN(kind, member, false)
#include "ledger_columns.def"
#undef FIXED
#undef LATER
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

#define FIXED(name, definition, kind, member) ", " #name
#define LATER FIXED
const char ledger_select_jobs[] = "SELECT state"
#include "ledger_columns.def"
				  " FROM jobs";
const char ledger_select_job[] = "SELECT state"
#include "ledger_columns.def"
				 " FROM jobs WHERE id = ?";
#undef FIXED
#undef LATER

#define FIXED(name, definition, kind, member)
#define LATER FIXED
#define ADDED(name, definition, kind, member) \
	"ALTER TABLE jobs ADD COLUMN " #name " " definition ";"
const char ledger_added_columns[] =
#include "ledger_columns.def"
    ;
#undef FIXED
#undef LATER

#define FIXED(name, definition, kind, member) +1
#define LATER FIXED
#define ADDED(name, definition, kind, member)
const int ledger_first_columns = 1 /* state */
#include "ledger_columns.def"
    ;
#undef FIXED
#undef LATER

#define FIXED(name, definition, kind, member) ", " #name " " definition
#define LATER FIXED
const char ledger_job_definitions[] =
#include "ledger_columns.def"
    ;
#undef FIXED
#undef LATER

#define FIXED(name, definition, kind, member) ", " #name
#define LATER(name, definition, kind, member)
const char ledger_fixed_columns[] =
#include "ledger_columns.def"
    ;
#undef FIXED
#undef LATER

static const char insert_sql[] =
    "INSERT INTO jobs (n, state"
#define FIXED(name, definition, kind, member) ", " #name
#define LATER FIXED
#include "ledger_columns.def"
#undef FIXED
#undef LATER
    ") VALUES ((SELECT coalesce(max(n), 0) + 1 FROM jobs), ?"
#define FIXED(name, definition, kind, member) ", ?"
#define LATER FIXED
#include "ledger_columns.def"
#undef FIXED
#undef LATER
    ")";

static const char update_sql[] = "UPDATE jobs SET state = ?"
#define FIXED(name, definition, kind, member)
#define LATER(name, definition, kind, member) ", " #name " = ?"
#include "ledger_columns.def"
#undef FIXED
#undef LATER
				 " WHERE id = ?";

static const char *
field_of(const struct job *j, const struct column *c)
{
	return ((const char *)j + c->offset);
}

/* Binds state and the columns; *i is then the next parameter. */
static int
bind_columns(sqlite3_stmt *stmt, const struct job *j, bool with_fixed, int *i)
{
	int rc = kind_bind_text(stmt, 1, job_state_name(j->state));

	*i = 2;
	for (size_t n = 0; n < COLUMN_COUNT && rc == SQLITE_OK; n++) {
		if (columns[n].is_fixed && !with_fixed)
			continue;
		rc = columns[n].kind->bind(stmt, *i, field_of(j, &columns[n]));
		(*i)++;
	}
	return (rc);
}

int
rows_insert_job(struct ledger *l, const struct job *j, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l, insert_sql, d);
	int rc, next;

	if (stmt == NULL)
		return (-1);
	rc = bind_columns(stmt, j, true, &next);
	return (rc != SQLITE_OK ? sql_fail(l, rc, d) : sql_run(l, stmt, d));
}

int
rows_update_job(struct ledger *l, const struct job *j, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l, update_sql, d);
	int rc, next;

	if (stmt == NULL)
		return (-1);
	rc = bind_columns(stmt, j, false, &next);
	if (rc == SQLITE_OK)
		rc = kind_bind_text(stmt, next, j->id);
	if (rc != SQLITE_OK)
		return (sql_fail(l, rc, d));
	if (sql_run(l, stmt, d) == -1)
		return (-1);
	if (sqlite3_changes(l->db) != 1)
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "holds no job %s any more", j->id));
	return (0);
}

int
rows_load_job(struct ledger *l, sqlite3_stmt *stmt, struct job *j,
    struct diag *d)
{
	const unsigned char *state = sqlite3_column_text(stmt, 0);
	int rc = 0;

	j->state =
	    state != NULL ? job_state_by_name((const char *)state) : JOB__MAX;
	if (j->state == JOB__MAX)
		return (sql_fail(l, SQLITE_CORRUPT, d));
	for (size_t n = 0; n < COLUMN_COUNT && rc == 0; n++)
		rc = columns[n].kind->load(stmt, (int)n + 1,
		    (char *)j + columns[n].offset, columns[n].size);
	return (rc == 0 ? 0 : sql_fail(l, rc, d));
}
