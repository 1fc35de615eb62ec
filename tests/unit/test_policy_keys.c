/* test_policy_keys.c - keys whose setting has more to it than a number. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_fixture.h"

static void
a_cgroup_can_be_named(void **state)
{
	struct fixture *f = *state;
	struct policy *p = f->policy;

	assert_null(p->cgroup_path);
	assert_false(p->no_systemd);
	assert_int_equal(fixture_set(f, "cgroup", "path", "/a"), 0);
	assert_int_equal(fixture_set(f, "cgroup", "path", "/a/b"), 0);
	assert_int_equal(fixture_set(f, "cgroup", "systemd", "no"), 0);
	assert_string_equal(p->cgroup_path, "/a/b");
	assert_string_equal(p->cgroup_origin.flag, "--flag");
	assert_true(p->no_systemd);
	assert_int_equal(fixture_set(f, "cgroup", "systemd", "auto"), 0);
	assert_false(p->no_systemd);
}

/* None is above every ceiling, and follows it down like any built-in value. */
static void
a_quota_of_cpu_time_is_none_unless_asked_for(void **state)
{
	struct fixture *f = *state;

	fixture_finish(f);
	assert_int_equal(f->policy->limits[LIMIT_CPU_QUOTA], 0);
	fixture_new_policy(f);
	assert_int_equal(fixture_set(f, "ceiling", "cpu-quota", "150%"), 0);
	fixture_finish(f);
	assert_int_equal(f->policy->limits[LIMIT_CPU_QUOTA], 150);
	fixture_new_policy(f);
	assert_int_equal(fixture_set(f, "ceiling", "cpu-quota", "150%"), 0);
	assert_int_equal(fixture_set(f, "limits", "cpu-quota", "50%"), 0);
	fixture_finish(f);
	assert_int_equal(f->policy->limits[LIMIT_CPU_QUOTA], 50);
	fixture_new_policy(f);
	assert_int_equal(fixture_set(f, "ceiling", "cpu-quota", "150%"), 0);
	assert_int_equal(fixture_set(f, "limits", "cpu-quota", "151%"), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    "--flag: cpu-quota 151% is above the ceiling of 150% set by "
	    "--flag");
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(a_cgroup_can_be_named),
	    ROW(a_quota_of_cpu_time_is_none_unless_asked_for),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
