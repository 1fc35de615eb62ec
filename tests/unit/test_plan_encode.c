/*
 * test_plan_encode.c - what is encoded is decoded again, and what the encoder
 * refuses.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "plan_fixture.h"
#include "plan_encode.h"

static struct plan plan;
static struct plan decoded;
static uint8_t bytes[PLAN_BYTES_MAX + 1];
static uint8_t again[PLAN_BYTES_MAX];

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

static void
assert_same_entry(const struct plan_entry *a, const struct plan_entry *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->mode, b->mode);
	assert_string_equal(a->path, b->path);
	assert_string_equal(a->source, b->source);
	assert_int_equal(a->content_len, b->content_len);
	if (a->content_len != 0)
		assert_memory_equal(a->content, b->content, a->content_len);
	assert_int_equal(a->dev, b->dev);
	assert_int_equal(a->ino, b->ino);
}

static void
what_was_encoded_is_decoded(void **state)
{
	long len;

	(void)state;
	plan_fixture(&plan);
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_true(len > 0);
	assert_int_equal(plan_decode(&decoded, bytes, (size_t)len), 0);
	/* Everything before the entries is plain values. */
	assert_memory_equal(&plan, &decoded, offsetof(struct plan, entries));
	for (uint32_t i = 0; i < plan.entry_count; i++)
		assert_same_entry(&plan.entries[i], &decoded.entries[i]);
	for (uint32_t i = 0; i < plan.argc; i++)
		assert_string_equal(plan.argv[i], decoded.argv[i]);
	assert_null(decoded.argv[decoded.argc]);
	for (uint32_t i = 0; i < plan.envc; i++)
		assert_string_equal(plan.envp[i], decoded.envp[i]);
	assert_null(decoded.envp[decoded.envc]);
	assert_memory_equal(plan.filter, decoded.filter, sizeof(plan.filter));
}

/* Each integer has a value of its own, so that no two can be exchanged. */
static void
no_member_is_left_out(void **state)
{
	const size_t first = offsetof(struct plan, wall_ms);
	const size_t last = offsetof(struct plan, program_bytes);
	long len;

	(void)state;
	plan_fixture(&plan);
	for (size_t at = first; at <= last; at += sizeof(uint64_t))
		*(uint64_t *)(void *)((char *)&plan + at) += at - first + 1;
	plan.network_host = plan.has_cgroup = true;
	plan.landlock_abi_min = 7;
	plan.entries[3].flags = ENTRY_WRITABLE;
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_true(len > 0);
	assert_int_equal(plan_decode(&decoded, bytes, (size_t)len), 0);
	assert_memory_equal(&plan, &decoded, offsetof(struct plan, entries));
	assert_same_entry(&plan.entries[3], &decoded.entries[3]);
	assert_int_equal(plan_encode(&decoded, again, sizeof(again)), len);
	assert_memory_equal(bytes, again, (size_t)len);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_was_encoded_is_decoded),
	    cmocka_unit_test(no_member_is_left_out),
	    cmocka_unit_test(every_shorter_buffer_is_too_small),
	    cmocka_unit_test(no_plan_is_larger_than_a_message),
	    cmocka_unit_test(counts_above_their_maximum_are_invalid),
	    cmocka_unit_test(a_missing_string_is_invalid),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
