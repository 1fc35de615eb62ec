/*
 * ledger_quota.c - admission within a tenant's quotas, and the line of those
 * that wait for it.  What is in use is read in the transaction that inserts
 * the row, so that two brokers cannot both take the last of it.  Called by
 * admission.c.
 */
#include "ledger_int.h"
#include "times.h"

#define HOUR_MS 3600000
/* So far ahead may the clock have been for a row to count in an hour. */
#define AHEAD_MS 60000
/* Refusals that get a row of their own, a tenant and hour. */
#define REFUSALS_MAX 100

/* What the tenant uses, in the order of enum quota.  A job that runs counts
 * with its limits; one that never told its CPU time with all it could take.
 * Who ended or began later than ?3 did so while the clock was wrong, and that
 * hour may be years away. */
static const char use_sql[] =
    "SELECT count(*) FILTER (WHERE ended_ms IS NULL),"
    " coalesce(sum(memory_limit_bytes) FILTER (WHERE ended_ms IS NULL), 0),"
    " coalesce(sum(CASE WHEN ended_ms IS NULL THEN coalesce(cpu_limit_ms, 0)"
    " WHEN cpu_ms IS NOT NULL THEN cpu_ms WHEN started_ms IS NULL THEN 0"
    " ELSE coalesce(cpu_limit_ms, 0) END), 0),"
    " count(*) FILTER (WHERE created_ms > ?2 AND created_ms <= ?3"
    " AND reason IS NOT 'quota') FROM jobs WHERE tenant = ?1"
    " AND (ended_ms IS NULL OR (ended_ms > ?2 AND ended_ms <= ?3))";
_Static_assert(QUOTA_JOBS_AT_ONCE == 0 && QUOTA_MEMORY_SUM == 1 &&
	QUOTA_CPU_PER_HOUR == 2 && QUOTA_JOBS_PER_HOUR == 3,
    "the columns of use_sql");

static int
bind_tenant(sqlite3_stmt *stmt, const struct job *j, int64_t number)
{
	int rc = kind_bind_text(stmt, 1, j->tenant);

	return (rc == SQLITE_OK ? sqlite3_bind_int64(stmt, 2, number) : rc);
}

/* The tenant, and the hour that ends now. */
static int
bind_hour(sqlite3_stmt *stmt, const struct job *j)
{
	int64_t now = times_now_ms();
	int rc = bind_tenant(stmt, j, now - HOUR_MS);

	return (
	    rc == SQLITE_OK ? sqlite3_bind_int64(stmt, 3, now + AHEAD_MS) : rc);
}

static int64_t
limit_of(int64_t limit)
{
	return (limit != JOB_UNKNOWN ? limit : 0);
}

/* Exceeded by what is asked alone: whatever ends, that is not waited for. */
static bool
is_beyond(const struct ledger_quotas *most, const int64_t *asked, enum quota q)
{
	return (most->most[q] != 0 && asked[q] > most->most[q]);
}

static bool
is_exceeded(const struct ledger_quotas *most, const int64_t *asked,
    const int64_t *used, enum quota q)
{
	return (most->most[q] != 0 && asked[q] > most->most[q] - used[q]);
}

/* The first quota that never lets j in, else the first that does not now. */
static enum quota
first_exceeded(const struct ledger_quotas *most, const int64_t *asked,
    const int64_t *used)
{
	for (enum quota q = 0; q < QUOTA__MAX; q++)
		if (is_beyond(most, asked, q))
			return (q);
	for (enum quota q = 0; q < QUOTA__MAX; q++)
		if (is_exceeded(most, asked, used, q))
			return (q);
	return (QUOTA__MAX);
}

/* The quota that j would exceed, or QUOTA__MAX. */
static int
find_exceeded(struct ledger *l, const struct job *j,
    const struct ledger_quotas *most, struct ledger_denial *out, struct diag *d)
{
	const int64_t asked[QUOTA__MAX] = {
	    [QUOTA_JOBS_AT_ONCE] = 1,
	    [QUOTA_MEMORY_SUM] = limit_of(j->memory_limit_bytes),
	    [QUOTA_CPU_PER_HOUR] = limit_of(j->cpu_limit_ms),
	    [QUOTA_JOBS_PER_HOUR] = 1,
	};
	auto_stmt stmt = sql_prepare(l, use_sql, d);
	int64_t used[QUOTA__MAX];
	int rc;

	if (stmt == NULL)
		return (-1);
	rc = bind_hour(stmt, j);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return (sql_fail(l, rc, d));
	for (enum quota q = 0; q < QUOTA__MAX; q++)
		used[q] = sqlite3_column_int64(stmt, (int)q);
	out->quota = first_exceeded(most, asked, used);
	if (out->quota != QUOTA__MAX) {
		out->used = used[out->quota];
		out->asked = asked[out->quota];
	}
	return (0);
}

/* A number may have been given again: the byte tells whose row it is.
 * *was_in_line: there was one. */
static int
forget(struct ledger *l, int64_t ticket, int64_t lock_byte, bool *was_in_line,
    struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "DELETE FROM waiters WHERE n = ? AND lock_byte = ?", d);
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = sqlite3_bind_int64(stmt, 1, ticket)) != SQLITE_OK ||
	    (rc = sqlite3_bind_int64(stmt, 2, lock_byte)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	rc = sql_run(l, stmt, d);
	*was_in_line = sqlite3_changes(l->db) != 0;
	return (rc);
}

/* 1: may still take its turn; 0: its broker is dead, or its time is up, which
 * a stopped one cannot tell itself; -1 with d. */
static int
judge_waiter(struct ledger *l, sqlite3_stmt *stmt, struct diag *d)
{
	if (sqlite3_column_int64(stmt, 2) < monotonic_ms())
		return (0);
	return (liveness_probe(l->dir, sqlite3_column_int64(stmt, 1), d));
}

/* Who came before ticket and still waits; the others are forgotten.  *is_one:
 * one was met. */
static int
find_ahead(struct ledger *l, const struct job *j, int64_t ticket, bool *is_one,
    struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "SELECT n, lock_byte, at_ms FROM waiters WHERE tenant = ?1"
	    " AND n < ?2 ORDER BY n",
	    d);
	bool was_in_line;
	int rc, waits;

	*is_one = false;
	if (stmt == NULL)
		return (-1);
	if ((rc = bind_tenant(stmt, j, ticket)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		waits = judge_waiter(l, stmt, d);
		*is_one = waits == 1;
		if (waits != 0)
			return (waits == 1 ? 0 : -1);
		if (forget(l, sqlite3_column_int64(stmt, 0),
			sqlite3_column_int64(stmt, 1), &was_in_line, d) == -1)
			return (-1);
	}
	return (rc == SQLITE_DONE ? 0 : sql_fail(l, rc, d));
}

/* In the transaction: 1 admitted, 0 denied, -1 with d. */
static int
admit_if_free(struct ledger *l, struct job *j, const struct ledger_quotas *most,
    int64_t ticket, struct ledger_denial *out, struct diag *d)
{
	bool was_in_line = true;

	if (find_ahead(l, j, ticket != 0 ? ticket : INT64_MAX,
		&out->has_waiters, d) == -1 ||
	    find_exceeded(l, j, most, out, d) == -1)
		return (-1);
	if (out->has_waiters || out->quota != QUOTA__MAX)
		return (0);
	if (ticket != 0 &&
	    forget(l, ticket, j->lock_byte, &was_in_line, d) == -1)
		return (-1);
	/* Others went on without it: it has no turn any more. */
	out->is_late = !was_in_line;
	if (out->is_late)
		return (0);
	return (ledger_insert(l, j, d) == -1 ? -1 : 1);
}

int
ledger_admit_within(struct ledger *l, struct job *j,
    const struct ledger_quotas *most, int64_t ticket, struct ledger_denial *out,
    struct diag *d)
{
	int rc;

	*out = (struct ledger_denial){.quota = QUOTA__MAX};
	j->state = JOB_ADMITTED;
	/* The hour of a quota begins when the job may run. */
	j->created_ms = times_now_ms();
	if (ledger_prepare(j, d) == -1 || sql_begin(l, SQL_FULL, d) == -1)
		return (-1);
	rc = admit_if_free(l, j, most, ticket, out, d);
	return (sql_end(l, rc == -1 ? -1 : 0, d) == -1 ? -1 : rc);
}

static int
insert_waiter(struct ledger *l, const struct job *j, int64_t until_ms,
    struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "INSERT INTO waiters (n, tenant, lock_byte, at_ms) VALUES"
	    " ((SELECT coalesce(max(n), 0) + 1 FROM waiters), ?1, ?2, ?3)",
	    d);
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = bind_tenant(stmt, j, j->lock_byte)) != SQLITE_OK ||
	    (rc = sqlite3_bind_int64(stmt, 3, until_ms)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	return (sql_run(l, stmt, d));
}

int
ledger_queue(struct ledger *l, const struct job *j, int64_t until_ms,
    int64_t *ticket, struct diag *d)
{
	bool has_others;
	int rc;

	if (sql_begin(l, SQL_NORMAL, d) == -1)
		return (-1);
	/* The dead go first. */
	rc = find_ahead(l, j, INT64_MAX, &has_others, d);
	if (rc == 0 && (rc = insert_waiter(l, j, until_ms, d)) == 0)
		*ticket = sqlite3_last_insert_rowid(l->db);
	return (sql_end(l, rc, d));
}

int
ledger_unqueue(struct ledger *l, const struct job *j, int64_t ticket,
    struct diag *d)
{
	bool was_in_line;
	int rc;

	if (sql_begin(l, SQL_NORMAL, d) == -1)
		return (-1);
	rc = forget(l, ticket, j->lock_byte, &was_in_line, d);
	return (sql_end(l, rc, d));
}

/* Adds one to the newest refusal of the tenant, which stands for more. */
static int
count_refusal(struct ledger *l, const struct job *j, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "INSERT INTO refusals (job, count, last_ms) SELECT id, 1, ?2 FROM"
	    " jobs WHERE tenant = ?1 AND reason = 'quota'"
	    " ORDER BY n DESC LIMIT 1"
	    " ON CONFLICT (job) DO UPDATE SET count = count + 1,"
	    " last_ms = excluded.last_ms",
	    d);
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = bind_tenant(stmt, j, times_now_ms())) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	return (sql_run(l, stmt, d));
}

static int
find_refusals(struct ledger *l, const struct job *j, int64_t *count,
    struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "SELECT count(*) FROM jobs WHERE tenant = ?1 AND ended_ms > ?2"
	    " AND ended_ms <= ?3 AND reason = 'quota'",
	    d);
	int rc;

	if (stmt == NULL)
		return (-1);
	rc = bind_hour(stmt, j);
	if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		*count = sqlite3_column_int64(stmt, 0);
		return (0);
	}
	return (sql_fail(l, rc, d));
}

int
ledger_refuse(struct ledger *l, struct job *j, bool *has_row, struct diag *d)
{
	int64_t count = 0;
	int rc;

	j->state = JOB_REFUSED;
	j->reason = REASON_QUOTA;
	if (ledger_prepare(j, d) == -1 || sql_begin(l, l->settle_how, d) == -1)
		return (-1);
	rc = find_refusals(l, j, &count, d);
	*has_row = count <= REFUSALS_MAX;
	if (rc == 0)
		rc = *has_row ? ledger_insert(l, j, d) : count_refusal(l, j, d);
	return (sql_end(l, rc, d));
}
