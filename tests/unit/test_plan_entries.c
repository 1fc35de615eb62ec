/*
 * test_plan_entries.c - what plan_check() says of an entry.  Entries that
 * collide are refused when they are made: tests/launcher/test_entries.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "plan_fixture.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct plan plan;

/* False: refused, for a path. */
static bool
is_good(void)
{
	enum step step = plan_check(&plan);

	assert_true(step == STEP_NONE || step == STEP_PLAN_PATH);
	return (step == STEP_NONE);
}

static void
clean_paths(void **state)
{
	static const char *const clean[] = {"/a", "/a/b", "/usr/lib64", "/.a",
	    "/...", "/..a", "/a../b", "/a b", "/.../x"};
	static const char *const unclean[] = {"", "/", "//", "a", "a/b", "./a",
	    "/a/", "//a", "/a//b", "/.", "/..", "/a/.", "/a/..", "/./a",
	    "/../a", "/a/./b", "/a/../b", "/a/b/..", " /a"};

	(void)state;
	for (size_t i = 0; i < COUNT(clean); i++) {
		if (!plan_path_is_clean(clean[i]))
			fail_msg("\"%s\" is clean", clean[i]);
	}
	for (size_t i = 0; i < COUNT(unclean); i++) {
		if (plan_path_is_clean(unclean[i]))
			fail_msg("\"%s\" is not clean", unclean[i]);
	}
}

static void
a_path_has_room_for_its_nul(void **state)
{
	char path[PLAN_PATH_MAX + 1];

	(void)state;
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[PLAN_PATH_MAX - 1] = '\0';
	assert_true(plan_path_is_clean(path));
	path[PLAN_PATH_MAX - 1] = 'x';
	path[PLAN_PATH_MAX] = '\0';
	assert_false(plan_path_is_clean(path));
}

/* One more entry after those of the fixture. */
static const struct addition {
	enum plan_entry_kind kind;
	const char *path;
	const char *source;
	bool is_good;
} additions[] = {
    {ENTRY_DIR, "/opt", "", true}, {ENTRY_DIR, "/etc/ssl", "", true},
    {ENTRY_LINK, "/lib", "usr/lib", true}, {ENTRY_BIND, "/opt", "/opt", true},
    {ENTRY_BIND, "/srv/data", "/srv/data", true},
    {ENTRY_BIND, "/etcetera", "/etc", true}, /* not beneath /etc */
    {ENTRY_BIND, "/usrlocal", "/usr", true},
    {ENTRY_BIND, "/run/data", "/srv", true}, {ENTRY_BIND, "/sys", "/srv", true},

    /* malformed */
    {ENTRY_DIR, "/", "", false}, {ENTRY_DIR, "", "", false},
    {ENTRY_DIR, "opt", "", false}, {ENTRY_DIR, "/opt/../work", "", false},
    {ENTRY_BIND, "/opt", "", false}, {ENTRY_BIND, "/opt", "opt", false},
    {ENTRY_BIND, "/opt", "/", false},
    {ENTRY_BIND, "/opt", "/opt/../proc", false},
    {ENTRY__MAX, "/opt", "", false}, {UINT8_MAX, "/opt", "", false},

    /* over what the launcher builds, even where procfs was waived */
    {ENTRY_DIR, "/proc", "", false}, {ENTRY_DIR, "/proc/self", "", false},
    {ENTRY_BIND, "/proc", "/srv", false},
    {ENTRY_BIND, "/proc/sys", "/srv", false},
    {ENTRY_FILE, "/dev/null", "", false}, {ENTRY_BIND, "/dev", "/srv", false},
    {ENTRY_BIND, "/dev/shm/x", "/srv", false},
    {ENTRY_BIND, "/work/data", "/srv", true},
    {ENTRY_BIND, "/tmp/data", "/srv", true}, {ENTRY_DIR, "/process", "", true},
    {ENTRY_DIR, "/development", "", true},

    /* sources that no job is shown */
    {ENTRY_BIND, "/opt", "/proc", false},
    {ENTRY_BIND, "/opt", "/proc/1", false}, {ENTRY_BIND, "/opt", "/sys", false},
    {ENTRY_BIND, "/opt", "/sys/fs/cgroup", false},
    {ENTRY_BIND, "/opt", "/dev", false},
    {ENTRY_BIND, "/opt", "/dev/kvm", false},
    {ENTRY_BIND, "/opt", "/run", false},
    {ENTRY_BIND, "/opt", "/run/docker.sock", false},
    {ENTRY_BIND, "/opt", "/running", true},
    {ENTRY_LINK, "/opt", "/proc/self", true}, /* a text; the job's own */
};

static void
each_addition_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(additions); i++) {
		const struct addition *a = &additions[i];

		plan_fixture(&plan);
		plan_fixture_entry(&plan, a->kind, a->path, a->source);
		if (is_good() != a->is_good)
			fail_msg("%s of kind %u from \"%s\" is %s", a->path,
			    a->kind, a->source,
			    a->is_good ? "refused" : "accepted");
	}
}

/* The entries of the fixture: DIR, LINK, FILE, BIND, PROGRAM. */
static void
modes_are_permission_bits(void **state)
{
	(void)state;
	for (size_t i = 0; i < 5; i++) {
		plan_fixture(&plan);
		plan.entries[i].mode = 0777;
		assert_true(is_good());
		plan.entries[i].mode = 01000;
		assert_false(is_good());
		plan.entries[i].mode = 04755;
		assert_false(is_good());
	}
}

static void
only_binds_can_be_writable(void **state)
{
	(void)state;
	for (size_t i = 0; i < 5; i++) {
		plan_fixture(&plan);
		plan.entries[i].flags = ENTRY_WRITABLE;
		assert_true(is_good() == (i == ENTRY_BIND));
		plan.entries[i].flags = ENTRY_WRITABLE << 1;
		assert_false(is_good());
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clean_paths),
	    cmocka_unit_test(a_path_has_room_for_its_nul),
	    cmocka_unit_test(each_addition_is_judged),
	    cmocka_unit_test(modes_are_permission_bits),
	    cmocka_unit_test(only_binds_can_be_writable),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
