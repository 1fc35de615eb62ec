/*
 * Beneath which cgroup a leaf can be made, and what a person is told where
 * none can, over trees of this test's own.  Root may write everywhere: what
 * needs a cgroup of another owner is tried as an ordinary user.
 */
#include "leaf_fixture.h"

#include "host.h"

static struct leaf_place place;

static void
want_parent(struct tree *t, const char *path, unsigned int controllers)
{
	char parent[512];

	leaf_find(&place, &t->host);
	(void)snprintf(parent, sizeof(parent), "%s%s", t->mount, path);
	assert_string_equal(place.parent, parent);
	assert_int_equal(place.controllers, controllers);
}

static void
want_cause(struct tree *t, const char *words)
{
	leaf_find(&place, &t->host);
	if (strstr(place.cause, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", place.cause, words);
}

/* The root passes all on here, and is ours where the test runs as root. */
static void
close_root(struct tree *t)
{
	put_in(t, "", "cgroup.subtree_control", "");
}

static void
test_parent(void **state)
{
	struct tree *t = *state;

	close_root(t);
	cgroup(t, "/user", ALL, ALL);
	cgroup(t, "/user/session", ALL, "");
	stand(t, "/user/session", false);
	want_parent(t, "/user", LEAF_MEMORY | LEAF_PIDS | LEAF_CPU);
	assert_string_equal(place.cause, "");
	assert_false(place.is_broker_moved);
	assert_non_null(strstr(place.steps[LEAF_STEP_OWN], "/cgroup/user"));
}

static void
test_root_of_hierarchy(void **state)
{
	struct tree *t = *state;

	stand(t, "", false);
	want_parent(t, "", LEAF_MEMORY | LEAF_PIDS | LEAF_CPU);
}

/* A whole word: cpuset is not cpu. */
static void
test_only_pids(void **state)
{
	struct tree *t = *state;

	put_in(t, "", "cgroup.subtree_control", "cpuset pids io\n");
	cgroup(t, "/user", "cpuset pids io\n", "cpuset pids\n");
	cgroup(t, "/user/session", "cpuset pids\n", "");
	stand(t, "/user/session", false);
	want_parent(t, "/user", LEAF_PIDS);
	assert_non_null(
	    strstr(place.cause, "/user/session has no memory controller"));
	assert_non_null(strstr(place.fix, "as root: echo +memory +pids > "));
	assert_non_null(strstr(place.fix, "/cgroup/cgroup.subtree_control"));
	assert_non_null(
	    strstr(place.steps[LEAF_STEP_OWN], "without a memory controller"));
}

static void
test_controller_off(void **state)
{
	struct tree *t = *state;

	put(t->proc_cgroups, "#subsys_name\nmemory\t0\t4\t0\n");
	put_in(t, "", "cgroup.controllers", "pids\n");
	close_root(t);
	cgroup(t, "/user", "", "");
	stand(t, "/user", false);
	want_cause(t, "/user has no memory controller: it is switched off");
	assert_string_equal(place.fix, "boot without cgroup_disable=memory");
}

static void
test_other_processes(void **state)
{
	struct tree *t = *state;

	close_root(t);
	cgroup(t, "/scope", ALL, "");
	stand(t, "/scope", false);
	want_cause(t, "no delegated cgroup v2: /scope has other processes");
	assert_string_equal(place.parent, "");
	assert_non_null(strstr(place.fix, "where it is alone"));
}

/* Alone: it moves, and comes back where that was of no use.  The files of this
 * tree are plain: what is enabled is not enabled. */
static void
test_alone(void **state)
{
	struct tree *t = *state;

	close_root(t);
	cgroup(t, "/scope", ALL, "");
	cgroup(t, "/scope/" LEAF_BROKER, "", "");
	stand(t, "/scope", true);
	leaf_find(&place, &t->host);
	assert_string_equal(place.parent, "");
	assert_false(place.is_broker_moved);
	assert_int_not_equal(place.cause[0], '\0');
}

static void
test_types(void **state)
{
	struct tree *t = *state;

	close_root(t);
	cgroup(t, "/a", ALL, ALL);
	stand(t, "/a", false);
	put_in(t, "/a", "cgroup.type", "threaded\n");
	want_cause(t, "/a is of type \"threaded\"");
	put_in(t, "/a", "cgroup.type", "domain invalid\n");
	want_cause(t, "/a is of type \"domain invalid\"");
	assert_string_equal(place.parent, "");
}

/* A slice is systemd's own, though its files are ours. */
static void
test_slices(void **state)
{
	struct tree *t = *state;

	close_root(t);
	cgroup(t, "/app.slice", ALL, ALL);
	cgroup(t, "/app.slice/x.scope", ALL, "");
	stand(t, "/app.slice/x.scope", false);
	want_cause(t, "other processes");
	assert_string_equal(place.parent, "");
	cgroup(t, "/user@7.service", ALL, ALL);
	stand(t, "/user@7.service", false);
	leaf_find(&place, &t->host);
	assert_string_equal(place.parent, "");
}

static void
test_owner(void **state)
{
	struct tree *t = *state;
	char dir[512];

	if (geteuid() == 0) {
		print_message("root may write to every cgroup\n");
		skip();
	}
	(void)snprintf(dir, sizeof(dir), "%s/user", t->mount);
	close_root(t);
	cgroup(t, "/user", ALL, ALL);
	stand(t, "/user", true);
	assert_int_equal(chmod(dir, 0555), 0);
	want_cause(t, "no delegated cgroup v2: /user belongs to ");
	assert_non_null(strstr(place.fix, "mkdir -p agsbx/shell"));
	assert_int_equal(chmod(dir, 0755), 0);
}

static void
test_named(void **state)
{
	struct tree *t = *state;
	char dir[512], longer[640];

	(void)snprintf(dir, sizeof(dir), "%s/jobs/", t->mount);
	(void)snprintf(longer, sizeof(longer), "%sdeep", dir);
	close_root(t);
	cgroup(t, "/jobs", ALL, ALL);
	cgroup(t, "/scope", ALL, "");
	stand(t, "/scope", false);
	t->host.named = dir;
	t->host.named_by = "$AGSBX_CGROUP";
	want_parent(t, "/jobs", LEAF_MEMORY | LEAF_PIDS | LEAF_CPU);
	assert_int_equal(place.step, LEAF_STEP_NAMED);
	assert_non_null(strstr(place.steps[LEAF_STEP_OWN], "/scope has other"));

	put_in(t, "/jobs", "cgroup.controllers", "pids\n");
	put_in(t, "/jobs", "cgroup.subtree_control", "pids\n");
	want_cause(t, "/jobs has no memory controller ($AGSBX_CGROUP)");
	t->host.named = longer;
	want_cause(t, "/jobs/deep: No such file or directory ($AGSBX_CGROUP)");
	t->host.named = "/jobs";
	want_cause(t, "/jobs ($AGSBX_CGROUP) is no path beneath ");
	(void)snprintf(longer, sizeof(longer), "%s/../x", t->mount);
	t->host.named = longer;
	want_cause(t, "is no path beneath ");
}

/* Who stands outside may not put a process in. */
static void
test_named_outside(void **state)
{
	struct tree *t = *state;
	char dir[512], procs[640];

	if (geteuid() == 0) {
		print_message("root may write to every cgroup\n");
		skip();
	}
	(void)snprintf(dir, sizeof(dir), "%s/jobs", t->mount);
	(void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", t->mount);
	close_root(t);
	cgroup(t, "/jobs", ALL, ALL);
	cgroup(t, "/jobsuite", ALL, "");
	stand(t, "/jobsuite", false);
	t->host.named = dir;
	t->host.named_by = "policy";
	assert_int_equal(chmod(procs, 0444), 0);
	want_cause(t, "/jobs (policy): agsbx stands outside of it, in ");
	assert_non_null(strstr(place.cause, "/cgroup/cgroup.procs"));
}

static void
test_mounts(void **state)
{
	struct tree *t = *state;

	stand(t, "", true);
	t->host.magic++;
	want_cause(t, "nothing is mounted on ");
	assert_non_null(strstr(place.fix, "mount -t cgroup2"));
	t->host.proc_cgroup = "/nonexistent";
	want_cause(t, "the kernel has no cgroups");
	assert_string_equal(place.fix, "");
	t->host.mount = "/proc";
	t->host.magic--;
	want_cause(t, "no delegated cgroup v2 ");
}

static void
test_v1(void **state)
{
	struct tree *t = *state;

	/* /dev/shm is a tmpfs nearly everywhere; so is the mount of v1. */
	if (access("/dev/shm", F_OK) == -1)
		skip();
	t->host.mount = "/dev/shm";
	t->host.magic = ~0UL;
	want_cause(t, "(/dev/shm is cgroup v1)");
	assert_non_null(strstr(place.fix, "cgroup_no_v1=all"));
	assert_string_equal(place.steps[LEAF_STEP_OWN], place.cause);
	assert_string_equal(place.steps[LEAF_STEP_NAMED], "");
}

static void
test_invisible(void **state)
{
	struct tree *t = *state;

	put(t->proc_cgroup, "0::/../elsewhere\n");
	want_cause(t, "is not visible below ");
	put(t->proc_cgroup, "1:cpu:/x\n");
	want_cause(t, "is not visible below ");
	put(t->proc_cgroup, "0::/cut");
	want_cause(t, "is not visible below ");
}

static void
test_this_host(void **state)
{
	struct host h;

	(void)state;
	host_read(&h);
	assert_string_equal(h.sysname, "Linux");
	assert_int_equal(strlen(h.boot_id), 36);
	assert_true(h.release[0] != '\0');
	leaf_find(&h.leaf, &leaf_this_host);
	/* One of the two, never both and never neither. */
	assert_int_equal(h.leaf.cause[0] == '\0',
	    (h.leaf.controllers & LEAF_MEMORY) != 0);
	leaf_place_leave(&h.leaf);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", "/nonexistent", 1), 0);
	host_read(&h);
	assert_false(h.has_user_manager);
}

#define TREE_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TREE_TEST(test_parent),
	    TREE_TEST(test_root_of_hierarchy),
	    TREE_TEST(test_only_pids),
	    TREE_TEST(test_controller_off),
	    TREE_TEST(test_other_processes),
	    TREE_TEST(test_alone),
	    TREE_TEST(test_types),
	    TREE_TEST(test_slices),
	    TREE_TEST(test_owner),
	    TREE_TEST(test_named),
	    TREE_TEST(test_named_outside),
	    TREE_TEST(test_mounts),
	    TREE_TEST(test_v1),
	    TREE_TEST(test_invisible),
	    cmocka_unit_test(test_this_host),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
