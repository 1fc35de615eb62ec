/*
 * ledger_ops.c - the changes of a job: each one transaction that changes the
 * row and appends its event, committed before the effect it records.  Checks
 * against the stored state, never against what the caller believes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_int.h"
#include "times.h"
#include "ulid.h"

/* A statement that gives the row of id as its current one; NULL with d. */
static sqlite3_stmt *
find_job(struct ledger *l, const char *sql, const char *id, struct diag *d)
{
	sqlite3_stmt *stmt = sql_prepare(l, sql, d);
	int rc;

	if (stmt == NULL)
		return (NULL);
	if ((rc = kind_bind_text(stmt, 1, id)) == SQLITE_OK &&
	    (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		return (stmt);
	if (rc == SQLITE_DONE)
		(void)diag_at(d, DIAG_LEDGER, l->path, 0, "holds no job %s",
		    id);
	else
		(void)sql_fail(l, rc, d);
	sql_close_stmt(&stmt);
	return (NULL);
}

static int
load_by_id(struct ledger *l, const char *id, struct job *j, struct diag *d)
{
	auto_stmt stmt = find_job(l, ledger_select_job, id, d);

	return (stmt != NULL ? rows_load_job(l, stmt, j, d) : -1);
}

static int
load_state(struct ledger *l, const char *id, enum job_state *state,
    struct diag *d)
{
	auto_stmt stmt =
	    find_job(l, "SELECT state FROM jobs WHERE id = ?", id, d);
	const unsigned char *name;

	if (stmt == NULL)
		return (-1);
	name = sqlite3_column_text(stmt, 0);
	*state =
	    name != NULL ? job_state_by_name((const char *)name) : JOB__MAX;
	return (*state != JOB__MAX ? 0 : sql_fail(l, SQLITE_CORRUPT, d));
}

/* Moves the stored row from one state to j->state with j's facts. */
static int
change(struct ledger *l, const struct job *j, enum job_state from,
    struct diag *d)
{
	if (!job_may_follow(from, j->state))
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "job %s is %s and cannot become %s", j->id,
		    job_state_name(from), job_state_name(j->state)));
	if (from == JOB_ADMITTED && children_write(l, j, d) == -1)
		return (-1);
	if (rows_update_job(l, j, d) == -1)
		return (-1);
	return (event_append(l, j->id, job_state_name(from),
	    job_state_name(j->state), d));
}

int
ledger_prepare(struct job *j, struct diag *d)
{
	if (j->state != JOB_ADMITTED && j->state != JOB_REFUSED)
		return (
		    diag_set(d, DIAG_INTERNAL, "a job cannot be admitted as %s",
			job_state_name(j->state)));
	if (j->created_ms == JOB_UNKNOWN)
		j->created_ms = times_now_ms();
	if (j->state == JOB_REFUSED && j->ended_ms == JOB_UNKNOWN)
		j->ended_ms = j->created_ms;
	if (j->id[0] == '\0' && ulid_new(j->created_ms, j->id) == -1)
		return (diag_set(d, DIAG_INTERNAL, "getrandom: %s",
		    strerror(errno)));
	return (0);
}

int
ledger_insert(struct ledger *l, const struct job *j, struct diag *d)
{
	if (children_write(l, j, d) == -1 || rows_insert_job(l, j, d) == -1)
		return (-1);
	return (event_append(l, j->id, "", job_state_name(j->state), d));
}

int
ledger_admit(struct ledger *l, struct job *j, struct diag *d)
{
	if (ledger_prepare(j, d) == -1 || sql_begin(l, SQL_FULL, d) == -1)
		return (-1);
	return (sql_end(l, ledger_insert(l, j, d), d));
}

int
ledger_start(struct ledger *l, struct job *j, struct diag *d)
{
	enum job_state before = j->state, stored;
	int64_t started_ms = j->started_ms;
	int rc;

	if (sql_begin(l, SQL_FULL, d) == -1)
		return (-1);
	if ((rc = load_state(l, j->id, &stored, d)) == 0) {
		j->state = JOB_HELD;
		rc = change(l, j, stored, d);
	}
	if (rc == 0) {
		j->state = JOB_RUNNING;
		if (j->started_ms == JOB_UNKNOWN)
			j->started_ms = times_now_ms();
		rc = change(l, j, JOB_HELD, d);
	}
	if (sql_end(l, rc, d) == 0)
		return (0);
	j->state = before;
	j->started_ms = started_ms;
	return (-1);
}

int
ledger_settle(struct ledger *l, struct job *j, struct diag *d)
{
	enum job_state stored;
	int rc;

	if (job_state_is_open(j->state))
		return (diag_set(d, DIAG_INTERNAL,
		    "a job cannot be settled as %s", job_state_name(j->state)));
	if (j->ended_ms == JOB_UNKNOWN)
		j->ended_ms = times_now_ms();
	if (sql_begin(l, l->settle_how, d) == -1)
		return (-1);
	if ((rc = load_state(l, j->id, &stored, d)) == 0)
		rc = change(l, j, stored, d);
	return (sql_end(l, rc, d));
}

/* The row as it stands now, closed as reaped. */
static int
reap_stored(struct ledger *l, struct job *stored, const char *detail,
    struct diag *d)
{
	enum job_state from = stored->state;

	free(stored->detail);
	if ((stored->detail = strdup(detail)) == NULL)
		return (sql_fail(l, SQLITE_NOMEM, d));
	stored->state = JOB_REAPED;
	stored->reason = REASON_REAPED;
	stored->ended_ms = times_now_ms();
	if (from == JOB_ADMITTED && children_load(l, stored, d) == -1)
		return (-1);
	return (change(l, stored, from, d));
}

int
ledger_reap(struct ledger *l, const char *id, const char *detail,
    bool *was_open, struct diag *d)
{
	static struct job stored; /* large; nobody re-enters */
	int rc;

	*was_open = false;
	if (sql_begin(l, SQL_NORMAL, d) == -1)
		return (-1);
	job_init(&stored);
	rc = load_by_id(l, id, &stored, d);
	if (rc == 0 && job_state_is_open(stored.state)) {
		*was_open = true;
		rc = reap_stored(l, &stored, detail, d);
	}
	job_free(&stored);
	return (sql_end(l, rc, d));
}
