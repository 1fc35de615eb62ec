/*
 * Where the ledger goes: the order of flag, variable, root and XDG, and that
 * nothing relative from XDG or HOME is believed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "statedir.h"

static int
clear_env(void **state)
{
	(void)state;
	return (unsetenv("AGSBX_STATE_DIR") | unsetenv("XDG_STATE_HOME") |
	    unsetenv("XDG_CONFIG_HOME") | unsetenv("HOME"));
}

static void
want(const char *flag, bool is_root, const char *expected)
{
	struct diag d = {0};
	char *dir = statedir_find(flag, is_root, &d);

	assert_non_null(dir);
	assert_string_equal(dir, expected);
	free(dir);
}

static void
test_order(void **state)
{
	(void)state;
	setenv("HOME", "/home/x", 1);
	want(NULL, false, "/home/x/.local/state/agsbx");
	setenv("XDG_STATE_HOME", "relative", 1);
	want(NULL, false, "/home/x/.local/state/agsbx");
	setenv("XDG_STATE_HOME", "", 1);
	want(NULL, false, "/home/x/.local/state/agsbx");
	setenv("XDG_STATE_HOME", "/xdg", 1);
	want(NULL, false, "/xdg/agsbx");
	want(NULL, true, STATEDIR_ROOT);
	setenv("AGSBX_STATE_DIR", "", 1);
	want(NULL, false, "/xdg/agsbx");
	setenv("AGSBX_STATE_DIR", "/env", 1);
	want(NULL, false, "/env");
	want(NULL, true, "/env");
	want("/flag", true, "/flag");
}

static void
test_relative_flag(void **state)
{
	char cwd[1024], expected[1100];

	(void)state;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	(void)snprintf(expected, sizeof(expected), "%s/here", cwd);
	want("here", false, expected);
}

static void
test_nowhere(void **state)
{
	struct diag d = {0};

	(void)state;
	assert_null(statedir_find(NULL, false, &d));
	assert_int_equal(d.code, DIAG_LEDGER);
	assert_non_null(strstr(d.message, "--state-dir"));
	d = (struct diag){0};
	assert_null(statedir_find("", false, &d));
	assert_int_equal(d.code, DIAG_USAGE);
}

static void
test_policy_file(void **state)
{
	struct diag d = {0};
	char *path;

	(void)state;
	assert_null(statedir_policy_file(&d));
	assert_int_equal(d.code, DIAG_NONE);
	setenv("HOME", "/home/x", 1);
	path = statedir_policy_file(&d);
	assert_string_equal(path, "/home/x/.config/agsbx/policy.conf");
	free(path);
	setenv("XDG_CONFIG_HOME", "/c", 1);
	path = statedir_policy_file(&d);
	assert_string_equal(path, "/c/agsbx/policy.conf");
	free(path);
}

static void
test_parents(void **state)
{
	char base[] = "/tmp/agsbx-statedir.XXXXXX", path[128];
	struct diag d = {0};
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(base));
	(void)snprintf(path, sizeof(path), "%s/a/b/state", base);
	assert_int_equal(statedir_make_parents(path, false, &d), 0);
	assert_int_equal(statedir_make_parents(path, false, &d), 0);
	assert_int_equal(stat(path, &st), -1);
	(void)snprintf(path, sizeof(path), "%s/a/b", base);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(rmdir(path), 0);
	(void)snprintf(path, sizeof(path), "%s/a", base);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(base), 0);
	/* A parent that can not be made, even by root. */
	assert_int_equal(statedir_make_parents("/proc/nope/state", false, &d),
	    -1);
	assert_int_equal(d.code, DIAG_LEDGER);
	assert_non_null(strstr(d.message, "cannot make /proc/nope"));
}

static void
test_too_long(void **state)
{
	struct diag d = {0};
	char path[2560];

	(void)state;
	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(statedir_make_parents(path, false, &d), -1);
	assert_non_null(strstr(d.message, "path too long"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_order, clear_env),
	    cmocka_unit_test_setup(test_relative_flag, clear_env),
	    cmocka_unit_test_setup(test_nowhere, clear_env),
	    cmocka_unit_test_setup(test_policy_file, clear_env),
	    cmocka_unit_test(test_parents),
	    cmocka_unit_test(test_too_long),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
