/*
 * test_ledger_quota.c - what counts as used, who comes first, and refusals
 * past those that get a row of their own.
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
#include "ledger_int.h"
#include "times.h"

#define HOUR_MS 3600000

/* In the line; ticket 0: nowhere. */
struct place {
	int64_t ticket;
	int64_t byte;
};

static int
try_one(struct ledger *l, const struct ledger_quotas *most, struct place p,
    struct ledger_denial *out)
{
	struct diag d = {0};
	struct job j;
	int rc;

	fixture_small_job(&j);
	j.memory_limit_bytes = 100;
	j.cpu_limit_ms = 1000;
	j.lock_byte = p.byte;
	rc = ledger_admit_within(l, &j, most, p.ticket, out, &d);
	job_free(&j);
	if (rc == -1)
		fail_msg("%s", d.message);
	return (rc);
}

/* Admits a job, or expects that quota and use. */
static void
admitted(struct ledger *l, const struct ledger_quotas *most)
{
	struct ledger_denial out;

	if (try_one(l, most, (struct place){0}, &out) != 1)
		fail_msg("denied: quota %d, %lld used", (int)out.quota,
		    (long long)out.used);
}

static void
denied(struct ledger *l, const struct ledger_quotas *most, enum quota quota,
    int64_t used)
{
	struct ledger_denial out;

	assert_int_equal(try_one(l, most, (struct place){0}, &out), 0);
	assert_int_equal(out.quota, quota);
	assert_int_equal(out.used, used);
	assert_false(out.has_waiters);
}

/* A closed row that ended and began so long ago. */
static void
add_closed(struct ledger *l, int64_t began_ms, int64_t ended_ms, int64_t cpu_ms)
{
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	j.memory_limit_bytes = 100;
	j.cpu_limit_ms = 1000;
	j.created_ms = times_now_ms() - began_ms;
	OK(ledger_admit(l, &j, &d));
	OK(ledger_start(l, &j, &d));
	j.state = JOB_ERROR;
	j.reason = REASON_ERROR;
	j.cpu_ms = cpu_ms;
	j.ended_ms = times_now_ms() - ended_ms;
	OK(ledger_settle(l, &j, &d));
	job_free(&j);
}

static void
each_quota_is_exact(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct ledger_quotas most = {{0}};

	/* Long ago: no use of any. */
	add_closed(l, 9 * HOUR_MS, 2 * HOUR_MS, 9000);
	/* Began before the hour, ended in it: CPU time only. */
	add_closed(l, 2 * HOUR_MS, 1000, 300);
	/* Its CPU time is not known: all that it could take. */
	add_closed(l, 1000, 500, JOB_UNKNOWN);
	most.most[QUOTA_JOBS_PER_HOUR] = 1;
	denied(l, &most, QUOTA_JOBS_PER_HOUR, 1);
	most.most[QUOTA_JOBS_PER_HOUR] = 2;
	most.most[QUOTA_CPU_PER_HOUR] = 2299;
	denied(l, &most, QUOTA_CPU_PER_HOUR, 1300);
	most.most[QUOTA_CPU_PER_HOUR] = 2300;
	most.most[QUOTA_MEMORY_SUM] = 99;
	denied(l, &most, QUOTA_MEMORY_SUM, 0);
	most.most[QUOTA_MEMORY_SUM] = 100;
	admitted(l, &most);
	denied(l, &most, QUOTA_MEMORY_SUM, 100);
	most.most[QUOTA_JOBS_AT_ONCE] = 1;
	denied(l, &most, QUOTA_JOBS_AT_ONCE, 1);
	ledger_close(l);
}

/* The clock was an hour ahead, and was set right. */
static void
a_wrong_clock_shuts_nobody_out(void **state)
{
	struct ledger_quotas most = {{[QUOTA_JOBS_PER_HOUR] = 1}};
	struct ledger *l = fixture_open(*state);

	add_closed(l, -HOUR_MS, -HOUR_MS, 300);
	most.most[QUOTA_CPU_PER_HOUR] = 1000;
	admitted(l, &most);
	/* Half a minute ahead is what clocks of a host may be. */
	most.most[QUOTA_JOBS_PER_HOUR] = 2;
	most.most[QUOTA_CPU_PER_HOUR] = 0;
	add_closed(l, -HOUR_MS / 120, -HOUR_MS / 120, 300);
	denied(l, &most, QUOTA_JOBS_PER_HOUR, 2);
	ledger_close(l);
}

/* What no wait helps is told before what one would. */
static void
the_impossible_comes_first(void **state)
{
	struct ledger_quotas most = {{[QUOTA_JOBS_AT_ONCE] = 1}};
	struct ledger *l = fixture_open(*state);

	admitted(l, &most);
	most.most[QUOTA_MEMORY_SUM] = 150;
	denied(l, &most, QUOTA_JOBS_AT_ONCE, 1);
	most.most[QUOTA_CPU_PER_HOUR] = 999;
	denied(l, &most, QUOTA_CPU_PER_HOUR, 1000);
	ledger_close(l);
}

static void
other_tenants_are_not_counted(void **state)
{
	struct ledger_quotas most = {{[QUOTA_JOBS_AT_ONCE] = 1}};
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct job j;

	fixture_job(&j);
	OK(ledger_admit(l, &j, &d));
	job_free(&j);
	admitted(l, &most);
	denied(l, &most, QUOTA_JOBS_AT_ONCE, 1);
	ledger_close(l);
}

#define WAIT_MS 600000

/* For so long; below 0 it is over already. */
static struct place
join(struct ledger *l, int64_t byte, int64_t ms)
{
	struct place p = {.byte = byte};
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	j.lock_byte = byte;
	OK(ledger_queue(l, &j, monotonic_ms() + ms, &p.ticket, &d));
	job_free(&j);
	return (p);
}

static void
leave(struct ledger *l, struct place p)
{
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	j.lock_byte = p.byte;
	OK(ledger_unqueue(l, &j, p.ticket, &d));
	job_free(&j);
}

static void
first_come_first_served(void **state)
{
	struct ledger_quotas most = {{[QUOTA_JOBS_AT_ONCE] = 9}};
	struct ledger *l = fixture_open(*state);
	struct place first = {0}, second = {0};
	struct ledger_denial out;
	struct diag d = {0};
	int first_fd = liveness_take(*state, &first.byte, &d);
	int second_fd = liveness_take(*state, &second.byte, &d);

	assert_true(first_fd != -1 && second_fd != -1);
	(void)join(l, 7, WAIT_MS); /* dead already */
	first = join(l, first.byte, WAIT_MS);
	second = join(l, second.byte, WAIT_MS);
	assert_true(second.ticket > first.ticket);
	/* Neither the second nor who does not stand in line goes first. */
	assert_int_equal(try_one(l, &most, second, &out), 0);
	assert_true(out.has_waiters);
	assert_int_equal(try_one(l, &most, (struct place){0}, &out), 0);
	assert_true(out.has_waiters);
	assert_int_equal(out.quota, QUOTA__MAX);
	assert_int_equal(try_one(l, &most, first, &out), 1);
	assert_int_equal(try_one(l, &most, second, &out), 1);
	/* One that leaves, and one that dies, are in nobody's way. */
	leave(l, join(l, second.byte, WAIT_MS));
	(void)join(l, second.byte, WAIT_MS);
	assert_int_equal(close(second_fd), 0);
	admitted(l, &most);
	assert_int_equal(close(first_fd), 0);
	ledger_close(l);
}

/* A stopped process cannot leave the line when its time is up. */
static void
who_waited_too_long_is_passed(void **state)
{
	struct ledger_quotas most = {{[QUOTA_JOBS_AT_ONCE] = 9}};
	struct ledger *l = fixture_open(*state);
	struct place stopped = {0}, next = {0};
	struct ledger_denial out;
	struct diag d = {0};
	int stopped_fd = liveness_take(*state, &stopped.byte, &d);
	int next_fd = liveness_take(*state, &next.byte, &d);

	assert_true(stopped_fd != -1 && next_fd != -1);
	stopped = join(l, stopped.byte, -1);
	/* Late is not shut out while nobody else has come. */
	assert_int_equal(try_one(l, &most, stopped, &out), 1);
	stopped = join(l, stopped.byte, -1);
	admitted(l, &most);
	next = join(l, next.byte, WAIT_MS);
	assert_int_equal(next.ticket, stopped.ticket);
	/* The number is another's now, and stays it. */
	assert_int_equal(try_one(l, &most, stopped, &out), 0);
	assert_true(out.is_late);
	leave(l, stopped);
	assert_int_equal(try_one(l, &most, next, &out), 1);
	assert_int_equal(close(stopped_fd), 0);
	assert_int_equal(close(next_fd), 0);
	ledger_close(l);
}

#define ROWS 101 /* the last of them stands for all that follow */
#define MORE 5

static void
many_refusals_are_one_row(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	struct found found;
	bool has_row;
	struct job j;
	sqlite3 *raw;

	for (int i = 0; i < ROWS + MORE; i++) {
		fixture_small_job(&j);
		OK(ledger_refuse(l, &j, &has_row, &d));
		assert_int_equal(has_row, i < ROWS);
		job_free(&j);
	}
	/* Another tenant's are not among them. */
	fixture_job(&j);
	OK(ledger_refuse(l, &j, &has_row, &d));
	assert_true(has_row);
	job_free(&j);
	raw = fixture_raw(*state);
	assert_int_equal(fixture_number(raw, "SELECT count(*) FROM jobs"),
	    ROWS + 1);
	assert_int_equal(fixture_number(raw,
			     "SELECT count FROM refusals WHERE job = (SELECT"
			     " id FROM jobs WHERE n = 101)"),
	    MORE);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
	fixture_list(l,
	    (struct ledger_filter){.tenant = "default",
		.state = JOB_REFUSED,
		.since_ms = JOB_UNKNOWN,
		.until_ms = JOB_UNKNOWN,
		.limit = 2},
	    &found);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.jobs[0].refusals, MORE);
	assert_int_equal(found.jobs[1].refusals, JOB_UNKNOWN);
	fixture_found_free(&found);
	ledger_close(l);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(each_quota_is_exact),
	    TEST(a_wrong_clock_shuts_nobody_out),
	    TEST(the_impossible_comes_first),
	    TEST(other_tenants_are_not_counted),
	    TEST(first_come_first_served),
	    TEST(who_waited_too_long_is_passed),
	    TEST(many_refusals_are_one_row),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
