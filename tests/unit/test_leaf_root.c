/*
 * The subtree that agsbx makes as root, in a tree of this test's own and for
 * the account that the test runs as.
 */
#include "leaf_fixture.h"

#include <fcntl.h>

#include "io.h"

static int
make(struct tree *t, struct diag *d)
{
	return (leaf_root_make(&t->host, getuid(), getgid(), d));
}

static bool
is_there(struct tree *t, const char *path)
{
	char name[512];

	(void)snprintf(name, sizeof(name), "%s%s", t->mount, path);
	return (access(name, F_OK) == 0);
}

static void
test_made(void **state)
{
	struct tree *t = *state;
	char path[512], text[32];
	struct diag d = {0};

	cgroup(t, "/agsbx", ALL, ALL);
	cgroup(t, "/agsbx/broker", ALL, "");
	put_in(t, "/agsbx", "cgroup.threads", "");
	put_in(t, "/agsbx/broker", "cgroup.threads", "");
	assert_int_equal(make(t, &d), 0);
	(void)snprintf(path, sizeof(path), "%s/agsbx/broker/cgroup.procs",
	    t->mount);
	assert_int_equal(io_read_file(AT_FDCWD, path, text, sizeof(text)), 1);
	assert_string_equal(text, "0"); /* the caller itself */
}

/* Begun and not ended is an error: here a file to give away is missing. */
static void
test_half_made(void **state)
{
	struct tree *t = *state;
	struct diag d = {0};

	cgroup(t, "/agsbx", ALL, ALL);
	assert_int_equal(make(t, &d), -1);
	assert_non_null(strstr(d.message, "cannot give away "));
	assert_non_null(
	    strstr(d.message, "/agsbx/cgroup.threads: No such file"));
}

static void
test_not_possible(void **state)
{
	struct tree *t = *state;
	struct diag d = {0};

	put_in(t, "", "cgroup.controllers", "pids\n");
	put_in(t, "", "cgroup.subtree_control", "pids\n");
	assert_int_equal(make(t, &d), 0);
	assert_false(is_there(t, "/agsbx"));
	t->host.magic++;
	assert_int_equal(make(t, &d), 0);
	assert_false(is_there(t, "/agsbx"));
}

#define TREE_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TREE_TEST(test_made),
	    TREE_TEST(test_half_made),
	    TREE_TEST(test_not_possible),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
