/*
 * test_ledger_schema.c - what the file itself forbids to any program that
 * opens it: illegal changes, edits and deletions, by raw SQL.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ledger_fixture.h"
#include "ledger_int.h"

struct world {
	char *dir;
	sqlite3 *raw;
};

static void
admit(const char *dir, int state)
{
	struct ledger *l = fixture_open(dir);
	struct diag d = {0};
	struct job j;

	fixture_job(&j);
	fixture_gap(&j, CTL_MEMORY, true);
	assert_int_equal(ledger_admit(l, &j, &d), 0);
	if (state != JOB_ADMITTED)
		assert_int_equal(ledger_start(l, &j, &d), 0);
	if (state == JOB_KILLED) {
		j.state = JOB_KILLED;
		assert_int_equal(ledger_settle(l, &j, &d), 0);
	}
	job_free(&j);
	ledger_close(l);
}

static int
set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->dir = fixture_dir();
	admit(w->dir, JOB_KILLED);
	w->raw = fixture_raw(w->dir);
	*state = w;
	return (0);
}

static int
tear_down(void **state)
{
	struct world *w = *state;

	assert_int_equal(sqlite3_close(w->raw), SQLITE_OK);
	fixture_remove(w->dir);
	free(w);
	return (0);
}

static void
refused(struct world *w, const char *sql, const char *why)
{
	const char *message;
	int rc = fixture_sql(w->raw, sql, &message);

	if (rc != SQLITE_CONSTRAINT || strstr(message, why) == NULL)
		fail_msg("%s: %d %s", sql, rc, message);
}

static void
pragmas_are_set(void **state)
{
	struct world *w = *state;

	assert_int_equal(fixture_number(w->raw, "PRAGMA user_version"),
	    LEDGER_SCHEMA);
	assert_int_equal(fixture_number(w->raw, "PRAGMA application_id"),
	    LEDGER_APPLICATION_ID);
	/* Every table is STRICT: a number column takes no text. */
	assert_int_equal(fixture_number(w->raw,
			     "SELECT count(*) FROM pragma_table_list WHERE"
			     " schema = 'main' AND strict AND type = 'table'"),
	    6);
	assert_int_equal(fixture_number(w->raw,
			     "SELECT count(*) FROM pragma_quick_check"
			     " WHERE quick_check = 'ok'"),
	    1);
}

static void
only_legal_changes(void **state)
{
	struct world *w = *state;
	char sql[256];
	const char *message;

	assert_int_equal(
	    fixture_sql(w->raw,
		"DROP TRIGGER jobs_delete; DROP TRIGGER jobs_insert;"
		"DROP TRIGGER jobs_fixed; CREATE TABLE copy AS"
		" SELECT * FROM jobs; PRAGMA foreign_keys=OFF;",
		&message),
	    SQLITE_OK);
	for (enum job_state from = 0; from < JOB__MAX; from++)
		for (enum job_state to = 0; to < JOB__MAX; to++) {
			int rc;

			assert_true(
			    snprintf(sql, sizeof(sql),
				"DELETE FROM jobs; UPDATE copy SET state ="
				" '%s', ended_ms = %s; INSERT INTO jobs SELECT"
				" * FROM copy;",
				job_state_name(from),
				job_state_is_open(from) ? "NULL" : "1") > 0);
			assert_int_equal(fixture_sql(w->raw, sql, &message),
			    SQLITE_OK);
			assert_true(
			    snprintf(sql, sizeof(sql),
				"UPDATE jobs SET state = '%s',"
				" ended_ms = %s",
				job_state_name(to),
				job_state_is_open(to) ? "NULL" : "1") > 0);
			rc = fixture_sql(w->raw, sql, &message);
			if (job_may_follow(from, to)) {
				assert_int_equal(rc, SQLITE_OK);
				continue;
			}
			assert_int_equal(rc, SQLITE_CONSTRAINT);
			assert_string_equal(message, "a job cannot change so");
		}
}

static void
closed_rows_are_closed(void **state)
{
	struct world *w = *state;

	refused(w, "UPDATE jobs SET detail = 'x'", "a job cannot change so");
	refused(w, "UPDATE jobs SET exit_code = 0", "a job cannot change so");
	refused(w, "UPDATE jobs SET state = 'running', ended_ms = NULL",
	    "a job cannot change so");
	refused(w, "DELETE FROM jobs", "never deleted");
	refused(w, "INSERT OR REPLACE INTO jobs SELECT * FROM jobs",
	    "a job is inserted once");
	refused(w, "DELETE FROM controls", "controls of this job are fixed");
	refused(w, "UPDATE controls SET state = 'held'", "are not edited");
	refused(w, "INSERT OR REPLACE INTO controls SELECT * FROM controls",
	    "controls of this job are fixed");
	refused(w, "DELETE FROM gaps", "gaps of this job are fixed");
	refused(w, "UPDATE gaps SET is_waived = 0", "are not edited");
	refused(w,
	    "INSERT INTO gaps SELECT job, 9, control, token, err, cause, fix,"
	    " is_waived FROM gaps",
	    "gaps of this job are fixed");
}

static void
admission_never_changes(void **state)
{
	struct world *w = *state;

	admit(w->dir, JOB_RUNNING);
	refused(w,
	    "UPDATE jobs SET tenant = 'x', state = 'failed', ended_ms = 1"
	    " WHERE n = 2",
	    "what was admitted never changes");
	refused(w, "UPDATE jobs SET n = 7, state = 'failed' WHERE n = 2",
	    "what was admitted never changes");
	refused(w, "UPDATE jobs SET argv = x'00', state = 'failed' WHERE n = 2",
	    "what was admitted never changes");
	refused(w, "UPDATE jobs SET state = 'failed' WHERE n = 2", "CHECK");
	refused(w,
	    "UPDATE controls SET got = 1 WHERE job IN (SELECT id FROM"
	    " jobs WHERE n = 2)",
	    "are not edited");
	refused(w,
	    "DELETE FROM controls WHERE job IN (SELECT id FROM"
	    " jobs WHERE n = 2)",
	    "controls of this job are fixed");
}

static void
jobs_begin_at_the_beginning(void **state)
{
	struct world *w = *state;
	const char *message;

	assert_int_equal(fixture_sql(w->raw,
			     "CREATE TEMP TABLE t AS SELECT * FROM jobs;"
			     "UPDATE t SET id = 'x', n = 2;",
			     &message),
	    SQLITE_OK);
	refused(w, "INSERT INTO jobs SELECT * FROM t", "a job is inserted");
	assert_int_equal(fixture_sql(w->raw,
			     "UPDATE t SET state = 'refused', n = 9", NULL),
	    SQLITE_OK);
	refused(w, "INSERT INTO jobs SELECT * FROM t", "a job is inserted");
	assert_int_equal(fixture_sql(w->raw, "UPDATE t SET n = 1", NULL),
	    SQLITE_OK);
	refused(w, "INSERT OR REPLACE INTO jobs SELECT * FROM t",
	    "a job is inserted");
	assert_int_equal(fixture_sql(w->raw, "UPDATE t SET n = 2", NULL),
	    SQLITE_OK);
	assert_int_equal(fixture_sql(w->raw, "INSERT INTO jobs SELECT * FROM t",
			     NULL),
	    SQLITE_OK);
	refused(w,
	    "INSERT INTO gaps SELECT 'nobody', n, control, token, err, cause,"
	    " fix, is_waived FROM gaps",
	    "FOREIGN KEY");
}

static void
events_only_grow(void **state)
{
	struct world *w = *state;

	refused(w, "UPDATE events SET at_ms = 1", "append-only");
	refused(w, "DELETE FROM events", "append-only");
	refused(w, "DELETE FROM events WHERE seq = 4", "append-only");
	refused(w,
	    "INSERT OR REPLACE INTO events SELECT * FROM events"
	    " WHERE seq = 2",
	    "at the end of the chain");
	refused(w,
	    "INSERT INTO events SELECT 9, job, at_ms, from_state,"
	    " to_state, facts, prev, hash FROM events WHERE seq = 4",
	    "at the end of the chain");
	/* The right number, a wrong predecessor. */
	refused(w,
	    "INSERT INTO events SELECT 5, job, at_ms, from_state,"
	    " to_state, facts, prev, hash FROM events WHERE seq = 4",
	    "at the end of the chain");
	refused(w,
	    "INSERT INTO events SELECT 5, job, at_ms, from_state,"
	    " to_state, x'00', hash, hash FROM events WHERE seq = 4",
	    "CHECK");
	assert_int_equal(fixture_number(w->raw, "SELECT count(*) FROM events"),
	    4);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(pragmas_are_set),
	    TEST(only_legal_changes),
	    TEST(closed_rows_are_closed),
	    TEST(admission_never_changes),
	    TEST(jobs_begin_at_the_beginning),
	    TEST(events_only_grow),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
