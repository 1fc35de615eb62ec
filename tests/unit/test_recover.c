/*
 * test_recover.c - orphans of this boot and of another one, live jobs, closed
 * ones, and a leaf that is left.
 */
#include "recover_fixture.h"

static void
orphans_are_reaped(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	sqlite3 *raw;

	add(l, NULL, 7, JOB_UNKNOWN, JOB_ADMITTED);
	add(l, this_boot, 8, 1, JOB_RUNNING); /* pid 1 is no launcher */
	add(l, "", JOB_UNKNOWN, JOB_UNKNOWN, JOB_RUNNING);
	add(l, this_boot, 9, JOB_UNKNOWN, JOB_FAILED);
	assert_int_equal(run(l, *state, &r), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(r[i].outcome, RECOVER_REAPED);
	assert_string_equal(r[0].text, "broker died; no process left");
	assert_string_equal(r[1].text, "broker died; no process left");
	assert_string_equal(r[2].text, "host rebooted; no process touched");
	free(r);
	/* Idempotent. */
	assert_int_equal(run(l, *state, &r), 0);
	free(r);
	raw = fixture_raw(*state);
	assert_int_equal(fixture_number(raw,
			     "SELECT count(*) FROM jobs WHERE"
			     " state = 'reaped' AND reason = 'reaped'"
			     " AND detail IS NOT NULL"),
	    3);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
	ledger_close(l);
}

static void
live_jobs_stay(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	struct diag d = {0};
	int64_t byte;
	int fd = liveness_take(*state, &byte, &d);

	assert_true(fd >= 0);
	add(l, this_boot, byte, JOB_UNKNOWN, JOB_RUNNING);
	add(l, NULL, byte, JOB_UNKNOWN, JOB_ADMITTED);
	assert_int_equal(run(l, *state, &r), 2);
	assert_int_equal(r[0].outcome, RECOVER_LIVE);
	assert_int_equal(r[1].outcome, RECOVER_LIVE);
	free(r);
	assert_int_equal(recover_lazily(l, *state, &d), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(recover_lazily(l, *state, &d), 0);
	assert_int_equal(run(l, *state, &r), 0);
	free(r);
	ledger_close(l);
}

/* Somebody took the locks away: who has no number may be running. */
static void
a_lost_lock_is_no_death(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/agsbx.lock", (char *)*state);
	assert_int_equal(unlink(path), 0);
	add(l, this_boot, 7, JOB_UNKNOWN, JOB_ADMITTED);
	add(l, this_boot, 8, 1, JOB_RUNNING);
	add(l, NULL, 9, JOB_UNKNOWN, JOB_ADMITTED);
	assert_int_equal(run(l, *state, &r), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(r[i].outcome,
		    strstr(r[i].text, "agsbx.lock is gone") != NULL ?
			RECOVER_FAILED :
			RECOVER_REAPED);
	assert_non_null(strstr(r[2].text, "agsbx.lock is gone"));
	assert_non_null(strstr(r[1].text, "no process left"));
	assert_non_null(strstr(r[0].text, "host rebooted"));
	free(r);
	ledger_close(l);
}

/* A row with that leaf, of this boot, whose broker is dead. */
static void
add_with_leaf(struct ledger *l, const char *leaf)
{
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	(void)strlcpy(j.boot_id, this_boot, sizeof(j.boot_id));
	j.lock_byte = 7;
	j.leaf = strdup(leaf);
	assert_non_null(j.leaf);
	OK(ledger_admit(l, &j, &d));
	job_free(&j);
}

static void
leaves_go_before_the_row(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;

	/* One that is gone, in a tree that is not there. */
	add_with_leaf(l, "/nowhere/agsbx-01HQTF6HK0YRFPDRYZAGZ18NB0");
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_REAPED);
	free(r);
	/* One that is no leaf: nothing is killed for it, and the row stays. */
	add_with_leaf(l, *state);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(run(l, *state, &r), 1);
		assert_int_equal(r[0].outcome, RECOVER_FAILED);
		assert_non_null(strstr(r[0].text, "is no path of a"));
		free(r);
	}
	ledger_close(l);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(orphans_are_reaped),
	    TEST(live_jobs_stay),
	    TEST(a_lost_lock_is_no_death),
	    TEST(leaves_go_before_the_row),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
