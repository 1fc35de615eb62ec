/*
 * test_plan_decode.c - what the decoder of plans does with bytes that no
 * encoder made; those that one made: test_plan_encode.c.  Every buffer ends
 * right before an unreadable page, so that one byte read too far ends the test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>

#include <stdlib.h>
#include <unistd.h>

#include "plan_fixture.h"
#include "plan_encode.h"

static struct plan plan;
static struct plan decoded;
static uint8_t bytes[PLAN_BYTES_MAX];
static uint8_t again[PLAN_BYTES_MAX];
static uint8_t *fence; /* the first byte that cannot be read */

static int
make_fence(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (PLAN_BYTES_MAX + page - 1) / page * page;
	uint8_t *map;

	(void)state;
	map = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + size, page, PROT_NONE) == -1)
		return (-1);
	fence = map + size;
	return (0);
}

static enum step
decode_at_fence(const uint8_t *from, size_t len)
{
	memcpy(fence - len, from, len);
	return (plan_decode(&decoded, fence - len, len));
}

static size_t
encode_fixture(void)
{
	long len;

	plan_fixture(&plan);
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_true(len > 0);
	return ((size_t)len);
}

/* By that step, and nothing of it is left. */
static void
assert_refused_at(enum step step, const uint8_t *from, size_t len)
{
	assert_int_equal(decode_at_fence(from, len), step);
	assert_int_equal(decoded.controls, 0);
	assert_int_equal(decoded.entry_count, 0);
	assert_null(decoded.argv[0]);
}

static void
assert_refused(const uint8_t *from, size_t len)
{
	assert_refused_at(STEP_PLAN_DECODE, from, len);
}

static void
lists_can_be_full(void **state)
{
	long len;

	(void)state;
	plan_fixture(&plan);
	while (plan.entry_count < PLAN_ENTRIES_MAX)
		plan_fixture_entry(&plan, ENTRY_DIR, "/d", "");
	while (plan.argc < PLAN_ARGV_MAX)
		plan.argv[plan.argc++] = "a";
	while (plan.envc < PLAN_ENVP_MAX)
		plan_fixture_env(&plan, "A=b");
	plan.filter_len = PLAN_FILTER_MAX;
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_true(len > 0);
	assert_int_equal(decode_at_fence(bytes, (size_t)len), 0);
	assert_int_equal(decoded.entry_count, PLAN_ENTRIES_MAX);
	assert_int_equal(decoded.filter_len, PLAN_FILTER_MAX);
	assert_string_equal(decoded.argv[PLAN_ARGV_MAX - 1], "a");
	assert_null(decoded.argv[PLAN_ARGV_MAX]);
	assert_null(decoded.envp[PLAN_ENVP_MAX]);
}

static void
every_truncation_is_refused(void **state)
{
	size_t len = encode_fixture();

	(void)state;
	for (size_t i = 0; i < len; i++)
		assert_refused(bytes, i);
}

static void
what_follows_the_end_is_refused(void **state)
{
	size_t len = encode_fixture();

	(void)state;
	bytes[len] = 0;
	assert_refused(bytes, len + 1);
}

/*
 * A flipped bit either changes a value, and then re-encodes to the very same
 * bytes, or is refused; some of each must happen.
 */
static void
every_flipped_bit_is_a_value_or_refused(void **state)
{
	size_t len = encode_fixture();
	unsigned int values = 0;
	unsigned int refusals = 0;

	(void)state;
	for (size_t bit = 0; bit < len * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		if (decode_at_fence(bytes, len) == 0) {
			assert_int_equal(plan_encode(&decoded, again,
					     sizeof(again)),
			    len);
			assert_memory_equal(again, bytes, len);
			(void)plan_check(&decoded);
			values++;
		} else {
			assert_int_equal(decoded.argc, 0);
			refusals++;
		}
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	assert_true(values > 500);
	assert_true(refusals > 500);
}

/* Every u32 of the message made huge: counts and lengths are all among them. */
static void
huge_counts_are_refused_or_harmless(void **state)
{
	static const uint32_t huge[] = {UINT32_MAX, 0x80000000U, 0x7fffffffU,
	    PLAN_BYTES_MAX, PLAN_BYTES_MAX + 1, PLAN_ARGV_MAX + 1,
	    PLAN_ENTRIES_MAX + 1, PLAN_FILTER_MAX + 1};
	size_t len = encode_fixture();
	uint8_t saved[4];

	(void)state;
	for (size_t at = 0; at + 4 <= len; at++) {
		for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
			memcpy(saved, bytes + at, 4);
			memcpy(bytes + at, &huge[i], 4);
			(void)decode_at_fence(bytes, len);
			memcpy(bytes + at, saved, 4);
		}
	}
}

/*
 * Encodes the plan with one more element at the end of the list of that count.
 * The counts stand in the order of the lists, so that a plan whose later
 * counts are 0 ends where this list does.
 */
static size_t
encode_with_one_more(const uint32_t *count, const void *element, size_t size)
{
	size_t at = (size_t)((const uint8_t *)count - (const uint8_t *)&plan);
	size_t after = at + sizeof(*count);
	uint32_t more = *count + 1;
	long len = plan_encode(&plan, bytes, sizeof(bytes));
	long end;

	decoded = plan;
	memset((uint8_t *)&decoded + after, 0, PLAN_HEAD_BYTES - after);
	end = plan_encode(&decoded, again, sizeof(again));
	assert_true(len > 0 && end > 0 && end <= len);
	memcpy(bytes + at, &more, sizeof(more));
	memmove(bytes + end + size, bytes + end, (size_t)(len - end));
	memcpy(bytes + end, element, size);
	return ((size_t)len + size);
}

/* The list is full: the last element still fits, one more does not. */
static void
assert_no_room_for(uint32_t *count, const void *element, size_t size)
{
	size_t len;

	(*count)--;
	len = encode_with_one_more(count, element, size);
	assert_int_equal(decode_at_fence(bytes, len), 0);
	(*count)++;
	len = encode_with_one_more(count, element, size);
	assert_refused_at(STEP_PLAN_RANGE, bytes, len);
}

static void
lists_cannot_be_fuller(void **state)
{
	static const struct sock_filter insn = {0, 0, 0, 0};
	static const uint8_t string[1] = {0};
	/* The head, then an empty path and an empty source. */
	static const uint8_t entry[PLAN_ENTRY_HEAD_BYTES + 2] = {0};

	(void)state;
	plan_fixture(&plan);
	while (plan.entry_count < PLAN_ENTRIES_MAX)
		plan_fixture_entry(&plan, ENTRY_DIR, "/d", "");
	assert_no_room_for(&plan.entry_count, entry, sizeof(entry));
	plan_fixture(&plan);
	while (plan.argc < PLAN_ARGV_MAX)
		plan.argv[plan.argc++] = "a";
	assert_no_room_for(&plan.argc, string, sizeof(string));
	plan_fixture(&plan);
	while (plan.envc < PLAN_ENVP_MAX)
		plan_fixture_env(&plan, "A=b");
	assert_no_room_for(&plan.envc, string, sizeof(string));
	plan_fixture(&plan);
	plan.filter_len = PLAN_FILTER_MAX;
	assert_no_room_for(&plan.filter_len, &insn, sizeof(insn));
}

/* A NUL ends its string: what follows is the next one, and then one is left. */
static void
a_nul_inside_a_string_is_refused(void **state)
{
	size_t len = encode_fixture();
	uint8_t *at = memmem(bytes, len, "usr/bin", sizeof("usr/bin"));

	(void)state;
	assert_non_null(at);
	at[3] = '\0';
	assert_refused(bytes, len);
	at[3] = '/';
	at[7] = 'x'; /* no NUL at the end */
	assert_refused(bytes, len);
}

/* The last string has no NUL before the fence, and no filter follows. */
static void
a_string_ends_before_the_bytes_do(void **state)
{
	size_t len = encode_fixture() - sizeof(plan.filter[0]);

	(void)state;
	assert_int_equal(bytes[len - 1], '\0');
	bytes[len - 1] = 'x';
	assert_refused(bytes, len);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists_can_be_full),
	    cmocka_unit_test(every_truncation_is_refused),
	    cmocka_unit_test(what_follows_the_end_is_refused),
	    cmocka_unit_test(every_flipped_bit_is_a_value_or_refused),
	    cmocka_unit_test(huge_counts_are_refused_or_harmless),
	    cmocka_unit_test(lists_cannot_be_fuller),
	    cmocka_unit_test(a_nul_inside_a_string_is_refused),
	    cmocka_unit_test(a_string_ends_before_the_bytes_do),
	};

	return (cmocka_run_group_tests(tests, make_fence, NULL));
}
