/* kept.c: head and tail, their cut, and the encoding. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "streams.h"

static const struct row {
	uint64_t limit;
	const char *in;
	size_t len;
	const char *text;
	const char *encoding;
	uint64_t bytes;
	bool is_truncated;
} rows[] = {
    {8, "", 0, "", "utf-8", 0, false},
    {8, "12345678", 8, "12345678", "utf-8", 8, false},
    {8, "123456789", 9, "12345689", "utf-8", 8, true},
    {8, "abcdefghijklmnopqrstuvwxyz", 26, "abcdefyz", "utf-8", 8, true},
    {1, "ab", 2, "a", "utf-8", 1, true},
    {3, "abcdef", 6, "abc", "utf-8", 3, true},
    {4, "abcdef", 6, "abcf", "utf-8", 4, true},
    /* a character over the cut of the head, then over that of the tail */
    {8, "abcde\xc3\xa9zzzyz", 12, "abcdeyz", "utf-8", 7, true},
    {8, "abcdefzzzz\xc3\xa9", 12, "abcdef\xc3\xa9", "utf-8", 8, true},
    {8, "abcdefzzz\xc3\xa9y", 12, "abcdefy", "utf-8", 7, true},
    {16, "abcdefghij\xf0\x9f\x98\x80zz\xf0\x9f\x98\x80y", 21, "abcdefghijy",
	"utf-8", 11, true},
    /* not cut: a character goes from head to tail */
    {8, "abcde\xc3\xa9y", 8, "abcde\xc3\xa9y", "utf-8", 8, false},
    /* not text: the bytes as they were kept */
    {8, "a\0b", 3, "YQBi", "base64", 3, false},
    {8, "\xff", 1, "/w==", "base64", 1, false},
    {8, "\xff\xfe", 2, "//4=", "base64", 2, false},
    {8, "ab\xc3", 3, "YWLD", "base64", 3, false},
    {8,
	"\xff"
	"bcde\xc3\xa9zzzzyz",
	13, "/2JjZGXDeXo=", "base64", 8, true},
    /* more continuation bytes than a cut character can leave */
    {16, "abcdefghijkl.....\x80\x80\x80\x80", 21,
	"YWJjZGVmZ2hpamtsgICAgA==", "base64", 16, true},
};

static void
check(const struct row *r, size_t piece)
{
	struct kept *k = kept_new(r->limit);
	const char *encoding = NULL;
	uint64_t bytes = 0;
	bool is_truncated = false;

	assert_non_null(k);
	for (size_t i = 0; i < r->len; i += piece) {
		size_t n = r->len - i < piece ? r->len - i : piece;
		assert_int_equal(kept_add(k, r->in + i, n), 0);
	}
	char *text = kept_text(k, &encoding, &bytes, &is_truncated);
	assert_non_null(text);
	assert_string_equal(text, r->text);
	assert_string_equal(encoding, r->encoding);
	assert_int_equal(bytes, r->bytes);
	assert_int_equal(is_truncated, r->is_truncated);
	free(text);
	kept_free(k);
}

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t piece = 1; piece < 30; piece++)
			check(&rows[i], piece);
}

/* Against a plain model, for many sizes. */
static void
test_model(void **state)
{
	char in[5000], want[5000];

	(void)state;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (char)('!' + i % 90);
	for (size_t limit = 1; limit < sizeof(in); limit += 37) {
		size_t tail = limit / 4, head = limit - tail;
		struct row r = {.limit = limit,
		    .in = in,
		    .len = sizeof(in),
		    .text = want,
		    .encoding = "utf-8",
		    .bytes = limit,
		    .is_truncated = true};
		memcpy(want, in, head);
		memcpy(want + head, in + sizeof(in) - tail, tail);
		want[limit] = '\0';
		check(&r, 1 + limit % 977);
	}
}

/* A limit is a promise, not an allocation. */
static void
test_large_limit(void **state)
{
	struct row r = {UINT64_MAX, "x", 1, "x", "utf-8", 1, false};

	(void)state;
	check(&r, 1);
	r.limit = 1ULL << 40;
	check(&r, 1);
	kept_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_model),
	    cmocka_unit_test(test_large_limit),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
