/*
 * test_tenants.c - which quota and which waivers a tenant has, from sections
 * of its own, of every tenant, and of several files.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy_fixture.h"

static const char first[] = "[tenant *]\n"
			    "jobs-at-once = 4\n"
			    "cpu-per-hour = 1h\n"
			    "degraded = no\n"
			    "[tenant big]\n"
			    "jobs-at-once = 9\n"
			    "memory-sum = 4G\n"
			    "degraded = memory,landlock\n";
static const char second[] = "[tenant big]\n"
			     "jobs-at-once = 20\n"
			     "memory-sum = 1G\n"
			     "jobs-per-hour = 7\n"
			     "degraded = yes\n";

static void
load_both(struct fixture *f)
{
	assert_int_equal(fixture_load(f, "a", first), 0);
	assert_int_equal(fixture_load(f, "b", second), 0);
}

static void
is(struct fixture *f, const char *tenant, enum quota q, uint64_t most,
    unsigned int line)
{
	struct origin o = {0};

	assert_int_equal(policy_quota(f->policy, tenant, q, &o), most);
	assert_int_equal(o.line, line);
}

static void
the_lowest_of_all_files_holds(void **state)
{
	struct fixture *f = *state;

	load_both(f);
	/* The own section replaces *, a later file raises nothing. */
	is(f, "big", QUOTA_JOBS_AT_ONCE, 9, 6);
	is(f, "big", QUOTA_MEMORY_SUM, 1ULL << 30, 3);
	is(f, "big", QUOTA_CPU_PER_HOUR, 3600000, 3);
	is(f, "big", QUOTA_JOBS_PER_HOUR, 7, 4);
	is(f, "other", QUOTA_JOBS_AT_ONCE, 4, 2);
	is(f, "other", QUOTA_MEMORY_SUM, 0, 0);
	assert_string_equal(policy_tenant(f->policy, 0), "*");
	assert_string_equal(policy_tenant(f->policy, 1), "big");
	assert_null(policy_tenant(f->policy, 2));
}

#define MEMORY CONTROL_BIT(CTL_MEMORY)
#define LANDLOCK CONTROL_BIT(CTL_LANDLOCK)

static void
waivers_are_those_that_all_permit(void **state)
{
	struct fixture *f = *state;

	load_both(f);
	assert_true(policy_tenant_waivers(f->policy, "x") == 0);
	assert_true(
	    policy_tenant_waivers(f->policy, "big") == (MEMORY | LANDLOCK));
	f->policy->waived = CONTROL_BIT(CTL_PROCFS) | MEMORY;
	policy_use_tenant(f->policy, "big");
	assert_true(f->policy->waived == MEMORY);
	assert_true(f->policy->forbidden == 0);
	/* What a flag asked for is not taken away in silence. */
	assert_int_equal(fixture_set(f, "degraded", "allow", "memory,procfs"),
	    0);
	policy_use_tenant(f->policy, "big");
	assert_true(f->policy->forbidden == CONTROL_BIT(CTL_PROCFS));
	assert_int_equal(f->policy->forbidden_origin.line, 8);
	policy_use_tenant(f->policy, "x");
	assert_true(f->policy->waived == 0);
	assert_true(f->policy->forbidden == (CONTROL_BIT(CTL_PROCFS) | MEMORY));
}

static void
without_sections_there_are_no_quotas(void **state)
{
	struct fixture *f = *state;

	f->policy->waived = MEMORY;
	for (enum quota q = 0; q < QUOTA__MAX; q++)
		is(f, "default", q, 0, 0);
	policy_use_tenant(f->policy, "default");
	assert_true(f->policy->waived == MEMORY);
}

/* What is printed means the same when it is read again. */
static void
the_canonical_text_is_read_again(void **state)
{
	struct fixture *f = *state;
	char *text, *again, *tenants;

	load_both(f);
	fixture_finish(f);
	text = policy_print(f->policy);
	assert_non_null(text);
	tenants = strstr(text, "[tenant *]");
	assert_non_null(tenants);
	assert_string_equal(tenants,
	    "[tenant *]\njobs-at-once = 4\ncpu-per-hour = 1h\ndegraded = no\n"
	    "[tenant big]\njobs-at-once = 9\nmemory-sum = 1G\n"
	    "cpu-per-hour = 1h\njobs-per-hour = 7\n"
	    "degraded = memory,landlock\n");
	fixture_new_policy(f);
	assert_int_equal(fixture_load(f, "c", tenants), 0);
	fixture_finish(f);
	again = policy_print(f->policy);
	assert_non_null(again);
	assert_string_equal(again, text);
	free(again);
	free(text);
}

static void
names_are_judged(void **state)
{
	char name[TENANT_BYTES_MAX + 2] = "";

	(void)state;
	memset(name, 'a', TENANT_BYTES_MAX);
	assert_true(tenant_name_is_valid(name));
	assert_true(tenant_name_is_valid("0.A_b-"));
	name[TENANT_BYTES_MAX] = 'a';
	assert_false(tenant_name_is_valid(name));
	assert_false(tenant_name_is_valid(""));
	assert_false(tenant_name_is_valid(".a"));
	assert_false(tenant_name_is_valid("a b"));
	assert_false(tenant_name_is_valid("\xc3\xa9"));
}

int
main(void)
{
#define ROW(test) \
	cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    ROW(the_lowest_of_all_files_holds),
	    ROW(waivers_are_those_that_all_permit),
	    ROW(without_sections_there_are_no_quotas),
	    ROW(the_canonical_text_is_read_again),
	    ROW(names_are_judged),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
