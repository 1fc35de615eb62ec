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
#define COPY_PATH_MAX 2048

static int
fail(const char *path, struct diag *d)
{
	return (diag_at(d, DIAG_LEDGER, path, 0,
	    "the copy of a ledger of an older schema cannot be made: %s",
	    strerror(errno)));
}

/* An empty file that did not exist: no copy is ever overwritten. */
static int
make_file(const struct ledger *l, int64_t version, char path[COPY_PATH_MAX],
    struct diag *d)
{
	int fd = -1, len;

	for (int n = 1; n <= COPIES_MAX; n++) {
		len = snprintf(path, COPY_PATH_MAX, "%s.schema-%lld.%d",
		    l->path, (long long)version, n);
		if (len < 0 || len >= COPY_PATH_MAX) {
			errno = ENAMETOOLONG;
			return (fail(l->path, d));
		}
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd != -1 || errno != EEXIST)
			break;
	}
	if (fd == -1 || close(fd) == -1)
		return (fail(path, d));
	return (0);
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

static int
make_copy(const struct ledger *l, int64_t version, struct diag *d)
{
	char path[COPY_PATH_MAX];

	if (make_file(l, version, path, d) == -1)
		return (-1);
	if (copy_file(l, path, d) == 0)
		return (0);
	/* Half a copy is worth nothing, and the ledger is as it was. */
	(void)unlink(path);
	return (-1);
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
