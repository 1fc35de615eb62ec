/* test_plan_entries.c - what may appear in the new root, and where. */
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
    {ENTRY_DIR, "/opt", "", 0},
    {ENTRY_DIR, "/etc/ssl", "", 0},
    {ENTRY_LINK, "/lib", "usr/lib", 0},
    {ENTRY_BIND, "/opt", "/opt", 0},
    {ENTRY_BIND, "/srv/data", "/srv/data", 0},
    {ENTRY_BIND, "/etcetera", "/etc", 0}, /* not beneath /etc */
    {ENTRY_BIND, "/usrlocal", "/usr", 0},
    {ENTRY_BIND, "/run/data", "/srv", 0},
    {ENTRY_BIND, "/sys", "/srv", 0},

    /* malformed */
    {ENTRY_DIR, "/", "", EINVAL},
    {ENTRY_DIR, "", "", EINVAL},
    {ENTRY_DIR, "opt", "", EINVAL},
    {ENTRY_DIR, "/opt/../work", "", EINVAL},
    {ENTRY_DIR, "/opt", "/opt", EINVAL},
    {ENTRY_FILE, "/opt", "/opt", EINVAL},
    {ENTRY_LINK, "/lib", "", EINVAL},
    {ENTRY_BIND, "/opt", "", EINVAL},
    {ENTRY_BIND, "/opt", "opt", EINVAL},
    {ENTRY_BIND, "/opt", "/", EINVAL},
    {ENTRY_BIND, "/opt", "/opt/../proc", EINVAL},
    {ENTRY_PROGRAM, PLAN_PROGRAM_DIR "/two", "", EINVAL},
    {ENTRY__MAX, "/opt", "", EINVAL},

    /* over what the launcher builds */
    {ENTRY_DIR, "/proc", "", EPERM},
    {ENTRY_BIND, "/proc", "/srv", EPERM},
    {ENTRY_BIND, "/proc/sys", "/srv", EPERM},
    {ENTRY_FILE, "/dev/null", "", EPERM},
    {ENTRY_BIND, "/dev", "/srv", EPERM},
    {ENTRY_BIND, "/dev/shm/x", "/srv", EPERM},
    {ENTRY_BIND, "/work", "/srv", EPERM},
    {ENTRY_BIND, "/tmp", "/srv", EPERM},
    {ENTRY_LINK, "/tmp", "work", EPERM},
    {ENTRY_LINK, "/work/x", "y", EPERM},
    {ENTRY_DIR, "/work/x", "", EPERM},
    {ENTRY_FILE, "/tmp/x", "", EPERM},
    {ENTRY_BIND, "/work/data", "/srv", 0},
    {ENTRY_BIND, "/tmp/data", "/srv", 0},
    {ENTRY_DIR, "/process", "", 0},
    {ENTRY_DIR, "/development", "", 0},
    {ENTRY_DIR, "/workshop", "", 0},

    /* sources that no job is shown */
    {ENTRY_BIND, "/opt", "/proc", EPERM},
    {ENTRY_BIND, "/opt", "/proc/1", EPERM},
    {ENTRY_BIND, "/opt", "/sys", EPERM},
    {ENTRY_BIND, "/opt", "/sys/fs/cgroup", EPERM},
    {ENTRY_BIND, "/opt", "/dev", EPERM},
    {ENTRY_BIND, "/opt", "/dev/kvm", EPERM},
    {ENTRY_BIND, "/opt", "/run", EPERM},
    {ENTRY_BIND, "/opt", "/run/docker.sock", EPERM},
    {ENTRY_BIND, "/opt", "/running", 0},
    {ENTRY_LINK, "/opt", "/proc/self", 0}, /* a text; the job's own */

    /* twice, beneath what is no directory of ours, or in the wrong order */
    {ENTRY_DIR, "/usr", "", EEXIST},
    {ENTRY_BIND, "/etc", "/etc", EEXIST},
    {ENTRY_LINK, "/bin", "usr/bin", EEXIST},
    {ENTRY_BIND, "/usr/local", "/srv", EPERM},
    {ENTRY_FILE, "/bin/x", "", EPERM},
    {ENTRY_DIR, "/etc/hosts/x", "", EPERM},
    {ENTRY_BIND, PLAN_PROGRAM_DIR "/main/x", "/srv", EPERM},
    {ENTRY_BIND, PLAN_PROGRAM_DIR, "/srv", EPERM},
    {ENTRY_LINK, "/run", "srv", EPERM},
    {ENTRY_DIR, "/run", "", EINVAL},
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

static void
nothing_goes_beneath_a_bind_even_in_the_scratch(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan_fixture_entry(&plan, ENTRY_BIND, "/work/a", "/srv");
	plan_fixture_entry(&plan, ENTRY_BIND, "/work/b", "/srv");
	assert_int_equal(check(), 0);
	plan_fixture_entry(&plan, ENTRY_BIND, "/work/a/c", "/srv");
	assert_int_equal(check(), EPERM);
}

static void
the_program_lies_in_its_directory(void **state)
{
	static const char *const wrong[] = {PLAN_PROGRAM_DIR, "/run/agsbxx",
	    "/opt/main", "/etc/main"};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		plan_fixture(&plan);
		plan.entries[4].path = wrong[i];
		assert_int_equal(check(), EPERM);
	}
}

static void
an_empty_proc_stands_in_for_procfs(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.controls &= ~CONTROL_BIT(CTL_PROCFS);
	plan_fixture_entry(&plan, ENTRY_DIR, "/proc", "")->mode = 0555;
	assert_int_equal(check(), 0);
	plan.entries[5].path = "/proc/self";
	assert_int_equal(check(), EPERM);
	plan.entries[5] = (struct plan_entry){.kind = ENTRY_BIND,
	    .path = "/proc",
	    .source = "/srv"};
	assert_int_equal(check(), EPERM);
}

/* The entries of the fixture: DIR, LINK, FILE, BIND, PROGRAM. */
static void
modes_are_permission_bits_of_what_has_them(void **state)
{
	static const uint16_t highest[] = {0777, 0, 0777, 0, 0777};

	(void)state;
	for (size_t i = 0; i < COUNT(highest); i++) {
		plan_fixture(&plan);
		plan.entries[i].mode = highest[i];
		assert_int_equal(check(), 0);
		plan.entries[i].mode = (uint16_t)(highest[i] + 1);
		assert_int_equal(check(), EINVAL);
		plan.entries[i].mode = (uint16_t)(highest[i] | 04000);
		assert_int_equal(check(), EINVAL);
	}
}

static void
members_of_another_kind_are_zero(void **state)
{
	(void)state;
	for (size_t i = 0; i < 5; i++) {
		int bind = i == ENTRY_BIND ? 0 : EINVAL;

		plan_fixture(&plan);
		plan.entries[i].flags = ENTRY_WRITABLE;
		assert_int_equal(check(), bind);
		plan_fixture(&plan);
		plan.entries[i].dev = 5;
		assert_int_equal(check(), bind);
		plan_fixture(&plan);
		plan.entries[i].ino = 5;
		assert_int_equal(check(), bind);
		plan_fixture(&plan);
		plan.entries[i].content = (const uint8_t *)"x";
		plan.entries[i].content_len = 1;
		assert_int_equal(check(), i == ENTRY_FILE ? 0 : EINVAL);
	}
}

static void
a_link_text_is_bounded(void **state)
{
	static char text[PLAN_PATH_MAX + 1];

	(void)state;
	plan_fixture(&plan);
	memset(text, 'x', PLAN_PATH_MAX - 1);
	plan.entries[1].source = text;
	assert_int_equal(check(), 0);
	text[PLAN_PATH_MAX - 1] = 'x';
	assert_int_equal(check(), EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clean_paths),
	    cmocka_unit_test(a_path_has_room_for_its_nul),
	    cmocka_unit_test(each_addition_is_judged),
	    cmocka_unit_test(nothing_goes_beneath_a_bind_even_in_the_scratch),
	    cmocka_unit_test(the_program_lies_in_its_directory),
	    cmocka_unit_test(an_empty_proc_stands_in_for_procfs),
	    cmocka_unit_test(modes_are_permission_bits_of_what_has_them),
	    cmocka_unit_test(members_of_another_kind_are_zero),
	    cmocka_unit_test(a_link_text_is_bounded),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
