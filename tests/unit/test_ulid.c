/*
 * test_ulid.c - known ids, order by time, what a person may type.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ulid.h"

static void
ids_are_known(void **state)
{
	uint8_t random[ULID_RANDOM_BYTES];
	char id[JOB_ID_SIZE];

	(void)state;
	memset(random, 0, sizeof(random));
	ulid_encode(0, random, id);
	assert_string_equal(id, "00000000000000000000000000");
	memset(random, 0xff, sizeof(random));
	ulid_encode((INT64_C(1) << 48) - 1, random, id);
	assert_string_equal(id, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
	/* The example of the ULID specification has this time. */
	ulid_encode(1469918176385, random, id);
	assert_memory_equal(id, "01ARYZ6S41", 10);
	memset(random, 0, sizeof(random));
	random[0] = 0x08;
	random[9] = 0x1f;
	ulid_encode(0, random, id);
	assert_string_equal(id, "0000000000100000000000000Z");
}

static void
later_sorts_later(void **state)
{
	char before[JOB_ID_SIZE], after[JOB_ID_SIZE];

	(void)state;
	for (int64_t ms = 1; ms < INT64_C(1) << 47; ms = ms * 3 + 1) {
		assert_int_equal(ulid_new(ms, before), 0);
		assert_int_equal(ulid_new(ms + 1, after), 0);
		assert_true(strcmp(before, after) < 0);
		assert_true(ulid_is_prefix(before));
	}
}

static void
same_moment_differs(void **state)
{
	char one[JOB_ID_SIZE], other[JOB_ID_SIZE];

	(void)state;
	assert_int_equal(ulid_new(5, one), 0);
	assert_int_equal(ulid_new(5, other), 0);
	assert_string_not_equal(one, other);
}

static void
prefixes_are_judged(void **state)
{
	(void)state;
	assert_true(ulid_is_prefix("0"));
	assert_true(ulid_is_prefix("01arYZ6s41"));
	assert_true(ulid_is_prefix("01ARYZ6S41TSV4RRFFQ69G5FAV"));
	assert_false(ulid_is_prefix("01ARYZ6S41TSV4RRFFQ69G5FAV0"));
	assert_false(ulid_is_prefix(""));
	assert_false(ulid_is_prefix("0I"));
	assert_false(ulid_is_prefix("0U"));
	assert_false(ulid_is_prefix("%"));
	assert_false(ulid_is_prefix("01 "));
}

static void
times_are_read(void **state)
{
	char id[JOB_ID_SIZE];
	int64_t ms;

	(void)state;
	assert_int_equal(ulid_new(1469918176385, id), 0);
	assert_true(ulid_time(id, &ms));
	assert_int_equal(ms, 1469918176385);
	assert_true(ulid_time("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", &ms));
	assert_int_equal(ms, (INT64_C(1) << 48) - 1);
	assert_false(ulid_time("8ZZZZZZZZZZZZZZZZZZZZZZZZZ", &ms));
	assert_false(ulid_time("01arYZ6s41TSV4RRFFQ69G5FAV", &ms));
	assert_false(ulid_time("01ARYZ6S41TSV4RRFFQ69G5FA", &ms));
	assert_false(ulid_time("01ARYZ6S41TSV4RRFFQ69G5FAV0", &ms));
	assert_false(ulid_time("../../ARYZ6S41TSV4RRFFQ69G", &ms));
	assert_false(ulid_time("", &ms));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ids_are_known),
	    cmocka_unit_test(later_sorts_later),
	    cmocka_unit_test(same_moment_differs),
	    cmocka_unit_test(prefixes_are_judged),
	    cmocka_unit_test(times_are_read),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
