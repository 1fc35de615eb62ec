/*
 * test_bpf_tree.c - the filter compiler refuses tables that contradict
 * themselves, and merges what gets the same answer.  What it makes of the real
 * tables is proven by test_filter.c.  The compiler is a part of the generator
 * and in no library, so its source is included.
 */
#include "../../policy/bpf_tree.c" /* first: cmocka defines fail() */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bpf_interp.h"

#define YES SECCOMP_RET_ALLOW
#define NO (SECCOMP_RET_ERRNO | 1U)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct bpf_program program;

static const char *
compile(struct call_rule *calls, size_t count)
{
	const char *error = NULL;
	int rc = bpf_tree_compile(&program, AUDIT_ARCH_X86_64, NO, calls, count,
	    &error);

	assert_true((rc == -1) == (error != NULL));
	return (error);
}

static uint32_t
answer(int nr, uint64_t a0, uint64_t a1)
{
	const struct seccomp_data d = {.nr = nr,
	    .arch = AUDIT_ARCH_X86_64,
	    .args = {a0, a1}};
	struct bpf_run r = bpf_interpret(program.insns, program.len, &d);

	assert_true(r.is_valid);
	return (r.answer);
}

static const char *
compile_rows(struct arg_row *rows, size_t count)
{
	struct call_rule call = {5, YES, NO, rows, count};

	return (compile(&call, 1));
}

static void
no_call_at_all(void **state)
{
	struct call_rule none[1];

	(void)state;
	assert_null(compile(none, 0));
	assert_int_equal(answer(0, 0, 0), NO);
	assert_int_equal(answer(4096, 0, 0), NO);
}

static void
ranges_are_merged(void **state)
{
	static struct call_rule calls[200];
	uint32_t alone;
	uint32_t i;

	(void)state;
	calls[0] = (struct call_rule){100, YES, YES, NULL, 0};
	assert_null(compile(calls, 1));
	alone = program.len;
	for (i = 0; i < COUNT(calls); i++) /* not sorted */
		calls[i] =
		    (struct call_rule){100 + i * 7 % 200, YES, YES, NULL, 0};
	assert_null(compile(calls, COUNT(calls)));
	assert_int_equal(program.len, alone);
	assert_int_equal(answer(99, 0, 0), NO);
	for (i = 100; i < 300; i++)
		assert_int_equal(answer((int)i, 0, 0), YES);
	assert_int_equal(answer(300, 0, 0), NO);
}

static void
values_at_the_ends_work(void **state)
{
	struct arg_row rows[] = {
	    {.count = 1, .tests = {{0, UINT32_MAX, UINT32_MAX}}},
	    {.count = 1, .tests = {{0, UINT32_MAX, 0}}},
	    {.count = 1, .tests = {{0, UINT32_MAX, 1}}},
	};

	(void)state;
	assert_null(compile_rows(rows, COUNT(rows)));
	assert_int_equal(answer(5, 0, 0), YES);
	assert_int_equal(answer(5, 1, 0), YES);
	assert_int_equal(answer(5, 2, 0), NO);
	assert_int_equal(answer(5, UINT32_MAX - 1, 0), NO);
	assert_int_equal(answer(5, UINT32_MAX, 0), YES);
	assert_int_equal(answer(5, UINT64_MAX, 0), YES);
	assert_int_equal(answer(5, 1ULL << 32 | 2, 0), NO);
}

static void
second_arguments_belong_to_their_first(void **state)
{
	struct arg_row rows[] = {
	    {.count = 2, .tests = {{0, UINT32_MAX, 1}, {1, UINT32_MAX, 10}}},
	    {.count = 2, .tests = {{0, UINT32_MAX, 2}, {1, 0xf, 3}}},
	    {.count = 1, .tests = {{0, UINT32_MAX, 3}}},
	};

	(void)state;
	assert_null(compile_rows(rows, COUNT(rows)));
	assert_int_equal(answer(5, 1, 10), YES);
	assert_int_equal(answer(5, 1, 3), NO);
	assert_int_equal(answer(5, 2, 10), NO);
	assert_int_equal(answer(5, 2, 0xff3), YES);
	assert_int_equal(answer(5, 3, 77), YES);
	assert_int_equal(answer(5, 4, 10), NO);
}

static void
contradictions_are_refused(void **state)
{
	struct call_rule twice[] = {{5, YES, NO, NULL, 0},
	    {5, YES, YES, NULL, 0}};
	struct call_rule large = {X32_BIT, YES, NO, NULL, 0};
	struct arg_row equal[] = {{.count = 1, .tests = {{0, UINT32_MAX, 1}}},
	    {.count = 1, .tests = {{0, UINT32_MAX, 1}}}};
	struct arg_row covered[] = {{.count = 1, .tests = {{0, UINT32_MAX, 1}}},
	    {.count = 2, .tests = {{0, UINT32_MAX, 1}, {1, UINT32_MAX, 2}}}};
	struct arg_row args[] = {{.count = 1, .tests = {{0, UINT32_MAX, 1}}},
	    {.count = 1, .tests = {{1, UINT32_MAX, 2}}}};
	struct arg_row masks[] = {{.count = 1, .tests = {{0, UINT32_MAX, 1}}},
	    {.count = 1, .tests = {{0, 0xf, 2}}}};

	(void)state;
	assert_string_equal(compile(twice, 2), "a call is listed twice");
	assert_string_equal(compile(&large, 1), "a number is out of range");
	assert_string_equal(compile_rows(equal, 2), "two rows are equal");
	assert_string_equal(compile_rows(covered, 2),
	    "a row is covered by a shorter one");
	assert_string_equal(compile_rows(args, 2),
	    "rows of one call test different arguments");
	assert_string_equal(compile_rows(masks, 2),
	    "rows of one call test different arguments");
}

static void
too_large_a_table_is_refused(void **state)
{
	static struct call_rule calls[BPF_TREE_CALLS];
	uint32_t i;

	(void)state;
	for (i = 0; i < COUNT(calls); i++)
		calls[i] = (struct call_rule){2 * i, YES, YES, NULL, 0};
	assert_string_equal(compile(calls, COUNT(calls)), "too many ranges");
	assert_string_equal(compile(calls, COUNT(calls) / 2),
	    "a jump is too long");
	assert_null(compile(calls, 100));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_call_at_all),
	    cmocka_unit_test(ranges_are_merged),
	    cmocka_unit_test(values_at_the_ends_work),
	    cmocka_unit_test(second_arguments_belong_to_their_first),
	    cmocka_unit_test(contradictions_are_refused),
	    cmocka_unit_test(too_large_a_table_is_refused),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
