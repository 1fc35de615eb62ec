/*
 * test_ledger_hosts.c - places where a ledger cannot be: unwritable, foreign,
 * read-only, full; and many processes at once on one that does not exist yet.
 */
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ledger_fixture.h"

#define OTHER_ID 12345

/* In a child, because these change the process. */
static int
in_child(int (*fn)(const char *dir), const char *dir)
{
	pid_t pid = fork();
	int status;

	assert_true(pid != -1);
	if (pid == 0)
		_exit(fn(dir));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return (WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

#define CHILD_SKIP 77

/* 0 when opening fails with that text. */
static int
fails_with(const char *dir, const char *why)
{
	struct ledger *l = NULL;
	struct diag d = {0};

	if (ledger_open(dir, LEDGER_WRITE, &l, &d) != -1)
		return (1);
	if (d.code == DIAG_LEDGER && strstr(d.message, why) != NULL)
		return (0);
	print_message("got: %s\n", d.message);
	return (2);
}

static int
become_other(void)
{
	if (geteuid() != 0)
		return (0);
	return (setresgid(OTHER_ID, OTHER_ID, OTHER_ID) == 0 &&
		    setresuid(OTHER_ID, OTHER_ID, OTHER_ID) == 0 ?
		0 :
		-1);
}

static int
unwritable_child(const char *dir)
{
	return (become_other() == -1 ?
		9 :
		fails_with(fixture_path(dir, "new"), "Permission denied"));
}

static void
unwritable_parent_is_told(void **state)
{
	assert_int_equal(chmod(*state, 0555), 0);
	assert_int_equal(in_child(unwritable_child, *state), 0);
	assert_int_equal(chmod(*state, 0700), 0);
}

static int
foreign_child(const char *dir)
{
	return (setresuid(OTHER_ID, OTHER_ID, OTHER_ID) == -1 ?
		9 :
		fails_with(dir, "belongs to user 0, and this is user 12345"));
}

static void
foreign_directory_is_told(void **state)
{
	if (geteuid() != 0) {
		print_message("SKIP: only root can become somebody else\n");
		skip();
	}
	assert_int_equal(chmod(*state, 0755), 0);
	assert_int_equal(in_child(foreign_child, *state), 0);
}

static int
readonly_child(const char *dir)
{
	return (become_other() == -1 ? 9 : fails_with(dir, "is read-only"));
}

static void
readonly_file_is_told(void **state)
{
	ledger_close(fixture_open(*state));
	if (geteuid() == 0) {
		assert_int_equal(chown(fixture_path(*state, "agsbx.db"),
				     OTHER_ID, OTHER_ID),
		    0);
		assert_int_equal(chown(*state, OTHER_ID, OTHER_ID), 0);
	}
	assert_int_equal(chmod(fixture_path(*state, "agsbx.db"), 0400), 0);
	assert_int_equal(in_child(readonly_child, *state), 0);
}

static int
put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(text);

	if (fd == -1)
		return (-1);
	if (write(fd, text, (size_t)len) != len) {
		(void)close(fd);
		return (-1);
	}
	return (close(fd));
}

/* Both ids are mapped: a file of an unmapped one cannot be made. */
static int
own_mounts(void)
{
	char uid_map[64], gid_map[64];

	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0)
		return (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	(void)snprintf(uid_map, sizeof(uid_map), "%u %u 1", geteuid(),
	    geteuid());
	(void)snprintf(gid_map, sizeof(gid_map), "%u %u 1", getegid(),
	    getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1 ||
	    put_file("/proc/self/setgroups", "deny") == -1 ||
	    put_file("/proc/self/uid_map", uid_map) == -1)
		return (-1);
	return (put_file("/proc/self/gid_map", gid_map));
}

/* Jobs until the filesystem is full; then the same ledger is still whole. */
static int
fill_up(const char *dir)
{
	struct ledger *l = NULL;
	struct diag d = {0};
	struct job j;
	int admitted = 0, rc;

	if (ledger_open(dir, LEDGER_WRITE, &l, &d) == -1)
		return (3);
	do {
		fixture_job(&j);
		rc = ledger_admit(l, &j, &d);
		job_free(&j);
	} while (rc == 0 && admitted++ < 10000);
	if (rc == 0 || strstr(d.message, "filesystem or quota is full") == NULL)
		return (4);
	ledger_close(l);
	return (admitted);
}

static int
full_child(const char *dir)
{
	int admitted;
	sqlite3 *raw;

	if (own_mounts() == -1 ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=400k,mode=0700") == -1) {
		print_message("SKIP: no tmpfs of our own: %s\n",
		    strerror(errno));
		return (CHILD_SKIP);
	}
	admitted = fill_up(dir);
	if (admitted < 5)
		return (admitted);
	raw = fixture_raw(dir);
	return (fixture_number(raw, "SELECT count(*) FROM jobs") == admitted &&
		    fixture_number(raw, "SELECT count(*) FROM events") ==
			admitted &&
		    fixture_number(raw, "SELECT count(*) FROM controls") ==
			(long long)admitted * CTL__MAX ?
		0 :
		5);
}

static void
full_disk_is_told(void **state)
{
	int rc = in_child(full_child, *state);

	if (rc == CHILD_SKIP)
		skip();
	assert_int_equal(rc, 0);
}

static int
tiny_child(const char *dir)
{
	const struct rlimit none = {.rlim_cur = 8192, .rlim_max = 8192};

	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR ||
	    setrlimit(RLIMIT_FSIZE, &none) == -1)
		return (9);
	return (fails_with(dir, "is full"));
}

static void
failed_first_open_leaves_nothing(void **state)
{
	sqlite3 *raw;

	assert_int_equal(in_child(tiny_child, *state), 0);
	raw = fixture_raw(*state);
	assert_int_equal(fixture_number(raw,
			     "SELECT count(*) FROM sqlite_schema"),
	    0);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
	ledger_close(fixture_open(*state));
}

/* ---- many at once ---- */
#define RACERS 16
#define ADMISSIONS 50

static int
racer(const char *dir)
{
	struct ledger *l = NULL;
	struct diag d = {0};
	struct job j;
	int rc = ledger_open(dir, LEDGER_WRITE, &l, &d);

	for (int i = 0; i < ADMISSIONS && rc == 0; i++) {
		fixture_small_job(&j);
		if ((rc = ledger_admit(l, &j, &d)) == 0 && i % 2 == 0 &&
		    (rc = ledger_start(l, &j, &d)) == 0) {
			j.state = JOB_SUCCEEDED;
			rc = ledger_settle(l, &j, &d);
		}
		job_free(&j);
	}
	if (rc == -1)
		print_message("%s\n", d.message);
	ledger_close(l);
	return (rc == 0 ? 0 : 1);
}

static void
no_row_is_lost(void **state)
{
	char *dir = fixture_path(*state, "race");
	pid_t pids[RACERS];
	sqlite3 *raw;
	int status;

	for (int i = 0; i < RACERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] != -1);
		if (pids[i] == 0)
			_exit(racer(dir));
	}
	for (int i = 0; i < RACERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	raw = fixture_raw(dir);
	assert_int_equal(fixture_number(raw, "SELECT count(*) FROM jobs"),
	    RACERS * ADMISSIONS);
	assert_int_equal(fixture_number(raw, "SELECT max(n) FROM jobs"),
	    RACERS * ADMISSIONS);
	assert_int_equal(fixture_number(raw, "SELECT count(*) FROM events"),
	    RACERS * ADMISSIONS * 5 / 2);
	assert_int_equal(fixture_number(raw, "SELECT max(seq) FROM events"),
	    RACERS * ADMISSIONS * 5 / 2);
	/* Every event but the first follows the one before it. */
	assert_int_equal(fixture_number(raw,
			     "SELECT count(*) FROM events b JOIN events a"
			     " ON a.seq = b.seq - 1 WHERE a.hash = b.prev"),
	    RACERS * ADMISSIONS * 5 / 2 - 1);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(unwritable_parent_is_told),
	    TEST(foreign_directory_is_told),
	    TEST(readonly_file_is_told),
	    TEST(full_disk_is_told),
	    TEST(failed_first_open_leaves_nothing),
	    TEST(no_row_is_lost),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
