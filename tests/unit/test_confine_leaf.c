/*
 * confine.c: beneath the cgroup that holds the leaf, a confined broker can
 * remove an empty directory, and do nothing else.
 */
#include "confine_fixture.h"

#include <sys/stat.h>

#include <fcntl.h>

static char made_dir[] = "/tmp/agsbx-test-XXXXXX";

static void
child_leaf(void)
{
	struct confine_paths paths = {NULL,
	    open(made_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	struct diag d;
	bool has = false;

	CHECK(paths.leaf_parent != -1);
	CHECK(confine_self(&paths, false, &has, &d) == 0 && has);
	CHECK(unlinkat(paths.leaf_parent, "leaf", AT_REMOVEDIR) == 0);
	CHECK(unlinkat(paths.leaf_parent, "file", 0) == -1 && errno == EACCES);
	CHECK(mkdirat(paths.leaf_parent, "new", 0700) == -1);
	CHECK(errno == EACCES);
	CHECK(openat(paths.leaf_parent, "file", O_RDONLY | O_CLOEXEC) == -1);
	CHECK(errno == EACCES);
	CHECK(openat(paths.leaf_parent, "file", O_WRONLY | O_CLOEXEC) == -1);
	CHECK(errno == EACCES);
}

/* Each of them works unconfined, so that only Landlock can be why not. */
static void
test_leaf(void **state)
{
	char leaf[64], file[64], new[64];

	(void)state;
	if (!has_landlock())
		skip();
	assert_non_null(mkdtemp(made_dir));
	(void)snprintf(leaf, sizeof(leaf), "%s/leaf", made_dir);
	(void)snprintf(file, sizeof(file), "%s/file", made_dir);
	(void)snprintf(new, sizeof(new), "%s/new", made_dir);
	assert_int_equal(mkdir(new, 0700), 0);
	assert_int_equal(rmdir(new), 0);
	assert_int_equal(mkdir(leaf, 0700), 0);
	assert_true(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0);
	assert_true(open(file, O_RDWR | O_CLOEXEC) >= 0);
	in_child(child_leaf);
	assert_int_equal(rmdir(leaf), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(made_dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_leaf),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
