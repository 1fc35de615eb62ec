/*
 * test_ledger_ops.c - one job's way through the ledger, what comes back is
 * what went in, and changes that must be refused.
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

struct found {
	struct job jobs[8];
	size_t count;
	size_t stop_at;
};

static int
take(struct job *j, void *arg)
{
	struct found *f = arg;

	assert_true(f->count < 8);
	f->jobs[f->count++] = *j;
	job_init(j);
	return (f->count == f->stop_at ? 1 : 0);
}

static void
found_free(struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		job_free(&f->jobs[i]);
	f->count = 0;
}

static const struct ledger_filter everything = {.state = JOB__MAX,
    .since_ms = JOB_UNKNOWN,
    .until_ms = JOB_UNKNOWN};

static void
list(struct ledger *l, struct ledger_filter filter, struct found *f)
{
	struct diag d = {0};

	memset(f, 0, sizeof(*f));
	if (ledger_each(l, &filter, take, f, &d) == -1)
		fail_msg("%s", d.message);
}

static int
open_one(void **state)
{
	*state = fixture_dir();
	return (0);
}

static int
remove_one(void **state)
{
	fixture_remove(*state);
	return (0);
}

#define OK(call) \
	do { \
		if ((call) == -1) \
			fail_msg("%s: %s", #call, d.message); \
	} while (0)

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

	list(l, everything, &f);
	assert_int_equal(f.count, 1);
	same_job(j, &f.jobs[0]);
	found_free(&f);
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
	struct job j;

	fixture_small_job(&j);
	OK(ledger_admit(l, &j, &d));
	assert_int_equal(ledger_admit(l, &j, &d), -1);
	assert_non_null(strstr(d.message, "a job is inserted once"));
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
	list(l, everything, &f);
	assert_int_equal(f.jobs[0].state, JOB_REAPED);
	assert_int_equal(f.jobs[0].reason, REASON_REAPED);
	assert_string_equal(f.jobs[0].detail, "host rebooted");
	assert_true(f.jobs[0].ended_ms != JOB_UNKNOWN);
	same_rows(&j, &f.jobs[0]);
	found_free(&f);
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

static size_t
count_of(struct ledger *l, struct ledger_filter filter)
{
	struct found f;
	size_t count;

	list(l, filter, &f);
	count = f.count;
	found_free(&f);
	return (count);
}

static void
filters_choose(void **state)
{
	static const int64_t created[] = {1000, 3000, 2000};
	struct ledger *l = fixture_open(*state);
	struct ledger_filter filter = everything;
	struct diag d = {0};
	struct found f;
	struct job j;

	for (int i = 0; i < 3; i++) {
		fixture_small_job(&j);
		j.created_ms = created[i];
		j.tenant[0] = (char)('a' + i);
		j.network_host = i == 1;
		j.is_degraded = i == 2;
		OK(ledger_admit(l, &j, &d));
		if (i == 1)
			OK(ledger_start(l, &j, &d));
		job_free(&j);
	}
	list(l, filter, &f);
	assert_int_equal(f.count, 3);
	/* Newest means last admitted, whatever the clock did. */
	assert_string_equal(f.jobs[0].tenant, "cefault");
	assert_string_equal(f.jobs[2].tenant, "aefault");
	filter.id_prefix = f.jobs[1].id;
	assert_int_equal(count_of(l, filter), 1);
	found_free(&f);
	filter.id_prefix = "0";
	assert_int_equal(count_of(l, filter), 3);
	filter.id_prefix = "00000000ZZ";
	assert_int_equal(count_of(l, filter), 0);
	filter = everything;
	filter.tenant = "befault";
	assert_int_equal(count_of(l, filter), 1);
	filter.tenant = "' OR 1 --";
	assert_int_equal(count_of(l, filter), 0);
	filter = everything;
	filter.state = JOB_RUNNING;
	assert_int_equal(count_of(l, filter), 1);
	filter = everything;
	filter.is_open = true;
	assert_int_equal(count_of(l, filter), 3);
	filter.is_network = true;
	assert_int_equal(count_of(l, filter), 1);
	filter.is_degraded = true;
	assert_int_equal(count_of(l, filter), 0);
	filter = everything;
	filter.since_ms = 2000;
	assert_int_equal(count_of(l, filter), 2);
	filter.until_ms = 2000;
	assert_int_equal(count_of(l, filter), 1);
	filter = everything;
	filter.limit = 2;
	assert_int_equal(count_of(l, filter), 2);
	ledger_close(l);
}

static void
a_visit_can_stop(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct found f = {.stop_at = 1};
	struct diag d = {0};
	struct job j;

	for (int i = 0; i < 2; i++) {
		fixture_small_job(&j);
		OK(ledger_admit(l, &j, &d));
		job_free(&j);
	}
	OK(ledger_each(l, &everything, take, &f, &d));
	assert_int_equal(f.count, 1);
	found_free(&f);
	/* And the connection can still write. */
	fixture_small_job(&j);
	OK(ledger_admit(l, &j, &d));
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
	    "UPDATE jobs SET argv = x'61'",
	    "UPDATE jobs SET state = 'dreaming'",
	    "UPDATE controls SET control = 'magic' WHERE control = 'dev'",
	    "UPDATE controls SET state = 'fault', class = 'x'"
	    " WHERE control = 'dev'",
	    "UPDATE gaps SET control = 'magic'",
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
		assert_int_equal(ledger_each(l, &everything, take, &f, &d), -1);
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_one, remove_one)
	const struct CMUnitTest tests[] = {
	    TEST(all_of_a_job_comes_back),
	    TEST(little_of_a_job_comes_back),
	    TEST(refusals_are_rows),
	    TEST(refused_after_a_launch),
	    TEST(illegal_changes_are_refused),
	    TEST(an_id_is_used_once),
	    TEST(bad_values_are_never_stored),
	    TEST(reaping_checks_again),
	    TEST(filters_choose),
	    TEST(a_visit_can_stop),
	    cmocka_unit_test(damaged_values_are_told),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
