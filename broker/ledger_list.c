/*
 * ledger_list.c - reading of many jobs.  A filter becomes a statement from
 * constant pieces; every value of it is bound.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ledger_int.h"

static int
bind_filter(sqlite3_stmt *stmt, const struct ledger_filter *f)
{
	const struct {
		const char *name;
		const char *text; /* NULL: a number */
		int64_t number;
	} values[] = {
	    {":tenant", f->tenant, 0},
	    {":prefix", f->id_prefix, 0},
	    {":state", job_state_name(f->state), 0},
	    {":since", NULL, f->since_ms},
	    {":until", NULL, f->until_ms},
	    {":limit", NULL, f->limit > 0 ? f->limit : -1},
	};

	for (size_t n = 0; n < sizeof(values) / sizeof(values[0]); n++) {
		int i = sqlite3_bind_parameter_index(stmt, values[n].name);
		int rc = SQLITE_OK;

		if (i == 0)
			continue;
		if (values[n].text != NULL)
			rc = kind_bind_text(stmt, i, values[n].text);
		else
			rc = sqlite3_bind_int64(stmt, i, values[n].number);
		if (rc != SQLITE_OK)
			return (rc);
	}
	return (SQLITE_OK);
}

/* Malloced, or NULL: out of memory, which fclose() tells for all of it. */
static char *
filter_sql(const struct ledger_filter *f)
{
	const struct {
		bool is_set;
		const char *sql;
	} conditions[] = {
	    {f->tenant != NULL, " AND tenant = :tenant"},
	    {f->id_prefix != NULL,
		" AND id BETWEEN :prefix AND :prefix || '~'"},
	    {f->state != JOB__MAX, " AND state = :state"},
	    {f->is_open, " AND ended_ms IS NULL"},
	    {f->is_degraded, " AND degraded"},
	    {f->is_network, " AND network_host"},
	    {f->since_ms != JOB_UNKNOWN, " AND created_ms >= :since"},
	    {f->until_ms != JOB_UNKNOWN, " AND created_ms <= :until"},
	};
	char *sql = NULL;
	size_t len = 0;
	FILE *text = open_memstream(&sql, &len);

	if (text == NULL)
		return (NULL);
	(void)fprintf(text, "%s WHERE 1", ledger_select_jobs);
	for (size_t n = 0; n < sizeof(conditions) / sizeof(conditions[0]); n++)
		if (conditions[n].is_set)
			(void)fputs(conditions[n].sql, text);
	(void)fputs(" ORDER BY n DESC LIMIT :limit", text);
	if (fclose(text) == 0)
		return (sql);
	free(sql);
	return (NULL);
}

/* Loads the current row and shows it to fn; its nonzero result stops. */
static int
visit(struct ledger *l, sqlite3_stmt *stmt, int (*fn)(struct job *j, void *arg),
    void *arg, bool *is_over, struct diag *d)
{
	static struct job j; /* large; nobody re-enters */
	int rc;

	job_init(&j);
	if ((rc = rows_load_job(l, stmt, &j, d)) == 0 &&
	    (rc = children_load(l, &j, d)) == 0)
		*is_over = fn(&j, arg) != 0;
	job_free(&j);
	return (rc);
}

static int
visit_all(struct ledger *l, const char *sql, const struct ledger_filter *f,
    int (*fn)(struct job *j, void *arg), void *arg, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l, sql, d);
	bool is_over = false;
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = bind_filter(stmt, f)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	while (!is_over && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		if (visit(l, stmt, fn, arg, &is_over, d) == -1)
			return (-1);
	return (is_over || rc == SQLITE_DONE ? 0 : sql_fail(l, rc, d));
}

int
ledger_each(struct ledger *l, const struct ledger_filter *f,
    int (*fn)(struct job *j, void *arg), void *arg, struct diag *d)
{
	char *sql = filter_sql(f);
	int rc;

	if (sql == NULL)
		return (sql_fail(l, SQLITE_NOMEM, d));
	/* One snapshot: a job's row and its controls belong together. */
	if ((rc = sql_exec(l, "BEGIN", d)) == 0)
		rc = sql_end(l, visit_all(l, sql, f, fn, arg, d), d);
	free(sql);
	return (rc);
}
