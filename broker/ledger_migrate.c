/*
 * ledger_migrate.c - an older ledger becomes one of today's schema: first a
 * copy of it beside the file, then everything in one transaction.  Rows keep
 * their bytes and events their hashes.  Called by ledger_open() before the
 * broker is confined.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "ledger_int.h"

#define COPIES_MAX 100
#define COPY_PATH_MAX 1024 /* SQLite opens none above 512 bytes */

static int
fail(const char *path, struct diag *d)
{
	return (diag_at(d, DIAG_LEDGER, path, 0,
	    "the copy of a ledger of an older schema cannot be made: %s",
	    strerror(errno)));
}

static int
name_copy(const struct ledger *l, int64_t version, const char *suffix,
    char path[COPY_PATH_MAX], struct diag *d)
{
	int len = snprintf(path, COPY_PATH_MAX, "%s.schema-%lld.%s", l->path,
	    (long long)version, suffix);

	if (len >= 0 && len < COPY_PATH_MAX)
		return (0);
	errno = ENAMETOOLONG;
	return (fail(l->path, d));
}

/* What a process left that died amid a copy.  Only whoever holds the write
 * lock makes one. */
static int
remove_half(const struct ledger *l, int64_t version, struct diag *d)
{
	static const char *const suffixes[] = {"tmp", "tmp-journal"};
	char path[COPY_PATH_MAX];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (name_copy(l, version, suffixes[i], path, d) == -1)
			return (-1);
		if (unlink(path) == -1 && errno != ENOENT)
			return (fail(path, d));
	}
	return (0);
}

/* An empty file, for SQLite to open. */
static int
make_file(const char *path, struct diag *d)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return (fd == -1 || close(fd) == -1 ? fail(path, d) : 0);
}

/* The first number that is free: no copy is ever overwritten. */
static int
give_name(const struct ledger *l, int64_t version, const char *tmp,
    struct diag *d)
{
	char path[COPY_PATH_MAX], number[16];

	for (int n = 1; n <= COPIES_MAX; n++) {
		(void)snprintf(number, sizeof(number), "%d", n); /* fits */
		if (name_copy(l, version, number, path, d) == -1)
			return (-1);
		if (link(tmp, path) == 0)
			return (0);
		if (errno != EEXIST)
			break;
	}
	return (fail(path, d));
}

/* The names are on the disk before anything is changed. */
static int
sync_path(const char *path, struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd == -1 || fsync(fd) == -1 ? fail(path, d) : 0;

	io_close(&fd);
	return (rc);
}

/*
 * A second connection sees what was committed last, which is all there is
 * while the first one holds the write lock and has not written yet.
 */
static int
copy_pages(const struct ledger *l, sqlite3 *to)
{
	sqlite3 *from = NULL;
	sqlite3_backup *backup;
	int rc;

	rc = sqlite3_open_v2(l->path, &from,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW, NULL);
	if (rc == SQLITE_OK) {
		backup = sqlite3_backup_init(to, "main", from, "main");
		if (backup != NULL) {
			/* Its error is told by finish. */
			(void)sqlite3_backup_step(backup, -1);
			rc = sqlite3_backup_finish(backup);
		} else {
			rc = sqlite3_errcode(to);
		}
	}
	(void)sqlite3_close(from); /* was only read */
	return (rc);
}

static int
copy_file(const struct ledger *l, const char *path, struct diag *d)
{
	sqlite3 *to = NULL;
	int rc;

	rc = sqlite3_open_v2(path, &to,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);
	if (rc == SQLITE_OK)
		rc = copy_pages(l, to);
	if (sqlite3_close(to) != SQLITE_OK && rc == SQLITE_OK)
		rc = SQLITE_IOERR;
	return (rc == SQLITE_OK ? 0 : sql_fail(l, rc, d));
}

/* Whole or not there: under its name stands only what is on the disk. */
static int
make_copy(const struct ledger *l, int64_t version, struct diag *d)
{
	struct diag ignored = {0};
	char tmp[COPY_PATH_MAX];

	if (name_copy(l, version, "tmp", tmp, d) == -1 ||
	    remove_half(l, version, d) == -1)
		return (-1);
	if (make_file(tmp, d) == -1 || copy_file(l, tmp, d) == -1 ||
	    sync_path(tmp, d) == -1 || give_name(l, version, tmp, d) == -1) {
		/* Half a copy is worth nothing, and the ledger is as it was. */
		(void)remove_half(l, version, &ignored);
		return (-1);
	}
	if (remove_half(l, version, d) == -1)
		return (-1);
	return (sync_path(l->dir, d));
}

/* The triggers of the older schema hold rules that this one changed. */
static int
drop_triggers(struct ledger *l, struct diag *d)
{
	char *sql = NULL;
	size_t len = 0;
	FILE *text = open_memstream(&sql, &len);
	int rc = SQLITE_NOMEM;
	auto_stmt stmt = sql_prepare(l,
	    "SELECT printf('DROP TRIGGER \"%w\";', name) FROM sqlite_schema"
	    " WHERE type = 'trigger'",
	    d);

	while (text != NULL && stmt != NULL &&
	    (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		(void)fputs((const char *)sqlite3_column_text(stmt, 0), text);
	sql_close_stmt(&stmt);
	if (text == NULL || fclose(text) != 0)
		rc = SQLITE_NOMEM;
	rc = rc == SQLITE_DONE ? sql_exec(l, sql, d) : sql_fail(l, rc, d);
	free(sql);
	return (rc);
}

static int
change_schema(struct ledger *l, struct diag *d)
{
	char *text;
	int rc;

	if (drop_triggers(l, d) == -1 ||
	    sql_exec(l, ledger_added_columns, d) == -1)
		return (-1);
	if ((text = schema_text(false)) == NULL)
		return (sql_fail(l, SQLITE_NOMEM, d));
	rc = sql_exec(l, text, d);
	free(text);
	return (rc);
}

int
schema_migrate(struct ledger *l, struct diag *d)
{
	int64_t version;
	int rc;

	if (schema_version(l, &version, d) == -1)
		return (-1);
	if (version == LEDGER_SCHEMA)
		return (0);
	if (sql_begin(l, SQL_FULL, d) == -1)
		return (-1);
	/* Another process may have done it while we waited. */
	rc = schema_version(l, &version, d);
	if (rc == 0 && version < LEDGER_SCHEMA &&
	    (rc = make_copy(l, version, d)) == 0)
		rc = change_schema(l, d);
	return (sql_end(l, rc, d));
}
