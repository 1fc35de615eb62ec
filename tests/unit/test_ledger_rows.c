/*
 * test_ledger_rows.c - all that is known of a job comes back from the ledger,
 * and what another program wrote into its file is judged.
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
#include "times.h"
#include "words.h"

static void
same_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void
same_rows(const struct job *a, const struct job *b)
{
	assert_int_equal(a->has_rows, b->has_rows);
	assert_int_equal(a->gap_count, b->gap_count);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		assert_memory_equal(&a->rows[ctl], &b->rows[ctl],
		    sizeof(a->rows[ctl]));
	for (unsigned int i = 0; i < a->gap_count; i++) {
		assert_int_equal(a->gaps[i].control, b->gaps[i].control);
		assert_string_equal(a->gaps[i].token, b->gaps[i].token);
		assert_int_equal(a->gaps[i].err, b->gaps[i].err);
		same_text(a->gaps[i].cause, b->gaps[i].cause);
		same_text(a->gaps[i].fix, b->gaps[i].fix);
		assert_int_equal(a->gaps[i].is_waived, b->gaps[i].is_waived);
	}
}

static void
same_stream(const struct job_stream *a, const struct job_stream *b)
{
	assert_int_equal(a->bytes_seen, b->bytes_seen);
	assert_int_equal(a->bytes_kept, b->bytes_kept);
	assert_int_equal(a->is_truncated, b->is_truncated);
	assert_string_equal(a->sha256, b->sha256);
	assert_null(b->text); /* output is never stored */
}

static void
same_job(const struct job *a, const struct job *b)
{
	assert_string_equal(a->id, b->id);
	assert_string_equal(a->tenant, b->tenant);
	same_text(a->note, b->note);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->is_degraded, b->is_degraded);
	assert_int_equal(a->reason, b->reason);
	same_text(a->detail, b->detail);
	assert_memory_equal(a->limits_hit, b->limits_hit,
	    sizeof(a->limits_hit));
	assert_int_equal(a->exit_code, b->exit_code);
	assert_int_equal(a->signal, b->signal);
	same_stream(&a->out, &b->out);
	same_stream(&a->err, &b->err);
	assert_int_equal(a->wall_ms, b->wall_ms);
	assert_int_equal(a->cpu_ms, b->cpu_ms);
	assert_int_equal(a->memory_peak_bytes, b->memory_peak_bytes);
	assert_int_equal(a->processes_peak, b->processes_peak);
	same_text(a->usage_source, b->usage_source);
	for (size_t i = 0; a->argv[i] != NULL; i++)
		same_text(a->argv[i], b->argv[i]);
	same_text(a->file, b->file);
	assert_string_equal(a->command_sha256, b->command_sha256);
	assert_int_equal(a->network_host, b->network_host);
	same_text(a->policy_name, b->policy_name);
	assert_string_equal(a->policy_sha256, b->policy_sha256);
	same_text(a->kernel, b->kernel);
	assert_string_equal(a->boot_id, b->boot_id);
	assert_int_equal(a->uid, b->uid);
	assert_int_equal(a->created_ms, b->created_ms);
	assert_int_equal(a->started_ms, b->started_ms);
	assert_int_equal(a->ended_ms, b->ended_ms);
	assert_int_equal(a->launcher_pid, b->launcher_pid);
	assert_int_equal(a->init_pid, b->init_pid);
	assert_int_equal(a->lock_byte, b->lock_byte);
	same_rows(a, b);
}

static void
check_stored(struct ledger *l, const struct job *j)
{
	struct found f;

	fixture_list(l, fixture_everything, &f);
	assert_int_equal(f.count, 1);
	same_job(j, &f.jobs[0]);
	fixture_found_free(&f);
}

static void
all_of_a_job_comes_back(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	fixture_job(&j);
	OK(ledger_admit(l, &j, &d));
	assert_int_equal(strlen(j.id), 26);
	check_stored(l, &j);
	fixture_gap(&j, CTL_MEMORY, true);
	free(j.gaps[0].fix);
	j.gaps[0].fix = NULL;
	OK(ledger_start(l, &j, &d));
	assert_int_equal(j.state, JOB_RUNNING);
	assert_true(j.started_ms >= j.created_ms);
	check_stored(l, &j);
	j.state = JOB_KILLED;
	j.wall_ms = INT64_C(1) << 40;
	OK(ledger_settle(l, &j, &d));
	assert_true(j.ended_ms >= j.started_ms);
	check_stored(l, &j);
	job_free(&j);
	ledger_close(l);
}

static void
little_of_a_job_comes_back(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	OK(ledger_admit(l, &j, &d));
	check_stored(l, &j);
	j.state = JOB_ERROR;
	j.reason = REASON_ERROR;
	OK(ledger_settle(l, &j, &d));
	check_stored(l, &j);
	job_free(&j);
	ledger_close(l);
}

static void
refusals_are_rows(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	fixture_job(&j);
	j.state = JOB_REFUSED;
	j.reason = REASON_REFUSED;
	j.rows[CTL_MEMORY] = (struct readback){.state = READBACK_FAULT,
	    .class = FAULT_HOST,
	    .step = STEP_CGROUP_LEAF,
	    .err = 2};
	j.rows[CTL_DEV].state = READBACK_BLOCKED;
	fixture_gap(&j, CTL_PROCFS, false);
	OK(ledger_admit(l, &j, &d));
	assert_int_equal(j.ended_ms, j.created_ms);
	check_stored(l, &j);
	job_free(&j);
	ledger_close(l);
}

static void
refused_after_a_launch(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	OK(ledger_admit(l, &j, &d));
	j.state = JOB_REFUSED;
	j.reason = REASON_REFUSED;
	j.has_rows = true;
	fixture_gap(&j, CTL_MEMORY, false);
	OK(ledger_settle(l, &j, &d));
	check_stored(l, &j);
	job_free(&j);
	ledger_close(l);
}

static void
bad_values_are_never_stored(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	fixture_job(&j);
	OK(ledger_admit(l, &j, &d));
	j.rows[CTL_DEV].state = READBACK__MAX;
	assert_int_equal(ledger_start(l, &j, &d), -1);
	assert_int_equal(d.code, DIAG_INTERNAL);
	assert_int_equal(j.state, JOB_ADMITTED);
	j.rows[CTL_DEV].state = READBACK_HELD;
	check_stored(l, &j);
	job_free(&j);
	ledger_close(l);
}

/* What another program of the same user wrote is judged, not believed. */
static void
damaged_values_are_told(void **state)
{
	static const char *const damages[] = {
	    "UPDATE jobs SET reason = 'boredom'",
	    "UPDATE jobs SET limits_hit = '[\"x\"]'",
	    "UPDATE jobs SET limits_hit = hex(zeroblob(200))",
	    "UPDATE jobs SET usage_source = 'guess'",
	    "UPDATE jobs SET exit_code = 99999999999",
	    "UPDATE jobs SET tenant = hex(zeroblob(100))",
	    "UPDATE jobs SET tenant = 'a' || char(27) || '[31m'",
	    "UPDATE jobs SET boot_id = 'two' || char(10) || 'lines'",
	    "UPDATE jobs SET argv = x'61'",
	    "UPDATE jobs SET state = 'dreaming'",
	    "UPDATE controls SET control = 'magic' WHERE control = 'dev'",
	    ("UPDATE controls SET state = 'fault', class = 'x'"
	     " WHERE control = 'dev'"),
	    "UPDATE gaps SET control = 'magic'",
	    "UPDATE gaps SET token = 'caf' || char(233)",
	};
	struct diag d = {0};
	struct found f = {0};
	struct ledger *l;
	sqlite3 *raw;
	struct job j;

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		char *dir = fixture_dir();

		l = fixture_open(dir);
		fixture_job(&j);
		fixture_gap(&j, CTL_MEMORY, true);
		OK(ledger_admit(l, &j, &d));
		job_free(&j);
		raw = fixture_raw(dir);
		assert_int_equal(fixture_sql(raw,
				     "DROP TRIGGER jobs_change;"
				     "DROP TRIGGER jobs_fixed;"
				     "DROP TRIGGER controls_update;"
				     "DROP TRIGGER gaps_update;"
				     "PRAGMA ignore_check_constraints=ON",
				     NULL),
		    SQLITE_OK);
		assert_int_equal(fixture_sql(raw, damages[i], NULL), SQLITE_OK);
		assert_int_equal(sqlite3_close(raw), SQLITE_OK);
		d.code = DIAG_NONE;
		assert_int_equal(ledger_each(l, &fixture_everything,
				     fixture_take, &f, &d),
		    -1);
		assert_int_equal(d.code, DIAG_LEDGER);
		assert_non_null(strstr(d.message, "is damaged"));
		ledger_close(l);
		fixture_remove(dir);
	}
	(void)state;
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(all_of_a_job_comes_back),
	    TEST(little_of_a_job_comes_back),
	    TEST(refusals_are_rows),
	    TEST(refused_after_a_launch),
	    TEST(bad_values_are_never_stored),
	    cmocka_unit_test(damaged_values_are_told),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
