/*
 * test_plan_entries.c - what plan_check() says of an entry.  Entries that
 * collide are refused when they are made: tests/launcher/test_entries.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "plan_fixture.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct plan plan;

/* 0, or the errno of the fault, which must be the one for paths. */
static int
check(void)
{
	struct fault fault = {0};

	if (plan_check(&plan, &fault) == 0)
		return (0);
	assert_int_equal(fault.control, CTL_MNTNS);
	assert_int_equal(fault.step, STEP_PLAN_PATH);
	assert_int_equal(fault.class, FAULT_USAGE);
	return (fault.err);
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
	int err;
} additions[] = {
    {ENTRY_DIR, "/opt", "", 0}, {ENTRY_DIR, "/etc/ssl", "", 0},
    {ENTRY_LINK, "/lib", "usr/lib", 0}, {ENTRY_BIND, "/opt", "/opt", 0},
    {ENTRY_BIND, "/srv/data", "/srv/data", 0},
    {ENTRY_BIND, "/etcetera", "/etc", 0}, /* not beneath /etc */
    {ENTRY_BIND, "/usrlocal", "/usr", 0}, {ENTRY_BIND, "/run/data", "/srv", 0},
    {ENTRY_BIND, "/sys", "/srv", 0},

    /* malformed */
    {ENTRY_DIR, "/", "", EINVAL}, {ENTRY_DIR, "", "", EINVAL},
    {ENTRY_DIR, "opt", "", EINVAL}, {ENTRY_DIR, "/opt/../work", "", EINVAL},
    {ENTRY_BIND, "/opt", "", EINVAL}, {ENTRY_BIND, "/opt", "opt", EINVAL},
    {ENTRY_BIND, "/opt", "/", EINVAL},
    {ENTRY_BIND, "/opt", "/opt/../proc", EINVAL},
    {ENTRY__MAX, "/opt", "", EINVAL}, {UINT8_MAX, "/opt", "", EINVAL},

    /* over what the launcher builds, even where procfs was waived */
    {ENTRY_DIR, "/proc", "", EPERM}, {ENTRY_DIR, "/proc/self", "", EPERM},
    {ENTRY_BIND, "/proc", "/srv", EPERM},
    {ENTRY_BIND, "/proc/sys", "/srv", EPERM},
    {ENTRY_FILE, "/dev/null", "", EPERM}, {ENTRY_BIND, "/dev", "/srv", EPERM},
    {ENTRY_BIND, "/dev/shm/x", "/srv", EPERM},
    {ENTRY_BIND, "/work/data", "/srv", 0}, {ENTRY_BIND, "/tmp/data", "/srv", 0},
    {ENTRY_DIR, "/process", "", 0}, {ENTRY_DIR, "/development", "", 0},

    /* sources that no job is shown */
    {ENTRY_BIND, "/opt", "/proc", EPERM},
    {ENTRY_BIND, "/opt", "/proc/1", EPERM}, {ENTRY_BIND, "/opt", "/sys", EPERM},
    {ENTRY_BIND, "/opt", "/sys/fs/cgroup", EPERM},
    {ENTRY_BIND, "/opt", "/dev", EPERM},
    {ENTRY_BIND, "/opt", "/dev/kvm", EPERM},
    {ENTRY_BIND, "/opt", "/run", EPERM},
    {ENTRY_BIND, "/opt", "/run/docker.sock", EPERM},
    {ENTRY_BIND, "/opt", "/running", 0},
    {ENTRY_LINK, "/opt", "/proc/self", 0}, /* a text; the job's own */
};

static void
each_addition_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(additions); i++) {
		const struct addition *a = &additions[i];
		int err;

		plan_fixture(&plan);
		plan_fixture_entry(&plan, a->kind, a->path, a->source);
		if ((err = check()) != a->err)
			fail_msg("%s of kind %u from \"%s\": errno %d, not %d",
			    a->path, a->kind, a->source, err, a->err);
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
		assert_int_equal(check(), 0);
		plan.entries[i].mode = 01000;
		assert_int_equal(check(), EINVAL);
		plan.entries[i].mode = 04755;
		assert_int_equal(check(), EINVAL);
	}
}

static void
only_binds_can_be_writable(void **state)
{
	(void)state;
	for (size_t i = 0; i < 5; i++) {
		plan_fixture(&plan);
		plan.entries[i].flags = ENTRY_WRITABLE;
		assert_int_equal(check(), i == ENTRY_BIND ? 0 : EINVAL);
		plan.entries[i].flags = ENTRY_WRITABLE << 1;
		assert_int_equal(check(), EINVAL);
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
