/* test_finish_env.c - the variables of a job: allowed, refused, built in. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_fixture.h"
#include "policy_int.h"

static const struct {
	const char *value;
	const char *message;
} bad[] = {
    {"LD_PRELOAD=/x.so",
	"--flag: LD_PRELOAD is never passed: it makes a loader load "
	"libraries from elsewhere"},
    {"BASH_ENV=x",
	"--flag: BASH_ENV is never passed: it makes a shell run code first, "
	"or read its commands otherwise"},
    {"NODE_OPTIONS",
	"--flag: NODE_OPTIONS is never passed: it makes an interpreter run "
	"code besides the program"},
    {"PYTHONPATH=/x",
	"--flag: PYTHONPATH is never passed: it makes an interpreter load "
	"modules from elsewhere"},
    {"AGSBX_UNIT_UNSET",
	"--flag: AGSBX_UNIT_UNSET is not set in the environment of agsbx"},
    {"HOME",
	"--flag: the caller's HOME does not exist in the job; give "
	"HOME=VALUE"},
    {"TMPDIR",
	"--flag: the caller's TMPDIR does not exist in the job; give "
	"TMPDIR=VALUE"},
    {"", "--flag: \"\" is not the name of a variable"},
    {"=x", "--flag: \"\" is not the name of a variable"},
    {"1A=x", "--flag: \"1A\" is not the name of a variable"},
    {"A-B=x", "--flag: \"A-B\" is not the name of a variable"},
    {"A B=x", "--flag: \"A B\" is not the name of a variable"},
    {"A\nB=x", "--flag: \"A\\012B\" is not the name of a variable"},
};

static void
bad_variables_say_why(void **state)
{
	struct fixture *f = *state;
	size_t i;

	assert_int_equal(unsetenv("AGSBX_UNIT_UNSET"), 0);
	for (i = 0; i < COUNT(bad); i++) {
		fixture_new_policy(f);
		assert_int_equal(fixture_set(f, "env", "allow", bad[i].value),
		    0);
		assert_int_equal(policy_finish(f->policy, &f->diag), -1);
		assert_string_equal(f->diag.message, bad[i].message);
		assert_int_equal(f->diag.code, DIAG_USAGE);
	}
}

static void
a_file_is_named_as_well(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_load(f, "p", "[env]\nallow = LD_X=1\n"), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f,
		"@/p:2: LD_X is never passed: it makes a loader "
		"load libraries from elsewhere"));
	assert_int_equal(f->diag.code, DIAG_POLICY);
}

/* The value of name in the environment of the job, or NULL. */
static const char *
job_env(const struct fixture *f, const char *name)
{
	const struct policy_view *v = f->policy->view;
	size_t len = strlen(name);
	const char *found = NULL;
	uint32_t i;

	for (i = 0; i < v->env_count; i++) {
		if (strncmp(v->env[i], name, len) != 0 || v->env[i][len] != '=')
			continue;
		assert_null(found); /* never twice */
		found = v->env[i] + len + 1;
	}
	return (found);
}

static void
every_job_has_five(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(setenv("TERM", "xterm-256color", 1), 0);
	assert_int_equal(setenv("AGSBX_UNIT", "secret", 1), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), 0);
	assert_int_equal(f->policy->view->env_count, 5);
	assert_string_equal(job_env(f, "PATH"), "/usr/local/bin:/usr/bin:/bin");
	assert_string_equal(job_env(f, "HOME"), "/work");
	assert_string_equal(job_env(f, "LANG"), "C.UTF-8");
	assert_string_equal(job_env(f, "TERM"), "xterm-256color");
	assert_string_equal(job_env(f, "TMPDIR"), "/tmp");
	assert_null(job_env(f, "AGSBX_UNIT"));
}

static const char long_term[] =
    "0123456789012345678901234567890123456789012345678901234567890123456789";

static void
a_strange_terminal_is_dumb(void **state)
{
	static const char *const terms[] = {"", "a b", "../x", "x\033[m",
	    long_term};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i <= COUNT(terms); i++) {
		fixture_new_policy(f);
		if (i < COUNT(terms))
			assert_int_equal(setenv("TERM", terms[i], 1), 0);
		else
			assert_int_equal(unsetenv("TERM"), 0);
		assert_int_equal(policy_finish(f->policy, &f->diag), 0);
		assert_string_equal(job_env(f, "TERM"), "dumb");
	}
}

static void
given_variables_are_passed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(setenv("AGSBX_UNIT", "a=b\nc", 1), 0);
	assert_int_equal(fixture_set(f, "env", "allow", "AGSBX_UNIT"), 0);
	assert_int_equal(fixture_set(f, "env", "allow", "EMPTY="), 0);
	assert_int_equal(fixture_set(f, "env", "allow", "HOME=/data"), 0);
	assert_int_equal(fixture_set(f, "env", "allow", "PATH=/bin"), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), 0);
	assert_int_equal(f->policy->view->env_count, 7);
	assert_string_equal(job_env(f, "AGSBX_UNIT"), "a=b\nc");
	assert_string_equal(job_env(f, "EMPTY"), "");
	assert_string_equal(job_env(f, "HOME"), "/data");
	assert_string_equal(job_env(f, "PATH"), "/bin");
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(bad_variables_say_why),
	    ROW(a_file_is_named_as_well),
	    ROW(every_job_has_five),
	    ROW(a_strange_terminal_is_dumb),
	    ROW(given_variables_are_passed),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
