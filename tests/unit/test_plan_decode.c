/*
 * test_plan_decode.c - the plan codec, both ways, and what it does with bytes
 * that no encoder made.  Every buffer ends right before an unreadable page,
 * so that one byte read too far ends the test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "plan_fixture.h"

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

static int
decode_at_fence(const uint8_t *from, size_t len, struct fault *fault)
{
	memcpy(fence - len, from, len);
	return (plan_decode(&decoded, fence - len, len, fault));
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

static void
assert_refused(const uint8_t *from, size_t len)
{
	struct fault fault = {0};

	assert_int_equal(decode_at_fence(from, len, &fault), -1);
	assert_int_equal(fault.control, CTL_NONE);
	assert_int_equal(fault.step, STEP_PLAN_DECODE);
	assert_int_equal(fault.err, EBADMSG);
	assert_int_equal(fault.class, FAULT_OURS);
	assert_int_equal(decoded.controls, 0);
	assert_null(decoded.argv[0]);
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
	struct fault fault;
	size_t len = encode_fixture();

	(void)state;
	assert_int_equal(decode_at_fence(bytes, len, &fault), 0);
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
	struct fault fault;
	long len;

	(void)state;
	plan_fixture(&plan);
	memset(&plan.wall_ms, 0, sizeof(plan.wall_ms));
	for (size_t off = offsetof(struct plan, wall_ms);
	     off < offsetof(struct plan, entry_count); off++)
		((uint8_t *)&plan)[off] = (uint8_t)off;
	plan.network_host = true;
	plan.landlock_abi_min = 7;
	plan.entries[3].flags = ENTRY_WRITABLE;
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_true(len > 0);
	assert_int_equal(decode_at_fence(bytes, (size_t)len, &fault), 0);
	assert_memory_equal(&plan, &decoded, offsetof(struct plan, entries));
	assert_same_entry(&plan.entries[3], &decoded.entries[3]);
	assert_int_equal(plan_encode(&decoded, again, sizeof(again)), len);
	assert_memory_equal(bytes, again, (size_t)len);
}

static void
lists_can_be_full(void **state)
{
	struct fault fault;
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
	assert_int_equal(decode_at_fence(bytes, (size_t)len, &fault), 0);
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
	struct fault fault;
	size_t len = encode_fixture();
	unsigned int values = 0;
	unsigned int refusals = 0;

	(void)state;
	for (size_t bit = 0; bit < len * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		if (decode_at_fence(bytes, len, &fault) == 0) {
			assert_int_equal(plan_encode(&decoded, again,
					     sizeof(again)),
			    len);
			assert_memory_equal(again, bytes, len);
			(void)plan_check(&decoded, &fault);
			values++;
		} else {
			assert_refused(bytes, len);
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
	struct fault fault;
	uint8_t saved[4];

	(void)state;
	for (size_t at = 0; at + 4 <= len; at++) {
		for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
			memcpy(saved, bytes + at, 4);
			memcpy(bytes + at, &huge[i], 4);
			(void)decode_at_fence(bytes, len, &fault);
			memcpy(bytes + at, saved, 4);
		}
	}
}

/*
 * Puts one more element into the list of that count, which is full.  The
 * count on the wire is where plans with one element less first differ.
 */
static void
assert_no_room_for(uint32_t *count, const void *element, size_t size)
{
	uint32_t more = *count + 1;
	struct fault fault;
	size_t at = 0;
	long len = plan_encode(&plan, bytes, sizeof(bytes));

	assert_true(len > 0);
	assert_int_equal(decode_at_fence(bytes, (size_t)len, &fault), 0);
	(*count)--;
	assert_true(plan_encode(&plan, again, sizeof(again)) > 0);
	while (bytes[at] == again[at])
		at++;
	assert_memory_equal(bytes + at, &(uint32_t){more - 1}, sizeof(more));
	memcpy(bytes + at, &more, sizeof(more));
	at += sizeof(more);
	memmove(bytes + at + size, bytes + at, (size_t)len - at);
	memcpy(bytes + at, element, size);
	assert_refused(bytes, (size_t)len + size);
}

/* The element that is one too many is good itself. */
static void
lists_cannot_be_fuller(void **state)
{
	static const struct sock_filter insn = {0, 0, 0, 0};
	static const uint8_t string[5] = {0};
	/* kind, flags, mode, path, source, content, dev, ino */
	static const uint8_t entry[1 + 1 + 2 + 5 + 5 + 4 + 8 + 8] = {0};

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

static void
unknown_bits_and_kinds_are_refused(void **state)
{
	long len;

	(void)state;
	plan_fixture(&plan);
	plan.controls |= CONTROL_BIT(CTL__MAX);
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_refused(bytes, (size_t)len);

	plan_fixture(&plan);
	plan.entries[0].kind = ENTRY__MAX;
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_refused(bytes, (size_t)len);

	plan_fixture(&plan);
	plan.entries[3].flags = ENTRY_WRITABLE << 1;
	len = plan_encode(&plan, bytes, sizeof(bytes));
	assert_refused(bytes, (size_t)len);

	/* has_program follows the 8 bytes of controls. */
	len = (long)encode_fixture();
	assert_int_equal(bytes[8], 1);
	bytes[8] = 2;
	assert_refused(bytes, (size_t)len);
}

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_was_encoded_is_decoded),
	    cmocka_unit_test(no_member_is_left_out),
	    cmocka_unit_test(lists_can_be_full),
	    cmocka_unit_test(every_truncation_is_refused),
	    cmocka_unit_test(what_follows_the_end_is_refused),
	    cmocka_unit_test(every_flipped_bit_is_a_value_or_refused),
	    cmocka_unit_test(huge_counts_are_refused_or_harmless),
	    cmocka_unit_test(lists_cannot_be_fuller),
	    cmocka_unit_test(unknown_bits_and_kinds_are_refused),
	    cmocka_unit_test(a_nul_inside_a_string_is_refused),
	};

	return (cmocka_run_group_tests(tests, make_fence, NULL));
}
