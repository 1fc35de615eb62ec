/*
 * test_ledger.c - opening: what is made, what is refused and with which words,
 * and many processes at once on a ledger that does not exist yet.
 */
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
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
#include "ledger_int.h"

#define OTHER_ID 12345

static int
set_up(void **state)
{
	*state = fixture_dir();
	return (0);
}

static int
tear_down(void **state)
{
	fixture_remove(*state);
	return (0);
}

static char *
below(const char *dir, const char *name)
{
	static char path[2048];

	assert_true(snprintf(path, sizeof(path), "%s/%s", dir, name) > 0);
	return (path);
}

static void
refused(const char *dir, const char *why)
{
	struct ledger *l = NULL;
	struct diag d = {0};

	assert_int_equal(ledger_open(dir, false, &l, &d), -1);
	assert_null(l);
	assert_int_equal(d.code, DIAG_LEDGER);
	if (strstr(d.message, why) == NULL)
		fail_msg("\"%s\" is not in: %s", why, d.message);
	/* One line that begins with the file. */
	assert_null(strchr(d.message, '\n'));
	assert_int_equal(d.message[0], '/');
}

static mode_t
mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (st.st_mode & 07777);
}

static void
directories_are_private(void **state)
{
	char *path = below(*state, "a/b/c");
	mode_t old = umask(0);

	ledger_close(fixture_open(path));
	(void)umask(old);
	assert_int_equal(mode_of(path), 0700);
	assert_int_equal(mode_of(below(*state, "a/b")), 0700);
	assert_int_equal(mode_of(below(*state, "a/b/c/agsbx.db")), 0600);
}

static void
readers_make_nothing(void **state)
{
	struct ledger *l = NULL;
	struct diag d = {0};

	assert_int_equal(ledger_open(below(*state, "x"), true, &l, &d), 0);
	assert_null(l);
	assert_int_equal(access(below(*state, "x"), F_OK), -1);
	assert_int_equal(ledger_open(*state, true, &l, &d), 0);
	assert_null(l);
	/* The file of a broker that has not got further yet. */
	assert_int_equal(close(open(below(*state, "agsbx.db"),
			     O_CREAT | O_WRONLY, 0600)),
	    0);
	assert_int_equal(ledger_open(*state, true, &l, &d), 0);
	assert_null(l);
}

static void
readers_cannot_write(void **state)
{
	struct ledger *l = NULL;
	struct diag d = {0};
	struct job j;

	ledger_close(fixture_open(*state));
	assert_int_equal(ledger_open(*state, true, &l, &d), 0);
	assert_non_null(l);
	fixture_small_job(&j);
	assert_int_equal(ledger_admit(l, &j, &d), -1);
	assert_non_null(strstr(d.message, "is read-only"));
	job_free(&j);
	ledger_close(l);
}

static void
open_directories_are_refused(void **state)
{
	assert_int_equal(chmod(*state, 0770), 0);
	refused(*state, "others can write in it");
	assert_int_equal(chmod(*state, 0702), 0);
	refused(*state, "others can write in it");
	assert_int_equal(access(below(*state, "agsbx.db"), F_OK), -1);
	assert_int_equal(chmod(*state, 0755), 0);
	ledger_close(fixture_open(*state));
	refused(below(*state, "agsbx.db"), "is not a directory");
}

static void
foreign_files_are_refused(void **state)
{
	sqlite3 *raw;

	assert_int_equal(symlink("/etc/passwd", below(*state, "agsbx.db")), 0);
	refused(*state, "is not a plain file of this user");
	assert_int_equal(unlink(below(*state, "agsbx.db")), 0);
	assert_int_equal(mkdir(below(*state, "agsbx.db"), 0700), 0);
	refused(*state, "is not a plain file of this user");
	assert_int_equal(rmdir(below(*state, "agsbx.db")), 0);
	raw = fixture_raw(*state);
	assert_int_equal(fixture_sql(raw,
			     "CREATE TABLE t (x); INSERT INTO t VALUES (1)",
			     NULL),
	    SQLITE_OK);
	refused(*state, "is the database of another program");
	assert_int_equal(fixture_number(raw, "SELECT x FROM t"), 1);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
}

static void
versions_are_named(void **state)
{
	sqlite3 *raw;

	ledger_close(fixture_open(*state));
	raw = fixture_raw(*state);
	assert_int_equal(fixture_sql(raw, "PRAGMA user_version=7", NULL),
	    SQLITE_OK);
	refused(*state, "has schema version 7, and this agsbx knows 1");
	assert_int_equal(fixture_sql(raw, "PRAGMA user_version=0", NULL),
	    SQLITE_OK);
	refused(*state, "has schema version 0, which no agsbx has made");
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
}

static void
damage_is_told(void **state)
{
	int fd = open(below(*state, "agsbx.db"), O_CREAT | O_WRONLY, 0600);
	char junk[8192];

	memset(junk, 'x', sizeof(junk));
	assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
	assert_int_equal(close(fd), 0);
	refused(*state, "is not a ledger");
	assert_int_equal(unlink(below(*state, "agsbx.db")), 0);
	ledger_close(fixture_open(*state));
	/* The header stays, the schema's page does not. */
	fd = open(below(*state, "agsbx.db"), O_WRONLY);
	assert_int_equal(pwrite(fd, junk, 3996, 100), 3996);
	assert_int_equal(close(fd), 0);
	refused(*state, "is damaged");
}

static void
shared_filesystems_are_known(void **state)
{
	(void)state;
	assert_string_equal(ledger_fs_is_shared(NFS_SUPER_MAGIC), "NFS");
	assert_string_equal(ledger_fs_is_shared(0xff534d42), "CIFS");
	assert_string_equal(ledger_fs_is_shared(0xfe534d42), "SMB2");
	assert_string_equal(ledger_fs_is_shared(V9FS_MAGIC), "9p");
	assert_string_equal(ledger_fs_is_shared(FUSE_SUPER_MAGIC), "FUSE");
	assert_null(ledger_fs_is_shared(EXT4_SUPER_MAGIC));
	assert_null(ledger_fs_is_shared(TMPFS_MAGIC));
	assert_null(ledger_fs_is_shared(OVERLAYFS_SUPER_MAGIC));
}

/* ---- in a child, because they change the process ---- */
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

	if (ledger_open(dir, false, &l, &d) != -1)
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
		fails_with(below(dir, "new"), "Permission denied"));
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
		assert_int_equal(chown(below(*state, "agsbx.db"), OTHER_ID,
				     OTHER_ID),
		    0);
		assert_int_equal(chown(*state, OTHER_ID, OTHER_ID), 0);
	}
	assert_int_equal(chmod(below(*state, "agsbx.db"), 0400), 0);
	assert_int_equal(in_child(readonly_child, *state), 0);
}

static int
own_mounts(void)
{
	char map[64];
	uid_t uid = geteuid();
	int fd;

	if (uid == 0 && unshare(CLONE_NEWNS) == 0)
		return (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1)
		return (-1);
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	(void)snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	if (fd == -1 || write(fd, map, strlen(map)) == -1 || close(fd) == -1)
		return (-1);
	return (0);
}

/* Jobs until the filesystem is full; then the same ledger is still whole. */
static int
fill_up(const char *dir)
{
	struct ledger *l = NULL;
	struct diag d = {0};
	struct job j;
	int admitted = 0, rc;

	if (ledger_open(dir, false, &l, &d) == -1)
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
	return (fails_with(dir, "input/output error"));
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
	int rc = ledger_open(dir, false, &l, &d);

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
	char *dir = below(*state, "race");
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(directories_are_private),
	    TEST(readers_make_nothing),
	    TEST(readers_cannot_write),
	    TEST(open_directories_are_refused),
	    TEST(foreign_files_are_refused),
	    TEST(versions_are_named),
	    TEST(damage_is_told),
	    cmocka_unit_test(shared_filesystems_are_known),
	    TEST(unwritable_parent_is_told),
	    TEST(foreign_directory_is_told),
	    TEST(readonly_file_is_told),
	    TEST(full_disk_is_told),
	    TEST(failed_first_open_leaves_nothing),
	    TEST(no_row_is_lost),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
