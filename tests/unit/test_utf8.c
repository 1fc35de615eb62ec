/* utf8.c: the edges of every range of table 3-7, and every 2-byte prefix. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "utf8.h"

static const struct row {
	const char *bytes;
	int len; /* what utf8_decode() returns */
	uint32_t cp;
} rows[] = {
    {"a", 1, 'a'},
    {"\x7f", 1, 0x7f},
    {"\xc2\x80", 2, 0x80},
    {"\xdf\xbf", 2, 0x7ff},
    {"\xe0\xa0\x80", 3, 0x800},
    {"\xed\x9f\xbf", 3, 0xd7ff},
    {"\xee\x80\x80", 3, 0xe000},
    {"\xef\xbf\xbf", 3, 0xffff},
    {"\xf0\x90\x80\x80", 4, 0x10000},
    {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
    /* more after the character is not looked at */
    {"\xc3\xa9\xff", 2, 0xe9},
    /* unfinished */
    {"\xc2", 0, 0},
    {"\xe0\xa0", 0, 0},
    {"\xf0\x90\x80", 0, 0},
    /* not UTF-8: continuation, overlong, surrogate, too large, cut */
    {"\x80", -1, 0},
    {"\xbf", -1, 0},
    {"\xc0\x80", -1, 0},
    {"\xc1\xbf", -1, 0},
    {"\xe0\x9f\xbf", -1, 0},
    {"\xed\xa0\x80", -1, 0},
    {"\xf0\x8f\xbf\xbf", -1, 0},
    {"\xf4\x90\x80\x80", -1, 0},
    {"\xf5\x80\x80\x80", -1, 0},
    {"\xff", -1, 0},
    {"\xc3(", -1, 0},
    {"\xe2\x82(", -1, 0},
    {"\xed\xa0", -1, 0},
};

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const unsigned char *s = (const unsigned char *)rows[i].bytes;
		uint32_t cp = 0;
		int n = utf8_decode(s, strlen(rows[i].bytes), &cp);
		if (n != rows[i].len || cp != rows[i].cp)
			fail_msg("row %zu: %d U+%04x", i, n, cp);
	}
}

/* Encodes by arithmetic, decodes by the table: every code point. */
static void
test_every_code_point(void **state)
{
	(void)state;
	for (uint32_t cp = 0x80; cp <= 0x10ffff; cp++) {
		unsigned char s[4];
		size_t len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
		uint32_t rest = cp, got = 0;
		for (size_t i = len - 1; i > 0; i--) {
			s[i] = (unsigned char)(0x80 | (rest & 0x3f));
			rest >>= 6;
		}
		s[0] = (unsigned char)((0xf00U >> len & 0xff) | rest);
		int n = utf8_decode(s, len, &got);
		if (cp >= 0xd800 && cp <= 0xdfff)
			assert_int_equal(n, -1);
		else if (n != (int)len || got != cp)
			fail_msg("U+%04x: %d U+%04x", cp, n, got);
	}
}

static void
test_is_text(void **state)
{
	const unsigned char with_nul[] = {'a', 0, 'b'};
	const unsigned char cut[] = {'a', 0xc3};

	(void)state;
	assert_true(utf8_is_text((const unsigned char *)"", 0));
	assert_true(utf8_is_text((const unsigned char *)"h\xc3\xa9", 3));
	assert_false(utf8_is_text(with_nul, sizeof(with_nul)));
	assert_false(utf8_is_text(cut, sizeof(cut)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_every_code_point),
	    cmocka_unit_test(test_is_text),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
