/* visible.c: what a terminal gets to see, in one piece and byte by byte. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "streams.h"

/* Ends the string before a digit that a hex escape would swallow. */
static const struct row {
	const char *in;
	const char *out;
} rows[] = {
    /* passes */
    {"plain ~\n\ttext\n", "plain ~\n\ttext\n"},
    {"h\xc3\xa9 \xe4\xb8\x96 \xf0\x9f\x98\x80",
	"h\xc3\xa9 \xe4\xb8\x96 "
	"\xf0\x9f\x98\x80"},
    {"e\xcc\x81 \xe2\x9d\xa4\xef\xb8\x8f",
	"e\xcc\x81 \xe2\x9d\xa4"
	"\xef\xb8\x8f"},
    {"\033[31mred\033[0m", "\033[31mred\033[0m"},
    {"\033[1;38:5;9mx\033[m", "\033[1;38:5;9mx\033[m"},
    {"back\\slash", "back\\slash"},
    /* colour left on is put off at the end; 38;5;0 is a colour */
    {"\033[31mred", "\033[31mred\033[0m"},
    {"\033[38;5;0mx", "\033[38;5;0mx\033[0m"},
    {"\033[31m\033[00mx", "\033[31m\033[00mx"},
    /* other sequences */
    {"\033[2J", "\\x1b[2J"},
    {"\033[?25l", "\\x1b[?25l"},
    {"\033[3 m", "\\x1b[3 m"},
    {"\033]0;title\a", "\\x1b]0;title\\x07"},
    {"\033]52;c;aGk=\033\\", "\\x1b]52;c;aGk=\\x1b\\"},
    {"\033P$q\033\\", "\\x1bP$q\\x1b\\"},
    {"\033c",
	"\\x1b"
	"c"},
    {"\033\033[31mx\033[m", "\\x1b\033[31mx\033[m"},
    {"\033[3\033[31mx\033[m", "\\x1b[3\033[31mx\033[m"},
    {"\033[31\xc3\xa9", "\\x1b[31\xc3\xa9"},
    {"\033[31\nm", "\\x1b[31\nm"},
    {"\033", "\\x1b"},
    {"\033[", "\\x1b["},
    {"\033[31", "\\x1b[31"},
    {"\033[0000000000000000000000000000000000000000000m",
	"\\x1b[0000000000000000000000000000000000000000000m"},
    /* other controls */
    {"a\rb\bc\177", "a\\x0db\\x08c\\x7f"},
    {"a\r\n", "a\\x0d\n"},
    {"\x01\x0b\x0c\x1f", "\\x01\\x0b\\x0c\\x1f"},
    {"\xc2\x9b"
     "31m",
	"\\u009b31m"},
    {"\xc2\x85\xc2\x80\xc2\x9f\xc2\xa0", "\\u0085\\u0080\\u009f\xc2\xa0"},
    /* order and invisibility */
    {"\xe2\x80\xae"
     "abc\xe2\x80\xac",
	"\\u202eabc\\u202c"},
    {"\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c", "\\u2066\\u2069\\u061c"},
    {"a\xe2\x80\x8b"
     "b\xe2\x80\x8f",
	"a\\u200bb\\u200f"},
    {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
    {"\xef\xbb\xbf"
     "a\xc2\xad",
	"\\ufeffa\\u00ad"},
    {"\xf3\xa0\x80\x81", "\\U000e0001"},
    {"\xe2\x80\x8a\xe2\x80\x90", "\xe2\x80\x8a\xe2\x80\x90"},
    /* not UTF-8 */
    {"\x9b"
     "31m",
	"\\x9b31m"},
    {"\xff\xfe", "\\xff\\xfe"},
    {"\xc3(", "\\xc3("},
    {"\xe2\x82", "\\xe2\\x82"},
    {"\xe2\x82\033[m", "\\xe2\\x82\033[m"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
    {"\xc0\x9b", "\\xc0\\x9b"},
    {"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
};

static void
check(const struct row *r, size_t piece)
{
	struct visible v = {.pending_len = 0};
	char out[1024];
	size_t len = strlen(r->in), n = 0;

	for (size_t i = 0; i < len; i += piece) {
		size_t some = len - i < piece ? len - i : piece;
		n += visible_write(&v, r->in + i, some, out + n, some * 12 + 64,
		    false);
	}
	n += visible_write(&v, NULL, 0, out + n, 64, true);
	out[n] = '\0';
	assert_string_equal(out, r->out);
	assert_int_equal(v.pending_len, 0);
}

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t piece = 1; piece < 8; piece++)
			check(&rows[i], piece);
}

static void
test_last_with_bytes(void **state)
{
	struct visible v = {.pending_len = 0};
	char out[128];
	size_t n = visible_write(&v, "\033[1mx\xc3", 6, out, sizeof(out), true);

	(void)state;
	assert_int_equal(n, 13);
	assert_memory_equal(out, "\033[1mx\\xc3\033[0m", 13);
}

/* Any bytes: what comes out is bounded, and no control but SGR is in it. */
static void
test_random_bytes(void **state)
{
	static const char likely[] = "\033[0;m\xe2\x80\xae";
	struct visible v = {.pending_len = 0};
	char in[64];
	char out[64 * 12 + 64];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof(in); i++) {
			seed = seed * 1664525 + 1013904223;
			in[i] = (char)(seed >> 24);
			if ((seed >> 16 & 7) == 0)
				in[i] =
				    likely[(seed >> 20) % (sizeof(likely) - 1)];
		}
		size_t n = visible_write(&v, in, sizeof(in), out, sizeof(out),
		    round % 3 == 0);
		for (size_t i = 0; i < n; i++) {
			unsigned char c = (unsigned char)out[i];
			if (c == '\033')
				assert_int_equal(out[i + 1], '[');
			else
				assert_true(c >= ' ' || c == '\n' || c == '\t');
			assert_int_not_equal(c, 0x7f);
		}
	}
}

static const struct row lines[] = {
    {"", ""},
    {"plain h\xc3\xa9", "plain h\xc3\xa9"},
    {"a\nb\tc\r", "a\\x0ab\\x09c\\x0d"},
    {"\033[31mred", "\\x1b[31mred"},
    {"\xe2\x80\xae\xff\xe2\x82", "\\u202e\\xff\\xe2\\x82"},
    {"\xf3\xa0\x80\x81\xc2\x80", "\\U000e0001\\u0080"},
};

static void
test_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *line = visible_line(lines[i].in);
		assert_non_null(line);
		assert_string_equal(line, lines[i].out);
		free(line);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_last_with_bytes),
	    cmocka_unit_test(test_random_bytes),
	    cmocka_unit_test(test_line),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
