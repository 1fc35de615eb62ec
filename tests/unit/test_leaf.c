/*
 * A leaf's counters and its end: over plain files, and where this account can
 * make a cgroup v2 of its own also over a real one, with processes in it.
 */
#include "leaf_fixture.h"

#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>

#include "io.h"
#include "times.h"
#include "ulid.h"

static const char *const trees[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

/* A cgroup of this test's own to make leaves in; NULL: none can be had. */
static int
real_setup(void **state)
{
	struct leaf_place *place = calloc(1, sizeof(*place));
	struct statfs fs;

	*state = place;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		if (statfs(trees[i], &fs) == -1 ||
		    (unsigned long)fs.f_type != leaf_this_host.magic ||
		    access(trees[i], W_OK) == -1)
			continue;
		(void)snprintf(place->parent, sizeof(place->parent),
		    "%s/agsbx-test.%d", trees[i], getpid());
		return (mkdir(place->parent, 0700));
	}
	print_message("no cgroup v2 that this account can write to\n");
	return (0);
}

static int
real_teardown(void **state)
{
	struct leaf_place *place = *state;
	int rc = place->parent[0] != '\0' ? rmdir(place->parent) : 0;

	free(place);
	return (rc);
}

/* A process in the leaf that only SIGKILL ends. */
static pid_t
start_in(const char *leaf)
{
	char procs[640], byte = 0;
	int ends[2];
	pid_t pid;

	(void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", leaf);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(60);
		(void)signal(SIGTERM, SIG_IGN);
		if (io_write_file(AT_FDCWD, procs, "0") == 0)
			(void)io_write_all(ends[1], "x", 1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(close(ends[0]), 0);
	return (pid);
}

static void
want_killed(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void
test_make_and_end(void **state)
{
	char id[JOB_ID_SIZE];
	struct leaf_counters c;
	struct leaf_place *place = *state;
	struct diag d = {0};
	struct leaf l;
	char *path;
	pid_t pid;

	leaf_init(&l);
	assert_int_equal(leaf_end(&l, &d), 0); /* none was made */
	if (place->parent[0] == '\0')
		skip();
	assert_int_equal(ulid_new(1, id), 0);
	path = leaf_path(place, id);
	assert_non_null(path);
	assert_int_equal(leaf_make(&l, place, id, &d), 0);
	assert_int_equal(access(path, F_OK), 0);
	pid = start_in(path);
	leaf_mark(&l);
	leaf_read(&l, &c);
	assert_in_range(c.values[LEAF_CPU_US], 0, 60000000);
	assert_int_equal(leaf_end(&l, &d), 0);
	assert_int_equal(access(path, F_OK), -1);
	want_killed(pid);
	assert_int_equal(l.dir_fd, -1);
	assert_int_equal(leaf_end(&l, &d), 0);
	leaf_read(&l, &c);
	assert_int_equal(c.values[LEAF_CPU_US], JOB_UNKNOWN);
	free(path);
}

/* What a dead broker left, with a process and without; then it is gone. */
static void
test_reap(void **state)
{
	char id[JOB_ID_SIZE], stood[640];
	struct leaf_place *place = *state;
	struct diag d = {0};
	char *path;
	pid_t pid, broker;

	if (place->parent[0] == '\0')
		skip();
	assert_int_equal(ulid_new(1, id), 0);
	path = leaf_path(place, id);
	assert_non_null(path);
	assert_int_equal(mkdir(path, 0700), 0);
	pid = start_in(path);
	(void)snprintf(stood, sizeof(stood), "%s/" LEAF_BROKER, place->parent);
	assert_int_equal(mkdir(stood, 0700), 0);
	broker = start_in(stood);
	assert_int_equal(leaf_reap(path, 5000, &d), 0);
	want_killed(pid);
	/* Another broker, alive: it is left alone. */
	assert_int_equal(kill(broker, 0), 0);
	assert_int_equal(kill(broker, SIGKILL), 0);
	want_killed(broker);
	assert_int_equal(access(stood, F_OK), 0);
	assert_int_equal(leaf_reap(path, 5000, &d), 0);
	assert_int_equal(access(stood, F_OK), -1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(leaf_reap(path, 5000, &d), 0);
	free(path);
}

/* The path of a leaf of that age, which is free; malloced.  NULL: no tree. */
static char *
path_of_age(const struct leaf_place *place, int64_t ms, char id[JOB_ID_SIZE])
{
	char *path;

	if (place->parent[0] == '\0')
		return (NULL);
	assert_int_equal(ulid_new(ms, id), 0);
	path = leaf_path(place, id);
	assert_non_null(path);
	return (path);
}

/* Empty, and old by its name: its job may have waited for long, or the clock
 * have been set.  Who makes another one beside it leaves it alone. */
static void
test_beside(void **state)
{
	char old[JOB_ID_SIZE], id[JOB_ID_SIZE];
	struct leaf_place *place = *state;
	char *path = path_of_age(place, 1, old);
	struct diag d = {0};
	struct leaf l;

	if (path == NULL)
		skip();
	assert_int_equal(ulid_new(2, id), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	leaf_init(&l);
	assert_int_equal(leaf_make(&l, place, id, &d), 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(leaf_end(&l, &d), 0);
	assert_int_equal(rmdir(path), 0);
	free(path);
}

/* It was removed by somebody else, being empty: it is gone. */
static void
test_gone(void **state)
{
	char id[JOB_ID_SIZE];
	struct leaf_place *place = *state;
	char *path = path_of_age(place, 1, id);
	struct diag d = {0};
	struct leaf l;

	if (path == NULL)
		skip();
	leaf_init(&l);
	assert_int_equal(leaf_make(&l, place, id, &d), 0);
	assert_int_equal(rmdir(path), 0);
	if (leaf_end(&l, &d) == -1)
		fail_msg("%s", d.message);
	free(path);
}

/* What cannot be removed is given the time that there is, and no more. */
static void
test_no_patience(void **state)
{
	char id[JOB_ID_SIZE], inner[640];
	char *path = path_of_age(*state, 1, id);
	struct diag d = {0};
	int64_t start;

	if (path == NULL)
		skip();
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(inner, sizeof(inner), "%s/inner", path);
	assert_int_equal(mkdir(inner, 0700), 0);
	start = monotonic_ms();
	assert_int_equal(leaf_reap(path, 0, &d), -1);
	assert_true(monotonic_ms() - start < 500);
	assert_non_null(strstr(d.message, "busy"));
	assert_int_equal(leaf_reap(path, 600, &d), -1);
	assert_true(monotonic_ms() - start >= 600);
	assert_int_equal(rmdir(inner), 0);
	assert_int_equal(leaf_reap(path, 0, &d), 0);
	free(path);
}

static void
test_reap_refuses(void **state)
{
	static const char *const paths[] = {"", "/",
	    "agsbx-01ARYZ6S41TSV4RRFFQ69G5FAV",
	    "/agsbx-01ARYZ6S41TSV4RRFFQ69G5FAV", "/sys/fs/cgroup/init.scope",
	    "/sys/fs/cgroup/agsbx-",
	    "/sys/fs/cgroup/agsbx-01ARYZ6S41TSV4RRFFQ69G5FA/",
	    "/sys/fs/cgroup/agsbx-01ARYZ6S41TSV4RRFFQ69G5FAV/x",
	    "/sys/fs/cgroup/agsbx-broker"};
	struct tree *t = *state;
	struct diag d = {0};
	char path[512];

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_int_equal(leaf_reap(paths[i], 5000, &d), -1);
		assert_non_null(strstr(d.message, "is no path of a cgroup"));
	}
	/* The right name in a tree that is no cgroup v2: nothing is touched. */
	(void)snprintf(path, sizeof(path),
	    "%s/agsbx-01ARYZ6S41TSV4RRFFQ69G5FAV", t->mount);
	assert_int_equal(leaf_reap(path, 5000, &d), 0); /* not there */
	cgroup(t, "/agsbx-01ARYZ6S41TSV4RRFFQ69G5FAV", "", "");
	assert_int_equal(leaf_reap(path, 5000, &d), -1);
	assert_non_null(strstr(d.message, "no cgroup v2 leaf of ours"));
	assert_int_equal(access(path, F_OK), 0);
	(void)snprintf(path, sizeof(path), "%s/none/agsbx-%s", t->mount,
	    "01ARYZ6S41TSV4RRFFQ69G5FAV");
	assert_int_equal(leaf_reap(path, 5000, &d), 0);
}

/* A tree that has no cgroup.kill: no leaf, and none is left. */
static void
test_make_fails(void **state)
{
	struct tree *t = *state;
	struct leaf_place place = {.parent = ""};
	struct diag d = {0};
	struct leaf l;
	char *path;

	leaf_init(&l);
	(void)snprintf(place.parent, sizeof(place.parent), "%s", t->mount);
	path = leaf_path(&place, "01ARYZ6S41TSV4RRFFQ69G5FAV");
	assert_non_null(path);
	assert_int_equal(leaf_make(&l, &place, "01ARYZ6S41TSV4RRFFQ69G5FAV",
			     &d),
	    -1);
	assert_non_null(strstr(d.message,
	    "cannot make cgroup leaf agsbx-01ARYZ6S41TSV4RRFFQ69G5FAV: No "
	    "such file or directory"));
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(l.parent_fd, -1);
	place.is_broker_moved = true;
	(void)snprintf(place.parent, sizeof(place.parent), "/nonexistent");
	assert_int_equal(leaf_make(&l, &place, "01ARYZ6S41TSV4RRFFQ69G5FAV",
			     &d),
	    -1);
	free(path);
}

static void
want_number(struct tree *t, const char *text, const char *key, int64_t number)
{
	char path[512];
	int fd;

	put_in(t, "", "file", text);
	(void)snprintf(path, sizeof(path), "%s/file", t->mount);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(leaf_number(fd, key), number);
	assert_int_equal(close(fd), 0);
}

static void
test_numbers(void **state)
{
	struct tree *t = *state;

	want_number(t, "4096\n", NULL, 4096);
	want_number(t, "low 0\nmax 7\noom_kill 3\n", "oom_kill", 3);
	want_number(t, "low 0\nmax 7\noom_kill 3\n", "max", 7);
	want_number(t, "oom_kill_x 3\n", "oom_kill", JOB_UNKNOWN);
	want_number(t, "oom 3", "oom_kill", JOB_UNKNOWN);
	want_number(t, "max\n", NULL, JOB_UNKNOWN);
	want_number(t, "", NULL, JOB_UNKNOWN);
	want_number(t, "18446744073709551615\n", NULL, JOB_UNKNOWN);
	assert_int_equal(leaf_number(-1, NULL), JOB_UNKNOWN);
}

#define REAL_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, real_setup, real_teardown)
#define TREE_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    REAL_TEST(test_make_and_end),
	    REAL_TEST(test_reap),
	    REAL_TEST(test_beside),
	    REAL_TEST(test_gone),
	    REAL_TEST(test_no_patience),
	    TREE_TEST(test_reap_refuses),
	    TREE_TEST(test_make_fails),
	    TREE_TEST(test_numbers),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
