/*
 * The words for a host without a usable cgroup tree, over trees of this test's
 * own; a real cgroup v2 is another host's matter.
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

#include "host.h"
#include "io.h"

static void
want_cause(const char *proc_cgroup, const char *mount, const char *words)
{
	char cause[384];

	leaf_explain(proc_cgroup, mount, cause, sizeof(cause));
	if (strstr(cause, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", cause, words);
}

static void
test_nothing_mounted(void **state)
{
	(void)state;
	/* /proc is never a tmpfs, as /etc can be. */
	want_cause("/proc/self/cgroup", "/proc", "nothing is mounted on /proc");
	want_cause("/nonexistent", "/proc", "the kernel has no cgroups");
}

static void
test_v1(void **state)
{
	(void)state;
	/* /dev/shm is a tmpfs nearly everywhere; so is the mount of v1. */
	if (access("/dev/shm", F_OK) == -1)
		skip();
	want_cause("/proc/self/cgroup", "/dev/shm", "cgroup v1");
}

static void
test_this_host(void **state)
{
	char cause[384];
	struct host h;

	(void)state;
	leaf_find(cause, sizeof(cause));
	assert_true(cause[0] != '\0');
	host_read(&h);
	assert_string_equal(h.leaf_cause, cause);
	assert_string_equal(h.sysname, "Linux");
	assert_int_equal(strlen(h.boot_id), 36);
	assert_true(h.release[0] != '\0');
}

static void
test_user_manager(void **state)
{
	struct host h;

	(void)state;
	assert_int_equal(setenv("XDG_RUNTIME_DIR", "/nonexistent", 1), 0);
	host_read(&h);
	assert_false(h.has_user_manager);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_mounted),
	    cmocka_unit_test(test_v1),
	    cmocka_unit_test(test_this_host),
	    cmocka_unit_test(test_user_manager),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
