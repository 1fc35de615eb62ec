/* test_diag.c - messages are one printable line, whatever they quote. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "diag.h"

static void
a_message_is_filled(void **state)
{
	struct diag d = {0};

	(void)state;
	assert_int_equal(diag_set(&d, DIAG_USAGE, "%s: %d", "--wall", 7), -1);
	assert_int_equal(d.code, DIAG_USAGE);
	assert_string_equal(d.message, "--wall: 7");
	assert_string_equal(d.file, "");
	assert_int_equal(d.line, 0);
}

static void
file_and_line_stand_in_front(void **state)
{
	struct diag d = {0};

	(void)state;
	assert_int_equal(diag_at(&d, DIAG_POLICY, "/etc/p.conf", 12, "no %s",
			     "key"),
	    -1);
	assert_string_equal(d.message, "/etc/p.conf:12: no key");
	assert_string_equal(d.file, "/etc/p.conf");
	assert_int_equal(d.line, 12);
	/* the file may be the one it holds already */
	assert_int_equal(diag_at(&d, DIAG_POLICY, d.file, 13, "again"), -1);
	assert_string_equal(d.message, "/etc/p.conf:13: again");
	assert_int_equal(diag_at(&d, DIAG_LEDGER, "/x", 0, "whole"), -1);
	assert_string_equal(d.message, "/x: whole");
	assert_int_equal(diag_set(&d, DIAG_USAGE, "none"), -1);
	assert_string_equal(d.file, "");
	assert_int_equal(d.line, 0);
}

static void
what_is_not_printable_is_shown(void **state)
{
	struct diag d = {0};

	(void)state;
	(void)diag_set(&d, DIAG_USAGE, "%s", "a\x1b[2Jb\nc\td\x7f");
	assert_string_equal(d.message, "a^[[2Jb\\012c\\011d^?");
	(void)diag_at(&d, DIAG_POLICY, "x\ny", 1, "z");
	assert_string_equal(d.message, "x\\012y:1: z");
}

static void
a_long_message_is_cut(void **state)
{
	struct diag d = {0};
	static char text[4096];

	(void)state;
	memset(text, '\x01', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)diag_set(&d, DIAG_USAGE, "%s", text);
	assert_int_equal(strlen(d.message), sizeof(d.message) - 1);
	(void)diag_at(&d, DIAG_USAGE, text, 1, "%s", text);
	assert_int_equal(strlen(d.message), sizeof(d.message) - 1);
	assert_int_equal(strlen(d.file), sizeof(d.file) - 1);
}

static void
codes_have_names(void **state)
{
	static const char *const names[DIAG__MAX] = {"none", "usage", "policy",
	    "command", "ledger", "quota", "refused", "internal"};
	unsigned int i;

	(void)state;
	for (i = 0; i < DIAG__MAX; i++)
		assert_string_equal(diag_code_name((enum diag_code)i),
		    names[i]);
	assert_string_equal(diag_code_name((enum diag_code)99), "internal");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_message_is_filled),
	    cmocka_unit_test(file_and_line_stand_in_front),
	    cmocka_unit_test(what_is_not_printable_is_shown),
	    cmocka_unit_test(a_long_message_is_cut),
	    cmocka_unit_test(codes_have_names),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
