/*
 * test_ledger_list.c - what a filter chooses, in which order, and stopping.
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

static size_t
count_of(struct ledger *l, struct ledger_filter filter)
{
	struct found f;
	size_t count;

	fixture_list(l, filter, &f);
	count = f.count;
	fixture_found_free(&f);
	return (count);
}

static void
filters_choose(void **state)
{
	static const int64_t created[] = {1000, 3000, 2000};
	struct ledger *l = fixture_open(*state);
	struct ledger_filter filter = fixture_everything;
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
	fixture_list(l, filter, &f);
	assert_int_equal(f.count, 3);
	/* Newest means last admitted, whatever the clock did. */
	assert_string_equal(f.jobs[0].tenant, "cefault");
	assert_string_equal(f.jobs[2].tenant, "aefault");
	filter.id_prefix = f.jobs[1].id;
	assert_int_equal(count_of(l, filter), 1);
	fixture_found_free(&f);
	filter.id_prefix = "0";
	assert_int_equal(count_of(l, filter), 3);
	filter.id_prefix = "00000000ZZ";
	assert_int_equal(count_of(l, filter), 0);
	filter = fixture_everything;
	filter.tenant = "befault";
	assert_int_equal(count_of(l, filter), 1);
	filter.tenant = "' OR 1 --";
	assert_int_equal(count_of(l, filter), 0);
	filter = fixture_everything;
	filter.state = JOB_RUNNING;
	assert_int_equal(count_of(l, filter), 1);
	filter = fixture_everything;
	filter.is_open = true;
	assert_int_equal(count_of(l, filter), 3);
	filter.is_network = true;
	assert_int_equal(count_of(l, filter), 1);
	filter.is_degraded = true;
	assert_int_equal(count_of(l, filter), 0);
	filter = fixture_everything;
	filter.since_ms = 2000;
	assert_int_equal(count_of(l, filter), 2);
	filter.until_ms = 2000;
	assert_int_equal(count_of(l, filter), 1);
	filter = fixture_everything;
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
	OK(ledger_each(l, &fixture_everything, fixture_take, &f, &d));
	assert_int_equal(f.count, 1);
	fixture_found_free(&f);
	/* And the connection can still write. */
	fixture_small_job(&j);
	OK(ledger_admit(l, &j, &d));
	job_free(&j);
	ledger_close(l);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(filters_choose),
	    TEST(a_visit_can_stop),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
