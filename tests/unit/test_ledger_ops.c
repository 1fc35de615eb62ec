/*
 * test_ledger_ops.c - changes that must be refused, and reaping.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ledger_fixture.h"

/* A job in each open state, then every target: only what is permitted. */
static void
bring_to(struct ledger *l, struct job *j, enum job_state s)
{
	struct diag d = {0};

	fixture_small_job(j);
	OK(ledger_admit(l, j, &d));
	if (s == JOB_ADMITTED)
		return;
	OK(ledger_start(l, j, &d));
	if (s == JOB_RUNNING)
		return;
	j->state = s;
	OK(ledger_settle(l, j, &d));
}

static void
illegal_changes_are_refused(void **state)
{
	static const enum job_state from[] = {JOB_ADMITTED, JOB_RUNNING,
	    JOB_SUCCEEDED, JOB_FAILED, JOB_KILLED, JOB_ERROR, JOB_REAPED};
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		for (enum job_state to = 0; to < JOB__MAX; to++) {
			bool is_legal = job_may_follow(from[i], to) &&
			    !job_state_is_open(to);

			bring_to(l, &j, from[i]);
			j.state = to;
			d.code = DIAG_NONE;
			assert_int_equal(ledger_settle(l, &j, &d),
			    is_legal ? 0 : -1);
			assert_int_equal(d.code,
			    is_legal		      ? DIAG_NONE :
				job_state_is_open(to) ? DIAG_INTERNAL :
							DIAG_LEDGER);
			job_free(&j);
		}
	bring_to(l, &j, JOB_RUNNING);
	assert_int_equal(ledger_start(l, &j, &d), -1);
	assert_int_equal(d.code, DIAG_LEDGER);
	assert_non_null(strstr(d.message, "running and cannot become held"));
	assert_int_equal(j.state, JOB_RUNNING);
	job_free(&j);
	fixture_small_job(&j);
	j.state = JOB_RUNNING;
	assert_int_equal(ledger_admit(l, &j, &d), -1);
	assert_int_equal(d.code, DIAG_INTERNAL);
	j.state = JOB_ADMITTED;
	memcpy(j.id, "01ARYZ6S41TSV4RRFFQ69G5FAV", JOB_ID_SIZE);
	assert_int_equal(ledger_start(l, &j, &d), -1);
	assert_non_null(strstr(d.message, "holds no job 01ARYZ"));
	assert_int_equal(j.state, JOB_ADMITTED);
	assert_int_equal(j.started_ms, JOB_UNKNOWN);
	job_free(&j);
	ledger_close(l);
}

static void
an_id_is_used_once(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct found f;
	struct job j;

	fixture_small_job(&j);
	OK(ledger_admit(l, &j, &d));
	assert_int_equal(ledger_admit(l, &j, &d), -1);
	assert_non_null(strstr(d.message, "a job is inserted once"));
	fixture_list(l, fixture_everything, &f);
	assert_int_equal(f.count, 1);
	fixture_found_free(&f);
	job_free(&j);
	ledger_close(l);
}

static void
reaping_checks_again(void **state)
{
	struct ledger *l = fixture_open(*state);
	bool was_open = false;
	struct diag d = {0};
	struct found f;
	struct job j;

	fixture_job(&j);
	fixture_gap(&j, CTL_MEMORY, true);
	OK(ledger_admit(l, &j, &d));
	OK(ledger_reap(l, j.id, "host rebooted", &was_open, &d));
	assert_true(was_open);
	fixture_list(l, fixture_everything, &f);
	assert_int_equal(f.jobs[0].state, JOB_REAPED);
	assert_int_equal(f.jobs[0].reason, REASON_REAPED);
	assert_string_equal(f.jobs[0].detail, "host rebooted");
	assert_true(f.jobs[0].ended_ms != JOB_UNKNOWN);
	assert_true(f.jobs[0].has_rows);
	assert_memory_equal(j.rows, f.jobs[0].rows, sizeof(j.rows));
	assert_int_equal(f.jobs[0].gap_count, 1);
	assert_string_equal(f.jobs[0].gaps[0].token, j.gaps[0].token);
	fixture_found_free(&f);
	OK(ledger_reap(l, j.id, "again", &was_open, &d));
	assert_false(was_open);
	assert_int_equal(ledger_reap(l, "01ARYZ6S41TSV4RRFFQ69G5FAV", "x",
			     &was_open, &d),
	    -1);
	/* The broker that was taken for dead finds its row closed. */
	j.state = JOB_SUCCEEDED;
	assert_int_equal(ledger_settle(l, &j, &d), -1);
	assert_non_null(strstr(d.message, "reaped and cannot become"));
	job_free(&j);
	ledger_close(l);
}

/* A row that is written where nobody finds it is none. */
static void
a_ledger_that_moved_takes_no_row(void **state)
{
	char *path = strdup(fixture_path(*state, "agsbx.db"));
	char *away = strdup(fixture_path(*state, "away.db"));
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	assert_true(path != NULL && away != NULL);
	fixture_small_job(&j);
	OK(ledger_admit(l, &j, &d));
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(ledger_start(l, &j, &d), -1);
	assert_non_null(strstr(d.message, "was moved, removed or replaced"));
	assert_int_equal(rename(away, path), 0);
	OK(ledger_start(l, &j, &d));
	/* Another file of that name is not it either. */
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(symlink("/dev/null", path), 0);
	j.state = JOB_FAILED;
	assert_int_equal(ledger_settle(l, &j, &d), -1);
	assert_int_equal(rename(away, path), 0);
	OK(ledger_settle(l, &j, &d));
	job_free(&j);
	ledger_close(l);
	free(path);
	free(away);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(illegal_changes_are_refused),
	    TEST(an_id_is_used_once),
	    TEST(reaping_checks_again),
	    TEST(a_ledger_that_moved_takes_no_row),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
