/*
 * test_ledger_audit.c - what an audit says of a ledger that only agsbx wrote,
 * of one that was edited, and of anchors.
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

/* Two jobs, the first of them settled: seven events.  *head is the last. */
static void
make_history(const char *dir, struct ledger_anchor *head)
{
	struct ledger *l = fixture_open(dir);
	struct diag d = {0};
	struct job j;

	assert_int_equal(ledger_head(l)->seq, 0);
	for (int i = 0; i < 2; i++) {
		fixture_job(&j);
		fixture_gap(&j, CTL_MEMORY, true);
		OK(ledger_admit(l, &j, &d));
		OK(ledger_start(l, &j, &d));
		j.state = JOB_FAILED;
		if (i == 0)
			OK(ledger_settle(l, &j, &d));
		job_free(&j);
	}
	*head = *ledger_head(l);
	assert_int_equal(head->seq, 7);
	ledger_close(l);
}

static struct ledger_audit
audit(const char *dir, const struct ledger_anchor *anchor)
{
	struct ledger *l = NULL;
	struct ledger_audit a;
	struct diag d = {0};

	OK(ledger_open(dir, LEDGER_AUDIT, &l, &d));
	assert_non_null(l);
	OK(ledger_audit(l, anchor, &a, &d));
	ledger_close(l);
	return (a);
}

static void
edit(const char *dir, const char *sql)
{
	sqlite3 *raw = fixture_raw(dir);
	const char *message;

	if (fixture_sql(raw, sql, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
}

static void
what_agsbx_wrote_is_intact(void **state)
{
	struct ledger_anchor head, wrong;
	struct ledger_audit a;

	make_history(*state, &head);
	a = audit(*state, NULL);
	assert_false(a.is_broken);
	assert_int_equal(a.events, 7);
	assert_int_equal(a.jobs, 2);
	assert_int_equal(a.anchored, 0);
	assert_string_equal(a.head.hash, head.hash);
	a = audit(*state, &head);
	assert_false(a.is_broken);
	assert_int_equal(a.anchored, 7);
	wrong = head;
	wrong.seq = 6;
	a = audit(*state, &wrong);
	assert_true(a.is_broken);
	assert_int_equal(a.broken_seq, 6);
	assert_non_null(strstr(a.what, "it is not the anchored one"));
	wrong.seq = 8;
	a = audit(*state, &wrong);
	assert_true(a.is_broken);
	assert_non_null(strstr(a.what, "the ledger ends at 7"));
	assert_int_equal(a.anchored, 0);
}

static void
an_edit_is_found_behind_its_trigger(void **state)
{
	struct ledger_anchor head;
	struct ledger_audit a;

	make_history(*state, &head);
	/* The edit first, though the trigger is missing as well. */
	edit(*state,
	    "DROP TRIGGER jobs_change;"
	    "UPDATE jobs SET exit_code = 0 WHERE n = 1");
	a = audit(*state, NULL);
	assert_true(a.is_broken);
	assert_int_equal(a.broken_seq, 4);
	assert_int_equal(strlen(a.broken_job), JOB_ID_SIZE - 1);
	edit(*state, "UPDATE jobs SET exit_code = 7 WHERE n = 1");
	a = audit(*state, NULL);
	assert_true(a.is_broken);
	assert_int_equal(a.broken_seq, JOB_UNKNOWN);
	assert_string_equal(a.what, "the trigger jobs_change is missing");
}

static void
tables_of_others_are_not_read(void **state)
{
	struct ledger_anchor head;
	struct ledger_audit a;

	make_history(*state, &head);
	edit(*state,
	    "DROP TABLE refusals; CREATE VIEW refusals AS"
	    " SELECT 1 AS job, 2 AS count, 3 AS last_ms");
	a = audit(*state, NULL);
	assert_true(a.is_broken);
	assert_string_equal(a.what, "the table refusals is missing");
	/* Whatever else differs: this view of the events has no end. */
	edit(*state,
	    "DROP INDEX jobs_created; PRAGMA foreign_keys=OFF;"
	    "DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE c(x) AS"
	    " (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS seq,"
	    " '' AS job, 0 AS at_ms, '' AS from_state, '' AS to_state,"
	    " x'' AS facts, x'' AS prev, x'' AS hash FROM c WHERE x < 0");
	a = audit(*state, NULL);
	assert_true(a.is_broken);
	assert_string_equal(a.what, "the table events is missing");
}

static void
what_others_added_is_named(void **state)
{
	static const struct {
		const char *add;
		const char *remove;
		const char *what;
	} rows[] = {
	    {"CREATE TABLE aaa (x)", "DROP TABLE aaa",
		"the table aaa is not the ledger's"},
	    {"CREATE VIEW jobsview AS SELECT 1", "DROP VIEW jobsview",
		"the view jobsview is not the ledger's"},
	    {"CREATE INDEX jobs_more ON jobs (n)", "DROP INDEX jobs_more",
		"the index jobs_more is not the ledger's"},
	    {"CREATE TRIGGER gaps_more AFTER INSERT ON gaps BEGIN SELECT 1;"
	     " END",
		"DROP TRIGGER gaps_more",
		"the trigger gaps_more is not the ledger's"},
	    /* A name of SQLite's own hides nothing. */
	    {"PRAGMA writable_schema=ON; INSERT INTO sqlite_schema VALUES"
	     " ('trigger', 'sqlite_x', 'gaps', 0, 'CREATE TRIGGER sqlite_x"
	     " AFTER INSERT ON gaps BEGIN DELETE FROM gaps; END')",
		"PRAGMA writable_schema=ON; DELETE FROM sqlite_schema WHERE"
		" name = 'sqlite_x'",
		"the trigger sqlite_x is not the ledger's"},
	    /* Its statistics are not ours, and nobody's fault. */
	    {"ANALYZE", "SELECT 1", NULL},
	};
	struct ledger_anchor head;
	struct ledger_audit a;

	make_history(*state, &head);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		edit(*state, rows[i].add);
		a = audit(*state, NULL);
		assert_int_equal(a.is_broken, rows[i].what != NULL);
		if (rows[i].what != NULL)
			assert_string_equal(a.what, rows[i].what);
		edit(*state, rows[i].remove);
	}
}

/* Text is hashed up to its end, which is not its first NUL. */
static void
events_are_hashed_whole(void **state)
{
	static const char *const rows[][2] = {
	    {"to_state = to_state || char(0) || 'x' WHERE seq = 7", "NUL"},
	    {"from_state = from_state || char(0) WHERE seq = 3", "NUL"},
	    {"from_state = '' WHERE seq = 1", "empty"},
	};
	struct ledger_anchor head;
	struct ledger_audit a;
	char sql[256];

	make_history(*state, &head);
	edit(*state, "DROP TRIGGER events_update");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(snprintf(sql, sizeof(sql), "UPDATE events SET %s",
				rows[i][0]) > 0);
		edit(*state, sql);
		a = audit(*state, NULL);
		assert_true(a.is_broken);
		assert_non_null(strstr(a.what, rows[i][1]));
		edit(*state,
		    "UPDATE events SET to_state = 'running' WHERE seq = 7;"
		    "UPDATE events SET from_state = 'held' WHERE seq = 3;"
		    "UPDATE events SET from_state = NULL WHERE seq = 1");
	}
	a = audit(*state, NULL);
	assert_string_equal(a.what, "the trigger events_update is missing");
}

static void
an_empty_ledger_is_intact(void **state)
{
	struct ledger_audit a;

	ledger_close(fixture_open(*state));
	a = audit(*state, NULL);
	assert_false(a.is_broken);
	assert_int_equal(a.events, 0);
	assert_int_equal(a.head.seq, 0);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(what_agsbx_wrote_is_intact),
	    TEST(an_edit_is_found_behind_its_trigger),
	    TEST(tables_of_others_are_not_read),
	    TEST(what_others_added_is_named),
	    TEST(events_are_hashed_whole),
	    TEST(an_empty_ledger_is_intact),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
