/* test_policy.c - values set by flags, and the judgement over all of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_fixture.h"

static const struct {
	const char *section;
	const char *key;
	const char *value;
	const char *message;
} bad[] = {
    {"limits", "memroy", "1",
	"--flag: unknown key \"memroy\" in [limits] (did you mean "
	"\"memory\"?)"},
    {"limits", "cpu-quota", "409601%",
	"--flag: 409601% is more than 409600%, the maximum (CPU time of all "
	"processes together, a second)"},
    {"limit", "wall", "1",
	"--flag: unknown section [limit] (did you mean \"limits\"?)"},
    {"tenant", "jobs-at-once", "1", "--flag: unknown section [tenant]"},
    {"cgroup", "path", "jobs",
	"--flag: \"jobs\" is not the absolute path of a cgroup, such as "
	"/sys/fs/cgroup/jobs"},
    {"cgroup", "path", "/sys/fs/cgroup/",
	"--flag: \"/sys/fs/cgroup/\" is not the absolute path of a cgroup, "
	"such as /sys/fs/cgroup/jobs"},
    {"cgroup", "path", "/a\nsystemd = no",
	"--flag: \"/a\\012systemd = no\" is not the absolute path of a "
	"cgroup, such as /sys/fs/cgroup/jobs"},
    {"cgroup", "systemd", "yes",
	"--flag: unknown systemd \"yes\"; it is auto or no"},
    {"cgroup", "pth", "/x",
	"--flag: unknown key \"pth\" in [cgroup] (did you mean \"path\"?)"},
    {"ledger", "keep", "1", "--flag: unknown key \"keep\" in [ledger]"},
    {"limits", "wall", "0",
	"--flag: \"0\" is not seconds (30, 2.5) or a number with ms, s, min "
	"or h, from 1ms to 7 days"},
    {"limits", "memory", "512M",
	"--flag: \"512M\" is not a number of MiB above 0"},
    {"limits", "nofile", "7",
	"--flag: 7 is less than 8, the minimum (open descriptors of a "
	"process)"},
    {"limits", "nofile", "1048577",
	"--flag: 1048577 is more than 1048576, the maximum (open descriptors "
	"of a process)"},
    {"limits", "scratch", "1K",
	"--flag: 1K is less than 4K, the minimum (bytes of the scratch)"},
    {"network", "access", "proxy",
	"--flag: unknown access \"proxy\"; it is none or host"},
    {"network", "access", "",
	"--flag: unknown access \"\"; it is none or host"},
    {"files", "bind", "", "--flag: \"\" is not SRC or SRC:DST"},
    {"files", "bind", ":/x", "--flag: \":/x\" is not SRC or SRC:DST"},
    {"files", "bind-ro", "/x:", "--flag: \"/x:\" is not SRC or SRC:DST"},
    {"degraded", "allow", "memory,locked",
	"--flag: locked belongs to the floor and can never be waived; those "
	"that can are memory, cpushare, cgroupns, timens, procfs, nscounts, "
	"processes, landlock"},
};

static void
bad_settings_name_the_flag(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		assert_int_equal(fixture_set(f, bad[i].section, bad[i].key,
				     bad[i].value),
		    -1);
		assert_string_equal(f->diag.message, bad[i].message);
		assert_int_equal(f->diag.code, DIAG_USAGE);
	}
}

static void
defaults_are_the_tables(void **state)
{
	struct fixture *f = *state;
	struct policy *p = f->policy;

	assert_int_equal(policy_finish(p, &f->diag), 0);
	assert_string_equal(p->name, "built-in");
	assert_int_equal(p->limits[LIMIT_WALL], 60000);
	assert_int_equal(p->limits[LIMIT_MEMORY], 512ULL << 20);
	assert_int_equal(p->limits[LIMIT_MAX_OUTPUT], 64ULL << 20);
	assert_int_equal(p->limits[LIMIT_MAX_FILE], p->limits[LIMIT_SCRATCH]);
	assert_false(p->network_host);
	assert_true(p->waived == 0);
	assert_int_equal(strlen(p->sha256), 64);
}

static void
kept_output_has_a_smaller_default(void **state)
{
	struct fixture *f = *state;

	f->policy->keep_json = true;
	assert_int_equal(policy_finish(f->policy, &f->diag), 0);
	assert_int_equal(f->policy->limits[LIMIT_MAX_OUTPUT], 1ULL << 20);
	fixture_new_policy(f);
	f->policy->keep_json = true;
	assert_int_equal(fixture_set(f, "limits", "max-output", "5M"), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), 0);
	assert_int_equal(f->policy->limits[LIMIT_MAX_OUTPUT], 5ULL << 20);
}

static void
the_last_setting_holds(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_set(f, "limits", "wall", "5"), 0);
	assert_int_equal(fixture_set(f, "limits", "wall", "7"), 0);
	assert_int_equal(fixture_set(f, "network", "access", "host"), 0);
	assert_int_equal(fixture_set(f, "network", "access", "none"), 0);
	assert_int_equal(f->policy->limits[LIMIT_WALL], 7000);
	assert_string_equal(f->policy->limit_origins[LIMIT_WALL].flag,
	    "--flag");
	assert_false(f->policy->network_host);
}

static void
waivers_add_up(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_set(f, "degraded", "allow", "memory"), 0);
	assert_int_equal(fixture_set(f, "degraded", "allow", "landlock"), 0);
	assert_true(f->policy->waived ==
	    (CONTROL_BIT(CTL_MEMORY) | CONTROL_BIT(CTL_LANDLOCK)));
}

static void
above_a_ceiling_is_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_load(f, "c",
			     "[ceiling]\nwall = 10\naccess = none\n"),
	    0);
	assert_int_equal(fixture_set(f, "limits", "wall", "11"), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f,
		"--flag: wall 11s is above the ceiling of 10s "
		"set by @/c:2"));
	assert_int_equal(f->diag.code, DIAG_POLICY);
	assert_string_equal(f->diag.file, f->path);
	assert_int_equal(f->diag.line, 2);

	assert_int_equal(fixture_set(f, "limits", "wall", "10"), 0);
	assert_int_equal(fixture_set(f, "network", "access", "host"), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f,
		"--flag: access host is above the ceiling of none "
		"set by @/c:3"));
	assert_int_equal(f->diag.line, 3);
}

static void
a_default_follows_its_ceiling(void **state)
{
	struct fixture *f = *state;
	struct policy *p = f->policy;

	assert_int_equal(fixture_load(f, "c",
			     "[ceiling]\nwall = 10\nmemory = 64M\n"
			     "scratch = 8M\nmax-file = 2M\nmax-output = 1K\n"),
	    0);
	assert_int_equal(policy_finish(p, &f->diag), 0);
	assert_int_equal(p->limits[LIMIT_WALL], 10000);
	assert_int_equal(p->limits[LIMIT_MEMORY], 64ULL << 20);
	assert_int_equal(p->limits[LIMIT_SCRATCH], 8ULL << 20);
	assert_int_equal(p->limits[LIMIT_MAX_FILE], 2ULL << 20);
	assert_int_equal(p->limits[LIMIT_MAX_OUTPUT], 1024);
	/* Who is told of the limit is told where it comes from. */
	assert_int_equal(policy_limit_origin(p, LIMIT_WALL)->line, 2);
	assert_null(policy_limit_origin(p, LIMIT_CPU)->file);
}

static void
the_lowest_ceiling_holds(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_load(f, "a", "[ceiling]\nwall = 10\n"), 0);
	assert_int_equal(fixture_load(f, "b",
			     "[ceiling]\nwall = 20\naccess = none\n"),
	    0);
	assert_int_equal(f->policy->ceilings[LIMIT_WALL], 10000);
	assert_int_equal(fixture_load(f, "c",
			     "[ceiling]\nwall = 5\naccess = host\n"),
	    0);
	assert_int_equal(f->policy->ceilings[LIMIT_WALL], 5000);
	assert_true(f->policy->network_ceiling_none);
	assert_string_equal(f->policy->ceiling_origins[LIMIT_WALL].file,
	    f->path);
}

static void
a_limit_without_effect_is_reported(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_set(f, "limits", "max-file", "300M"), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    "--flag: max-file 300M would have no effect: the scratch holds "
	    "256M");
	assert_int_equal(f->diag.code, DIAG_USAGE);

	/* a writable bind is not bounded by the scratch */
	fixture_new_policy(f);
	fixture_file(f, "data", "x");
	assert_int_equal(fixture_set(f, "limits", "max-file", "300M"), 0);
	assert_int_equal(fixture_set(f, "files", "bind", f->path), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), 0);
}

static void
more_of_each_than_there_is_room_for(void **state)
{
	struct fixture *f = *state;
	char name[32];
	unsigned int i;

	for (i = 0; i < POLICY_ENV_MAX; i++) {
		(void)snprintf(name, sizeof(name), "V%u=x", i);
		assert_int_equal(fixture_set(f, "env", "allow", name), 0);
	}
	assert_int_equal(fixture_set(f, "env", "allow", "V=x"), -1);
	assert_string_equal(f->diag.message, "--flag: more than 64 variables");
	assert_int_equal(fixture_set(f, "env", "allow", "V3=y"), 0);
	for (i = 0; i < POLICY_BINDS_MAX; i++)
		assert_int_equal(fixture_set(f, "files", "bind", "/x"), 0);
	assert_int_equal(fixture_set(f, "files", "bind", "/x"), -1);
	assert_string_equal(f->diag.message, "--flag: more than 32 binds");
}

static void
freeing_nothing_is_harmless(void **state)
{
	(void)state;
	policy_free(NULL);
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(bad_settings_name_the_flag),
	    ROW(defaults_are_the_tables),
	    ROW(kept_output_has_a_smaller_default),
	    ROW(the_last_setting_holds),
	    ROW(waivers_add_up),
	    ROW(above_a_ceiling_is_refused),
	    ROW(a_default_follows_its_ceiling),
	    ROW(the_lowest_ceiling_holds),
	    ROW(a_limit_without_effect_is_reported),
	    ROW(more_of_each_than_there_is_room_for),
	    cmocka_unit_test(freeing_nothing_is_harmless),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
