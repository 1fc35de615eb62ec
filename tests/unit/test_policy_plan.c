/*
 * test_policy_plan.c - from a finished policy to the plan: limits, the
 * stand-ins of waived controls, what is refused in words.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "filters.h"
#include "policy_plan_fixture.h"
#include "words.h"
#include "plan_encode.h"

static void
the_default_plan_is_complete(void **state)
{
	struct fixture *f = *state;

	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	assert_int_equal(plan_check(&plan), STEP_NONE);
	/* a share of the processors is a row when it is asked for */
	assert_true(
	    plan.controls == (CONTROL_ALL & ~CONTROL_BIT(CTL_CPUSHARE)));
	assert_int_equal(plan.cpu_quota_percent, 0);
	assert_int_equal(plan.wall_ms, 60000);
	assert_int_equal(plan.grace_ms, 1000);
	assert_int_equal(plan.cpu_ms, 120000);
	assert_int_equal(plan.memory_bytes, 512ULL << 20);
	assert_int_equal(plan.data_bytes, 0);
	assert_int_equal(plan.max_procs, 256);
	assert_int_equal(plan.file_bytes, 256ULL << 20);
	assert_int_equal(plan.scratch_bytes, 256ULL << 20);
	assert_int_equal(plan.scratch_inodes, 65536);
	assert_int_equal(plan.stack_bytes, 8ULL << 20);
	assert_int_equal(plan.landlock_abi_min, 2);
	assert_int_equal(plan.filter_len, filter_plan.len);
	assert_memory_equal(plan.filter, filter_plan.insns,
	    filter_plan.len * sizeof(filter_plan.insns[0]));
	assert_int_equal(plan.path_count, 1);
	assert_int_equal(plan.argc, 3);
	assert_ptr_equal(plan.argv[0], argv_true[0]);
	assert_ptr_equal(plan.argv[1], argv_true[0]);
	assert_ptr_equal(plan.argv[2], argv_true[1]);
	assert_null(plan.argv[3]);
	assert_int_equal(plan.envc, 5);
	assert_null(plan.envp[5]);
	assert_false(plan.has_program);
	assert_false(plan.network_host);
}

/* Where a name is looked for, as execvp(3) would. */
static void
a_name_is_looked_for_in_the_path(void **state)
{
	static const struct {
		const char *path;
		const char *name;
		const char *want; /* one after the other */
	} rows[] = {
	    {"/bin:/usr/bin", "true", "/bin/true /usr/bin/true"},
	    {"/bin", "./true", "./true"},
	    {"/bin", "a/true", "a/true"},
	    {"/bin", "", ""},
	    {"", "true", "true"},
	    {":/bin:", "true", "true /bin/true true"},
	    {"a:../b", "true", "a/true ../b/true"},
	};
	struct fixture *f = *state;
	char got[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *argv[] = {rows[i].name, "-x", NULL};
		const struct job_command c = {argv, NULL, 0};

		fixture_new_policy(f);
		(void)snprintf(got, sizeof(got), "PATH=%s", rows[i].path);
		assert_int_equal(fixture_set(f, "env", "allow", got), 0);
		fixture_finish(f);
		assert_int_equal(policy_plan(f->policy, &c, CONTROL_ALL, &plan,
				     &f->diag),
		    0);
		got[0] = '\0';
		for (uint32_t p = 0; p < plan.path_count; p++)
			(void)snprintf(got + strlen(got),
			    sizeof(got) - strlen(got), "%s%s",
			    p == 0 ? "" : " ", plan.argv[p]);
		assert_string_equal(got, rows[i].want);
		assert_int_equal(plan.argc, plan.path_count + 2);
		assert_ptr_equal(plan.argv[plan.path_count], argv[0]);
	}
}

static void
a_path_can_be_too_long(void **state)
{
	static const char *const argv[] = {"true", NULL};
	static const struct job_command c = {argv, NULL, 0};
	struct fixture *f = *state;
	char value[5 + 2 * 257 + 1];

	/* 256 directories are looked through, 257 are not. */
	for (size_t dirs = 256; dirs <= 257; dirs++) {
		(void)strcpy(value, "PATH=");
		for (size_t i = 0; i < dirs; i++)
			(void)strcat(value, i == 0 ? "a" : ":a");
		fixture_new_policy(f);
		assert_int_equal(fixture_set(f, "env", "allow", value), 0);
		fixture_finish(f);
		assert_int_equal(policy_plan(f->policy, &c, CONTROL_ALL, &plan,
				     &f->diag),
		    dirs == 256 ? 0 : -1);
	}
	assert_int_equal(f->diag.code, DIAG_USAGE);
	assert_non_null(strstr(f->diag.message, "at most 256 directories"));
}

static void
waived_controls_have_stand_ins(void **state)
{
	struct fixture *f = *state;

	fixture_finish(f);
	make_plan(f, CONTROL_ALL & ~CONTROL_BIT(CTL_MEMORY));
	assert_int_equal(plan.data_bytes, 1ULL << 30);
	assert_int_equal(plan.filter_len, filter_plan_no_memcg.len);
	assert_memory_equal(plan.filter, filter_plan_no_memcg.insns,
	    filter_plan_no_memcg.len * sizeof(filter_plan.insns[0]));

	make_plan(f,
	    CONTROL_ALL & ~CONTROL_BIT(CTL_PROCFS) &
		~CONTROL_BIT(CTL_LANDLOCK));
	assert_int_equal(plan.data_bytes, 0);
	assert_int_equal(plan.landlock_abi_min, 0);
}

static void
a_quota_is_wanted_only_when_asked_for(void **state)
{
	struct fixture *f = *state;

	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	assert_true((plan.controls & CONTROL_BIT(CTL_CPUSHARE)) == 0);
	fixture_new_policy(f);
	assert_int_equal(fixture_set(f, "limits", "cpu-quota", "50%"), 0);
	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	assert_true((plan.controls & CONTROL_BIT(CTL_CPUSHARE)) != 0);
	assert_int_equal(plan.cpu_quota_percent, 50);
	make_plan(f, CONTROL_ALL & ~CONTROL_BIT(CTL_CPUSHARE));
	assert_true((plan.controls & CONTROL_BIT(CTL_CPUSHARE)) == 0);
}

static void
memory_is_whole_pages(void **state)
{
	struct fixture *f = *state;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(fixture_load(f, "odd.conf",
			     "[limits]\nmemory = 100000001\n"),
	    0);
	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	assert_int_equal(plan.memory_bytes, 100000001 - 100000001 % page);
	assert_int_not_equal(plan.memory_bytes, 100000001);
}

static void
the_floor_is_never_left_out(void **state)
{
	struct fixture *f = *state;
	unsigned int ctl;

	fixture_finish(f);
	for (ctl = 0; ctl < CTL__MAX; ctl++) {
		if (control_is_waivable((enum control)ctl))
			continue;
		assert_int_equal(policy_plan(f->policy, &command,
				     CONTROL_ALL & ~CONTROL_BIT(ctl), &plan,
				     &f->diag),
		    -1);
		assert_int_equal(f->diag.code, DIAG_INTERNAL);
		assert_non_null(strstr(f->diag.message, "below the floor"));
	}
}

static void
a_program_travels(void **state)
{
	struct fixture *f = *state;
	struct job_command cmd = {argv_true, "/run/agsbx/code.py", 123};
	const struct plan_entry *e;

	fixture_finish(f);
	assert_int_equal(policy_plan(f->policy, &cmd, CONTROL_ALL, &plan,
			     &f->diag),
	    0);
	assert_true(plan.has_program);
	assert_int_equal(plan.program_bytes, 123);
	e = &plan.entries[plan.entry_count - 1];
	assert_int_equal(e->kind, ENTRY_PROGRAM);
	assert_string_equal(e->path, "/run/agsbx/code.py");
	assert_int_equal(e->mode, 0555);

	cmd.program_bytes = PLAN_PROGRAM_MAX + 1;
	assert_int_equal(policy_plan(f->policy, &cmd, CONTROL_ALL, &plan,
			     &f->diag),
	    -1);
	assert_string_equal(f->diag.message,
	    "the program is larger than 64 MiB");
	assert_int_equal(f->diag.code, DIAG_COMMAND);

	cmd = (struct job_command){argv_true, "/elsewhere", 1};
	assert_int_equal(policy_plan(f->policy, &cmd, CONTROL_ALL, &plan,
			     &f->diag),
	    -1);
	assert_int_equal(f->diag.code, DIAG_INTERNAL);
	assert_string_equal(f->diag.message,
	    "the program /elsewhere is not in /run/agsbx");
}

static void
too_many_arguments_are_refused(void **state)
{
	static const char *many[4096 + 2];
	static char large[POLICY_ARGS_BYTES_MAX];
	struct fixture *f = *state;
	struct job_command cmd = {many, NULL, 0};
	size_t i;

	fixture_finish(f);
	for (i = 0; i < 4096; i++)
		many[i] = "x";
	assert_int_equal(policy_plan(f->policy, &cmd, CONTROL_ALL, &plan,
			     &f->diag),
	    0);
	assert_int_equal(plan.argc, 3 + 4096);
	many[i] = "x";
	assert_int_equal(policy_plan(f->policy, &cmd, CONTROL_ALL, &plan,
			     &f->diag),
	    -1);
	assert_string_equal(f->diag.message, "more than 4096 arguments");
	assert_int_equal(f->diag.code, DIAG_USAGE);

	memset(large, 'x', sizeof(large) - 1);
	many[0] = large;
	many[1] = NULL;
	assert_int_equal(policy_plan(f->policy, &cmd, CONTROL_ALL, &plan,
			     &f->diag),
	    -1);
	assert_non_null(strstr(f->diag.message, "at most 98304 are possible"));
	assert_int_equal(f->diag.code, DIAG_USAGE);
}

static void
an_unfinished_policy_has_no_plan(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(policy_plan(f->policy, &command, CONTROL_ALL, &plan,
			     &f->diag),
	    -1);
	assert_int_equal(f->diag.code, DIAG_INTERNAL);
}

/* As many of everything as the policy takes still makes a valid plan. */
static void
the_largest_policy_fits(void **state)
{
	struct fixture *f = *state;
	static uint8_t bytes[PLAN_BYTES_MAX];
	char value[256];
	unsigned int i;

	fixture_file(f, "file", "x");
	for (i = 0; i < POLICY_BINDS_MAX; i++) {
		(void)snprintf(value, sizeof(value), "%s:/data/%u", f->path, i);
		assert_int_equal(fixture_set(f, "files", "bind", value), 0);
	}
	for (i = 0; i < POLICY_ENV_MAX; i++) {
		(void)snprintf(value, sizeof(value), "V%u=%u", i, i);
		assert_int_equal(fixture_set(f, "env", "allow", value), 0);
	}
	assert_int_equal(fixture_set(f, "network", "access", "host"), 0);
	fixture_finish(f);
	make_plan(f, CONTROL_ALL & ~CONTROL_BIT(CTL_PROCFS));
	assert_int_equal(plan.envc, POLICY_ENV_MAX + 5);
	assert_true(plan_encode(&plan, bytes, sizeof(bytes)) > 0);
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(the_default_plan_is_complete),
	    ROW(a_name_is_looked_for_in_the_path),
	    ROW(a_path_can_be_too_long),
	    ROW(waived_controls_have_stand_ins),
	    ROW(a_quota_is_wanted_only_when_asked_for),
	    ROW(memory_is_whole_pages),
	    ROW(the_floor_is_never_left_out),
	    ROW(a_program_travels),
	    ROW(too_many_arguments_are_refused),
	    ROW(an_unfinished_policy_has_no_plan),
	    ROW(the_largest_policy_fits),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
