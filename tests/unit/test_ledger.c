/*
 * test_ledger.c - opening: what is made, what is refused and with which words.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <linux/magic.h>
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

static void
refused(const char *dir, const char *why)
{
	struct ledger *l = NULL;
	struct diag d = {0};

	assert_int_equal(ledger_open(dir, LEDGER_WRITE, &l, &d), -1);
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
	char *path = fixture_path(*state, "a/b/c");
	mode_t old = umask(0);

	ledger_close(fixture_open(path));
	(void)umask(old);
	assert_int_equal(mode_of(path), 0700);
	assert_int_equal(mode_of(fixture_path(*state, "a/b")), 0700);
	assert_int_equal(mode_of(fixture_path(*state, "a/b/c/agsbx.db")), 0600);
}

static void
readers_make_nothing(void **state)
{
	struct ledger *l = NULL;
	struct diag d = {0};

	assert_int_equal(ledger_open(fixture_path(*state, "x"), LEDGER_READ, &l,
			     &d),
	    0);
	assert_null(l);
	assert_int_equal(access(fixture_path(*state, "x"), F_OK), -1);
	assert_int_equal(ledger_open(*state, LEDGER_READ, &l, &d), 0);
	assert_null(l);
	/* The file of a broker that has not got further yet. */
	assert_int_equal(close(open(fixture_path(*state, "agsbx.db"),
			     O_CREAT | O_WRONLY, 0600)),
	    0);
	assert_int_equal(ledger_open(*state, LEDGER_READ, &l, &d), 0);
	assert_null(l);
}

static void
readers_cannot_write(void **state)
{
	struct ledger *l = NULL;
	struct diag d = {0};
	struct job j;

	ledger_close(fixture_open(*state));
	assert_int_equal(ledger_open(*state, LEDGER_READ, &l, &d), 0);
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
	assert_int_equal(access(fixture_path(*state, "agsbx.db"), F_OK), -1);
	assert_int_equal(chmod(*state, 0755), 0);
	ledger_close(fixture_open(*state));
	refused(fixture_path(*state, "agsbx.db"), "is not a directory");
}

static void
foreign_files_are_refused(void **state)
{
	sqlite3 *raw;

	assert_int_equal(symlink("/etc/passwd",
			     fixture_path(*state, "agsbx.db")),
	    0);
	refused(*state, "is not a plain file of this user");
	assert_int_equal(unlink(fixture_path(*state, "agsbx.db")), 0);
	assert_int_equal(mkdir(fixture_path(*state, "agsbx.db"), 0700), 0);
	refused(*state, "is not a plain file of this user");
	assert_int_equal(rmdir(fixture_path(*state, "agsbx.db")), 0);
	raw = fixture_raw(*state);
	assert_int_equal(fixture_sql(raw,
			     "CREATE TABLE t (x); INSERT INTO t VALUES (1)",
			     NULL),
	    SQLITE_OK);
	refused(*state, "is the database of another program");
	assert_int_equal(fixture_number(raw, "SELECT x FROM t"), 1);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
}

/* SQLite opens them too, and would wait for who writes the FIFO. */
static void
side_files_are_judged(void **state)
{
	static const char *const names[] = {"agsbx.db-journal", "agsbx.db-wal",
	    "agsbx.db-shm"};
	struct ledger *l = NULL;
	struct diag d = {0};

	(void)alarm(60);
	ledger_close(fixture_open(*state));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)unlink(fixture_path(*state, names[i]));
		assert_int_equal(mkfifo(fixture_path(*state, names[i]), 0600),
		    0);
		for (enum ledger_mode m = LEDGER_WRITE; m <= LEDGER_AUDIT;
		     m++) {
			assert_int_equal(ledger_open(*state, m, &l, &d), -1);
			assert_non_null(strstr(d.message, names[i]));
			assert_non_null(strstr(d.message, "not a plain file"));
		}
		assert_int_equal(unlink(fixture_path(*state, names[i])), 0);
	}
	ledger_close(fixture_open(*state));
	(void)alarm(0);
}

static void
versions_are_named(void **state)
{
	sqlite3 *raw;

	ledger_close(fixture_open(*state));
	raw = fixture_raw(*state);
	assert_int_equal(fixture_sql(raw, "PRAGMA user_version=7", NULL),
	    SQLITE_OK);
	refused(*state, "has schema version 7, and this agsbx knows 2");
	assert_int_equal(fixture_sql(raw, "PRAGMA user_version=0", NULL),
	    SQLITE_OK);
	refused(*state, "has schema version 0, which no agsbx has made");
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
}

static void
damage_is_told(void **state)
{
	int fd =
	    open(fixture_path(*state, "agsbx.db"), O_CREAT | O_WRONLY, 0600);
	char junk[8192];

	memset(junk, 'x', sizeof(junk));
	assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
	assert_int_equal(close(fd), 0);
	refused(*state, "is not a ledger");
	assert_int_equal(unlink(fixture_path(*state, "agsbx.db")), 0);
	ledger_close(fixture_open(*state));
	/* The header stays, the schema's page does not. */
	fd = open(fixture_path(*state, "agsbx.db"), O_WRONLY);
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

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(directories_are_private),
	    TEST(readers_make_nothing),
	    TEST(readers_cannot_write),
	    TEST(open_directories_are_refused),
	    TEST(foreign_files_are_refused),
	    TEST(side_files_are_judged),
	    TEST(versions_are_named),
	    TEST(damage_is_told),
	    cmocka_unit_test(shared_filesystems_are_known),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
