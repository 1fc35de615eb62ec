/*
 * ledger_children.c - the read-backs and gaps of one job to and from the
 * tables controls and gaps.  Controls, steps and classes are stored by name,
 * because their numbers change when a table of common/ grows.
 */
#include <stdlib.h>
#include <string.h>

#include "ledger_int.h"
#include "words.h"

const char ledger_select_controls[] =
    "SELECT control, state, want, got, step, err, class FROM controls"
    " WHERE job = ? ORDER BY control";
const char ledger_select_gaps[] =
    "SELECT n, control, token, err, cause, fix, is_waived FROM gaps"
    " WHERE job = ? ORDER BY n";

static const char *const row_states[READBACK__MAX] = {
    [READBACK_OFF] = "off",
    [READBACK_PENDING] = "pending",
    [READBACK_APPLIED] = "applied",
    [READBACK_HELD] = "held",
    [READBACK_FAULT] = "fault",
    [READBACK_BLOCKED] = "blocked",
};
static const char *const classes[FAULT__MAX] = {
    [FAULT_HOST] = "host",
    [FAULT_USAGE] = "usage",
    [FAULT_OURS] = "ours",
};

/* The index of the text in column i; count when it is none of them. */
static unsigned int
index_of(sqlite3_stmt *stmt, int i, const char *const *names,
    unsigned int count)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);
	unsigned int n = 0;

	if (text == NULL)
		return (count);
	while (n < count && strcmp((const char *)text, names[n]) != 0)
		n++;
	return (n);
}

static enum control
control_of(sqlite3_stmt *stmt, int i)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);

	return (text != NULL ? control_by_name((const char *)text) : CTL_NONE);
}

static int
write_control(struct ledger *l, sqlite3_stmt *stmt, const char *id,
    enum control ctl, const struct readback *row, struct diag *d)
{
	bool is_fault = row->state == READBACK_FAULT;
	int rc;

	if (row->state >= READBACK__MAX || row->class >= FAULT__MAX)
		return (diag_set(d, DIAG_INTERNAL,
		    "a read-back of %s is out of range", controls[ctl].name));
	if ((rc = kind_bind_text(stmt, 1, id)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 2, controls[ctl].name)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 3, row_states[row->state])) !=
		SQLITE_OK ||
	    (rc = sqlite3_bind_int64(stmt, 4, (int64_t)row->want)) !=
		SQLITE_OK ||
	    (rc = sqlite3_bind_int64(stmt, 5, (int64_t)row->got)) !=
		SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 6,
		 is_fault ? step_text(row->step) : NULL)) != SQLITE_OK ||
	    (rc = sqlite3_bind_int(stmt, 7, row->err)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 8,
		 is_fault ? classes[row->class] : NULL)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	return (sql_run(l, stmt, d));
}

static int
write_gap(struct ledger *l, sqlite3_stmt *stmt, const struct job *j, int n,
    struct diag *d)
{
	const struct job_gap *gap = &j->gaps[n];
	int rc;

	if ((rc = kind_bind_text(stmt, 1, j->id)) != SQLITE_OK ||
	    (rc = sqlite3_bind_int(stmt, 2, n)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 3, controls[gap->control].name)) !=
		SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 4, gap->token)) != SQLITE_OK ||
	    (rc = sqlite3_bind_int(stmt, 5, gap->err)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 6, gap->cause)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 7, gap->fix)) != SQLITE_OK ||
	    (rc = sqlite3_bind_int(stmt, 8, gap->is_waived ? 1 : 0)) !=
		SQLITE_OK)
		return (sql_fail(l, rc, d));
	return (sql_run(l, stmt, d));
}

static int
delete_old(struct ledger *l, const char *sql, const char *id, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l, sql, d);
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = kind_bind_text(stmt, 1, id)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	return (sql_run(l, stmt, d));
}

static int
write_controls(struct ledger *l, const struct job *j, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "INSERT INTO controls (job, control, state, want, got, step, err,"
	    " class) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	    d);

	if (stmt == NULL)
		return (-1);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if (write_control(l, stmt, j->id, ctl, &j->rows[ctl], d) == -1)
			return (-1);
	return (0);
}

static int
write_gaps(struct ledger *l, const struct job *j, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "INSERT INTO gaps (job, n, control, token, err, cause, fix,"
	    " is_waived) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	    d);

	if (stmt == NULL)
		return (-1);
	for (unsigned int n = 0; n < j->gap_count; n++)
		if (write_gap(l, stmt, j, (int)n, d) == -1)
			return (-1);
	return (0);
}

int
children_write(struct ledger *l, const struct job *j, struct diag *d)
{
	if (delete_old(l, "DELETE FROM controls WHERE job = ?", j->id, d) ==
		-1 ||
	    delete_old(l, "DELETE FROM gaps WHERE job = ?", j->id, d) == -1)
		return (-1);
	if (j->has_rows && write_controls(l, j, d) == -1)
		return (-1);
	return (j->gap_count != 0 ? write_gaps(l, j, d) : 0);
}

/* ---- and back ---- */
static int
load_control(struct ledger *l, sqlite3_stmt *stmt, struct job *j,
    struct diag *d)
{
	enum control ctl = control_of(stmt, 0);
	const unsigned char *step = sqlite3_column_text(stmt, 4);
	struct readback *row;
	unsigned int state, n = 0;

	state = index_of(stmt, 1, row_states, READBACK__MAX);
	if (ctl == CTL_NONE || state == READBACK__MAX)
		return (sql_fail(l, SQLITE_CORRUPT, d));
	row = &j->rows[ctl];
	row->state = (uint8_t)state;
	row->want = (uint64_t)sqlite3_column_int64(stmt, 2);
	row->got = (uint64_t)sqlite3_column_int64(stmt, 3);
	row->err = sqlite3_column_int(stmt, 5);
	if (state != READBACK_FAULT)
		return (0);
	/* The text of a step that is gone reads as none. */
	while (step != NULL && n < STEP__MAX &&
	    strcmp((const char *)step, step_text(n)) != 0)
		n++;
	row->step = (uint16_t)(n < STEP__MAX ? n : STEP_NONE);
	n = index_of(stmt, 6, classes, FAULT__MAX);
	if (n == FAULT__MAX)
		return (sql_fail(l, SQLITE_CORRUPT, d));
	row->class = (uint8_t)n;
	return (0);
}

static int
load_gap(struct ledger *l, sqlite3_stmt *stmt, struct job *j, struct diag *d)
{
	struct job_gap *gap = &j->gaps[j->gap_count];
	enum control ctl = control_of(stmt, 1);
	int rc;

	if (ctl == CTL_NONE || j->gap_count >= CTL__MAX)
		return (sql_fail(l, SQLITE_CORRUPT, d));
	*gap = (struct job_gap){.control = ctl};
	j->gap_count++;
	gap->err = sqlite3_column_int(stmt, 3);
	gap->is_waived = sqlite3_column_int(stmt, 6) != 0;
	if ((rc = kind_BUF.load(stmt, 2, gap->token, sizeof(gap->token))) !=
		0 ||
	    (rc = kind_STR.load(stmt, 4, &gap->cause, sizeof(char *))) != 0 ||
	    (rc = kind_STR.load(stmt, 5, &gap->fix, sizeof(char *))) != 0)
		return (sql_fail(l, rc, d));
	return (0);
}

static int
load_refusals(struct ledger *l, sqlite3_stmt *stmt, struct job *j,
    struct diag *d)
{
	(void)l;
	(void)d;
	j->refusals = sqlite3_column_int64(stmt, 0);
	return (0);
}

static int
load_each(struct ledger *l, const char *sql, struct job *j,
    int (*load)(struct ledger *, sqlite3_stmt *, struct job *, struct diag *),
    struct diag *d)
{
	auto_stmt stmt = sql_prepare(l, sql, d);
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = kind_bind_text(stmt, 1, j->id)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		if (load(l, stmt, j, d) == -1)
			return (-1);
	return (rc == SQLITE_DONE ? 0 : sql_fail(l, rc, d));
}

int
children_load(struct ledger *l, struct job *j, struct diag *d)
{
	if (load_each(l, ledger_select_controls, j, load_control, d) == -1)
		return (-1);
	if (j->reason == REASON_QUOTA &&
	    load_each(l, "SELECT count FROM refusals WHERE job = ?", j,
		load_refusals, d) == -1)
		return (-1);
	return (load_each(l, ledger_select_gaps, j, load_gap, d));
}
