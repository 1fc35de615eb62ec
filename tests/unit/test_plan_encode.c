/* test_plan_encode.c - what the encoder refuses; its bytes: test_plan_decode. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "plan_fixture.h"

static struct plan plan;
static uint8_t bytes[PLAN_BYTES_MAX + 1];

static void
assert_fails(size_t size, int err)
{
	errno = 0;
	assert_int_equal(plan_encode(&plan, bytes, size), -1);
	assert_int_equal(errno, err);
}

static void
every_shorter_buffer_is_too_small(void **state)
{
	size_t len;

	(void)state;
	plan_fixture(&plan);
	len = (size_t)plan_encode(&plan, bytes, sizeof(bytes));
	assert_int_equal(plan_encode(&plan, bytes, len), len);
	for (size_t size = 0; size < len; size++) {
		bytes[size] = 0xa5;
		assert_fails(size, E2BIG);
		assert_int_equal(bytes[size], 0xa5);
	}
}

static void
no_plan_is_larger_than_a_message(void **state)
{
	char *text = calloc(1, 2 * PLAN_BYTES_MAX);

	(void)state;
	assert_non_null(text);
	plan_fixture(&plan);
	memset(text, 'x', PLAN_BYTES_MAX - 100);
	plan.argv[1] = text;
	assert_fails(sizeof(bytes), E2BIG);
	memset(text, 'x', PLAN_BYTES_MAX + 100);
	assert_fails(sizeof(bytes), E2BIG);

	plan_fixture(&plan);
	plan.entries[2].content = (const uint8_t *)text;
	plan.entries[2].content_len = PLAN_BYTES_MAX;
	assert_fails(sizeof(bytes), E2BIG);
	free(text);
}

static void
counts_above_their_maximum_are_invalid(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.entry_count = PLAN_ENTRIES_MAX + 1;
	assert_fails(sizeof(bytes), EINVAL);
	plan_fixture(&plan);
	plan.argc = PLAN_ARGV_MAX + 1;
	assert_fails(sizeof(bytes), EINVAL);
	plan_fixture(&plan);
	plan.envc = PLAN_ENVP_MAX + 1;
	assert_fails(sizeof(bytes), EINVAL);
	plan_fixture(&plan);
	plan.filter_len = PLAN_FILTER_MAX + 1;
	assert_fails(sizeof(bytes), EINVAL);
	plan_fixture(&plan);
	plan.entries[2].content_len = PLAN_BYTES_MAX + 1;
	assert_fails(sizeof(bytes), EINVAL);
}

static void
a_missing_string_is_invalid(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.entries[0].source = NULL;
	assert_fails(sizeof(bytes), EINVAL);
	plan_fixture(&plan);
	plan.argv[1] = NULL;
	assert_fails(sizeof(bytes), EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_shorter_buffer_is_too_small),
	    cmocka_unit_test(no_plan_is_larger_than_a_message),
	    cmocka_unit_test(counts_above_their_maximum_are_invalid),
	    cmocka_unit_test(a_missing_string_is_invalid),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
