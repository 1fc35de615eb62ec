/*
 * test_ledger_events.c - the chain recomputed from the stored events and rows:
 * it holds for what the ledger wrote, and breaks for every edit that a program
 * which drops the triggers can make.
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

static const uint8_t *
blob(sqlite3_stmt *stmt, int i)
{
	assert_int_equal(sqlite3_column_bytes(stmt, i), LEDGER_HASH_BYTES);
	return (sqlite3_column_blob(stmt, i));
}

static void
load(sqlite3_stmt *stmt, struct ledger_event *e)
{
	const unsigned char *from = sqlite3_column_text(stmt, 3);

	*e = (struct ledger_event){.seq = sqlite3_column_int64(stmt, 0),
	    .at_ms = sqlite3_column_int64(stmt, 2),
	    .from = from != NULL ? (const char *)from : "",
	    .to = (const char *)sqlite3_column_text(stmt, 4)};
	(void)strlcpy(e->job, (const char *)sqlite3_column_text(stmt, 1),
	    sizeof(e->job));
	memcpy(e->facts, blob(stmt, 5), LEDGER_HASH_BYTES);
}

/* True when each event follows its predecessor and hashes to what it says. */
static bool
chain_holds(struct ledger *l, int64_t *count)
{
	uint8_t prev[LEDGER_HASH_BYTES] = {0}, hash[LEDGER_HASH_BYTES];
	struct diag d = {0};
	bool holds = true;
	auto_stmt stmt = sql_prepare(l,
	    "SELECT seq, job, at_ms, from_state, to_state, facts, prev, hash"
	    " FROM events ORDER BY seq",
	    &d);

	assert_non_null(stmt);
	*count = 0;
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		struct ledger_event e;

		load(stmt, &e);
		event_hash(&e, prev, hash);
		(*count)++;
		holds = holds && e.seq == *count &&
		    memcmp(prev, blob(stmt, 6), sizeof(prev)) == 0 &&
		    memcmp(hash, blob(stmt, 7), sizeof(hash)) == 0;
		memcpy(prev, hash, sizeof(prev));
	}
	return (holds);
}

/* True when the last event of every job has the digest of its row. */
static bool
facts_hold(struct ledger *l)
{
	struct diag d = {0};
	bool holds = true;
	auto_stmt stmt = sql_prepare(l,
	    "SELECT job, facts FROM events WHERE seq IN"
	    " (SELECT max(seq) FROM events GROUP BY job)",
	    &d);

	assert_non_null(stmt);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		uint8_t facts[LEDGER_HASH_BYTES];

		assert_int_equal(event_facts(l,
				     (const char *)sqlite3_column_text(stmt, 0),
				     facts, &d),
		    0);
		holds =
		    holds && memcmp(facts, blob(stmt, 1), sizeof(facts)) == 0;
	}
	return (holds);
}

static struct ledger *
make_history(const char *dir)
{
	struct ledger *l = fixture_open(dir);
	struct diag d = {0};
	struct job j;

	for (int i = 0; i < 3; i++) {
		fixture_job(&j);
		fixture_gap(&j, CTL_MEMORY, true);
		assert_int_equal(ledger_admit(l, &j, &d), 0);
		assert_int_equal(ledger_start(l, &j, &d), 0);
		if (i != 1) {
			j.state = JOB_FAILED;
			assert_int_equal(ledger_settle(l, &j, &d), 0);
		}
		job_free(&j);
	}
	return (l);
}

static void
history_holds(void **state)
{
	char *dir = fixture_dir();
	struct ledger *l = make_history(dir);
	int64_t count;

	(void)state;
	assert_true(chain_holds(l, &count));
	assert_int_equal(count, 11);
	assert_true(facts_hold(l));
	ledger_close(l);
	l = fixture_open(dir);
	assert_true(chain_holds(l, &count));
	assert_true(facts_hold(l));
	ledger_close(l);
	fixture_remove(dir);
}

static const char drop_triggers[] =
    "DROP TRIGGER events_update; DROP TRIGGER events_delete;"
    "DROP TRIGGER events_insert; DROP TRIGGER jobs_change;"
    "DROP TRIGGER jobs_fixed; DROP TRIGGER controls_update;"
    "DROP TRIGGER controls_delete; DROP TRIGGER gaps_update;"
    "DROP TRIGGER gaps_delete; PRAGMA foreign_keys=OFF;";

static void
every_edit_shows(void **state)
{
	static const char *const edits[] = {
	    "UPDATE events SET at_ms = at_ms + 1 WHERE seq = 2",
	    "UPDATE events SET to_state = 'failed' WHERE seq = 3",
	    "UPDATE events SET from_state = NULL WHERE seq = 3",
	    ("UPDATE events SET job = (SELECT id FROM jobs WHERE n = 2)"
	     " WHERE seq = 1"),
	    "UPDATE events SET facts = zeroblob(32) WHERE seq = 4",
	    "UPDATE events SET hash = zeroblob(32) WHERE seq = 4",
	    "UPDATE events SET prev = zeroblob(32) WHERE seq = 4",
	    "DELETE FROM events WHERE seq = 5",
	    "DELETE FROM events WHERE seq = 1",
	    "UPDATE jobs SET detail = 'nothing happened' WHERE n = 1",
	    "UPDATE jobs SET note = NULL WHERE n = 2",
	    "UPDATE jobs SET tenant = 'team-2' WHERE n = 3",
	    "UPDATE jobs SET degraded = 0 WHERE n = 1",
	    "UPDATE jobs SET argv = x'7300' WHERE n = 1",
	    "UPDATE controls SET got = got + 1 WHERE control = 'dev'",
	    "DELETE FROM controls WHERE control = 'dev'",
	    "UPDATE gaps SET token = 'NONE'",
	    "UPDATE gaps SET is_waived = 0",
	    "DELETE FROM gaps",
	};
	int64_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		char *dir = fixture_dir();
		struct ledger *l = make_history(dir);
		sqlite3 *raw = fixture_raw(dir);
		const char *message;

		assert_int_equal(fixture_sql(raw, drop_triggers, NULL),
		    SQLITE_OK);
		if (fixture_sql(raw, edits[i], &message) != SQLITE_OK)
			fail_msg("%s: %s", edits[i], message);
		assert_true(sqlite3_changes(raw) > 0);
		if (chain_holds(l, &count) && facts_hold(l))
			fail_msg("does not show: %s", edits[i]);
		assert_int_equal(sqlite3_close(raw), SQLITE_OK);
		ledger_close(l);
		fixture_remove(dir);
	}
}

/* The canonical form binds every member: one changed bit, another hash. */
static void
every_member_counts(void **state)
{
	const struct ledger_event e = {.seq = 1,
	    .job = "01ARYZ6S41TSV4RRFFQ69G5FAV",
	    .at_ms = 2,
	    .from = "a",
	    .to = "bc"};
	struct ledger_event changed[6];
	uint8_t prev[LEDGER_HASH_BYTES] = {0}, want[LEDGER_HASH_BYTES];
	uint8_t got[LEDGER_HASH_BYTES];

	(void)state;
	event_hash(&e, prev, want);
	for (size_t i = 0; i < 6; i++)
		changed[i] = e;
	changed[0].seq = 2;
	changed[1].job[25] = 'W';
	changed[2].at_ms = 3;
	changed[3].from = "ab";
	changed[3].to = "c";
	changed[4].to = "bd";
	changed[5].facts[31] = 1;
	for (size_t i = 0; i < 6; i++) {
		event_hash(&changed[i], prev, got);
		assert_memory_not_equal(got, want, sizeof(got));
	}
	event_hash(&e, prev, got);
	assert_memory_equal(got, want, sizeof(got));
	prev[0] = 1;
	event_hash(&e, prev, got);
	assert_memory_not_equal(got, want, sizeof(got));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(history_holds),
	    cmocka_unit_test(every_edit_shows),
	    cmocka_unit_test(every_member_counts),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
