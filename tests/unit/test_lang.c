/* lang.c: names, suffixes and first bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "lang.h"

static void
test_names(void **state)
{
	static const char *const names[] = {"python", "node", "bash", "sh",
	    "perl", "ruby"};
	struct diag d = {.code = DIAG_NONE};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct lang *l = lang_by_name(names[i], &d);
		assert_non_null(l);
		assert_string_equal(l->name, names[i]);
	}
	assert_int_equal(d.code, DIAG_NONE);
	assert_string_equal(lang_default()->name, "python");
}

static void
test_unknown_names(void **state)
{
	static const char *const names[] = {"", "Python", "python3", "pyth",
	    "cobol"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct diag d = {.code = DIAG_NONE};
		assert_null(lang_by_name(names[i], &d));
		assert_int_equal(d.code, DIAG_USAGE);
		assert_non_null(strstr(d.message,
		    "(known: python, node, bash, sh, perl, ruby)"));
	}
}

static const struct {
	const char *file;
	const char *name; /* NULL: none */
} suffixes[] = {
    {"x.py", "python"},
    {"x.PY", "python"},
    {"a.b/x.tar.py", "python"},
    {"x.js", "node"},
    {"x.mjs", "node"},
    {"x.cjs", "node"},
    {"x.bash", "bash"},
    {"x.sh", "bash"},
    {"x.dash", "sh"},
    {"x.pl", "perl"},
    {"x.rb", "ruby"},
    {".py", "python"},
    {"x", NULL},
    {"x.", NULL},
    {"x.p", NULL},
    {"x.pyx", NULL},
    {"x.py ", NULL},
    {"x.py/x", NULL},
    {"", NULL},
};

static void
test_suffixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const struct lang *l = lang_by_suffix(suffixes[i].file);
		const char *name = l != NULL ? l->name : "(none)";
		const char *want = suffixes[i].name;
		assert_string_equal(name, want != NULL ? want : "(none)");
	}
}

static void
test_file_name(void **state)
{
	char buf[16];

	(void)state;
	assert_int_equal(lang_file_name(lang_default(), "code", buf,
			     sizeof(buf)),
	    0);
	assert_string_equal(buf, "code.py");
	assert_int_equal(lang_file_name(lang_default(), "code", buf, 7), -1);
	assert_int_equal(lang_file_name(lang_default(), "code", buf, 8), 0);
}

static const struct {
	const char *head;
	enum lang_exec how;
	const char *message; /* part of it, for EXEC_BAD */
} heads[] = {
    {"\177ELF\2\1\1", EXEC_FILE, NULL},
    {"\177EL", EXEC_NONE, NULL},
    {"", EXEC_NONE, NULL},
    {"#", EXEC_NONE, NULL},
    {"print(1)", EXEC_NONE, NULL},
    {"# !/bin/sh", EXEC_NONE, NULL},
    {"\n#!/bin/sh", EXEC_NONE, NULL},
    {"#!/bin/sh\n", EXEC_FILE, NULL},
    {"#!/bin/sh", EXEC_FILE, NULL},
    {"#! \t/usr/bin/env python3\n", EXEC_FILE, NULL},
    {"#!/usr/bin/env -S python3 -u\r\n", EXEC_FILE, NULL},
    {"#!/bin/sh\r\n", EXEC_BAD, "carriage return"},
    {"#!\n", EXEC_BAD, "no absolute path"},
    {"#!", EXEC_BAD, "no absolute path"},
    {"#!   \n", EXEC_BAD, "no absolute path"},
    {"#!python3\n", EXEC_BAD, "no absolute path"},
    {"#!../sh\n", EXEC_BAD, "no absolute path"},
    {"#!/proc/self/exe\n", EXEC_BAD, "/proc"},
    {"#!//proc/self/exe\n", EXEC_BAD, "/proc"},
    {"#!/./proc/1/exe\n", EXEC_BAD, "/proc"},
    {"#!/usr/../proc/self/exe\n", EXEC_BAD, "/proc"},
    {"#!/usr/bin/../bin/sh\n", EXEC_BAD, "\"..\""},
};

static void
test_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct diag d = {.code = DIAG_NONE};
		enum lang_exec how = lang_exec_by_head(heads[i].head,
		    strlen(heads[i].head), "my prog", &d);
		if (how != heads[i].how)
			fail_msg("head %zu: %d", i, (int)how);
		if (how != EXEC_BAD)
			continue;
		assert_int_equal(d.code, DIAG_COMMAND);
		assert_non_null(strstr(d.message, "my prog: its #! line"));
		assert_non_null(strstr(d.message, heads[i].message));
	}
}

/* A name that goes on past what the kernel looks at, and one that ends. */
static void
test_long_head(void **state)
{
	char head[LANG_HEAD_SIZE];
	struct diag d = {.code = DIAG_NONE};

	(void)state;
	memset(head, 'x', sizeof(head));
	head[0] = '#';
	head[1] = '!';
	head[2] = '/';
	assert_int_equal(lang_exec_by_head(head, sizeof(head), "f", &d),
	    EXEC_BAD);
	assert_non_null(strstr(d.message, "too long"));
	head[sizeof(head) - 1] = '\n';
	assert_int_equal(lang_exec_by_head(head, sizeof(head), "f", &d),
	    EXEC_FILE);
	head[sizeof(head) - 1] = 'x';
	assert_int_equal(lang_exec_by_head(head, sizeof(head) - 1, "f", &d),
	    EXEC_FILE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_unknown_names),
	    cmocka_unit_test(test_suffixes),
	    cmocka_unit_test(test_file_name),
	    cmocka_unit_test(test_heads),
	    cmocka_unit_test(test_long_head),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
