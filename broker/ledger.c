/*
 * ledger.c - opening and closing of the ledger.  Everything that SQLite loads
 * or opens lazily is made to happen here, because the broker confines itself
 * afterwards and keeps the connection.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger_int.h"

#define SIDE_PATH_MAX 2048

bool
ledger_mode_reads(enum ledger_mode mode)
{
	return (mode == LEDGER_READ || mode == LEDGER_AUDIT);
}

/* 1: a plain file that may be opened; 0: nothing is there; -1 with d. */
static int
judge_file(const struct ledger *l, const char *path, struct diag *d)
{
	struct stat st;

	if (lstat(path, &st) == 0) {
		if (S_ISREG(st.st_mode) &&
		    (st.st_uid == geteuid() || l->mode == LEDGER_AUDIT))
			return (1);
		return (diag_at(d, DIAG_LEDGER, path, 0,
		    "is not a plain file of this user; move it away"));
	}
	if (errno == ENOENT)
		return (0);
	return (diag_at(d, DIAG_LEDGER, path, 0, "%s", strerror(errno)));
}

/* SQLite opens these by itself, and waits for ever for who writes a FIFO. */
static int
judge_side_files(const struct ledger *l, struct diag *d)
{
	static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
	char path[SIDE_PATH_MAX];
	int len;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		len =
		    snprintf(path, sizeof(path), "%s%s", l->path, suffixes[i]);
		if (len < 0 || (size_t)len >= sizeof(path))
			return (diag_at(d, DIAG_LEDGER, l->path, 0,
			    "path too long"));
		if (judge_file(l, path, d) == -1)
			return (-1);
	}
	return (0);
}

/* An empty file with its final mode.  Never opens one that exists: closing
 * that descriptor would drop the locks of another connection in this process.
 */
static int
make_file(const struct ledger *l, struct diag *d)
{
	int fd = open(l->path,
	    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd == -1)
		return (errno == EEXIST ? 0 :
					  diag_at(d, DIAG_LEDGER, l->path, 0,
					      "cannot be made: %s; use "
					      "--state-dir",
					      strerror(errno)));
	return (close(fd) == 0 ?
		0 :
		diag_at(d, DIAG_LEDGER, l->path, 0, "%s", strerror(errno)));
}

/* A reader of an absent ledger finds none; a writer makes it. */
static int
find_file(const struct ledger *l, bool *is_missing, struct diag *d)
{
	int found = judge_file(l, l->path, d);

	*is_missing = found == 0;
	if (found == -1 || judge_side_files(l, d) == -1)
		return (-1);
	return (*is_missing && l->mode == LEDGER_WRITE ? make_file(l, d) : 0);
}

static int
connect_db(struct ledger *l, const char *name, int extra_flags, struct diag *d)
{
	/*
	 * One thread; every path component was resolved, so none is a link.
	 * Writable for a reader too: a broker that died while it made the
	 * schema leaves a journal, which a read-only connection may not roll
	 * back.  Where the file is write-protected SQLite knows by itself.  An
	 * audit changes nothing, and may be of somebody else's file.
	 */
	const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW |
	    extra_flags |
	    (l->mode == LEDGER_AUDIT ? SQLITE_OPEN_READONLY :
				       SQLITE_OPEN_READWRITE);
	unsigned char seed;
	int rc;

	sqlite3_randomness(sizeof(seed), &seed);
	rc = sqlite3_open_v2(name, &l->db, flags, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_extended_result_codes(l->db, 1);
	if (rc == SQLITE_OK)
		rc = sqlite3_busy_handler(l->db, sql_wait_busy, l);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(l->db, SQLITE_DBCONFIG_DEFENSIVE, 1,
		    NULL);
	if (rc != SQLITE_OK)
		return (sql_fail(l, rc, d));
	if (ledger_mode_reads(l->mode) &&
	    sql_exec(l, "PRAGMA query_only=ON", d) == -1)
		return (-1);
	return (sql_exec(l,
	    "PRAGMA temp_store=MEMORY;PRAGMA foreign_keys=ON;"
	    "PRAGMA trusted_schema=OFF;PRAGMA cell_size_check=ON;",
	    d));
}

/*
 * Where the -shm of a WAL cannot be made, SQLite reads only a file that nobody
 * changes: one whose WAL was written back, on a directory that is read-only.
 */
static int
connect_unchanging(struct ledger *l, struct diag *d)
{
	char wal[SIDE_PATH_MAX];
	struct stat st;
	char *uri;
	int rc;

	if (snprintf(wal, sizeof(wal), "%s-wal", l->path) >= (int)sizeof(wal))
		return (diag_at(d, DIAG_LEDGER, l->path, 0, "path too long"));
	if (stat(wal, &st) == 0 && st.st_size > 0)
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "its -wal cannot be read without writing here; copy both "
		    "into a directory of yours"));
	if ((uri = ledger_uri(l->path)) == NULL)
		return (sql_fail(l, SQLITE_NOMEM, d));
	(void)sqlite3_close(l->db); /* it has no statement */
	l->db = NULL;
	rc = connect_db(l, uri, SQLITE_OPEN_URI, d);
	free(uri);
	return (rc);
}

static int
open_db(struct ledger *l, struct diag *d)
{
	int rc;

	if (connect_db(l, l->path, 0, d) == -1)
		return (-1);
	if (l->mode != LEDGER_AUDIT)
		return (0);
	rc = sqlite3_exec(l->db, "SELECT 1 FROM sqlite_schema", NULL, NULL,
	    NULL);
	if ((rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY)
		return (connect_unchanging(l, d));
	return (0); /* what else is wrong, the schema check tells */
}

/*
 * The change to WAL takes an exclusive lock without asking the busy handler,
 * so that of many first brokers all but one would fail here.
 */
static int
set_wal(struct ledger *l, struct diag *d)
{
	int rc;

	sql_wait_begin(l);
	do {
		rc = sqlite3_exec(l->db, "PRAGMA journal_mode=WAL", NULL, NULL,
		    NULL);
	} while (sql_is_busy(rc) && sql_wait(l));
	return (rc == SQLITE_OK ? 0 : sql_fail(l, rc, d));
}

static int
make_ready(struct ledger *l, bool *is_empty, struct diag *d)
{
	if (schema_check(l, is_empty, d) == -1)
		return (-1);
	if (ledger_mode_reads(l->mode) ||
	    (*is_empty && l->mode != LEDGER_WRITE))
		return (0);
	if (sqlite3_db_readonly(l->db, "main") != 0)
		return (sql_fail(l, SQLITE_READONLY, d));
	if (set_wal(l, d) == -1)
		return (-1);
	return (*is_empty ? schema_make(l, d) : schema_migrate(l, d));
}

static int
resolve_path(struct ledger *l, const char *dir, struct diag *d)
{
	int found = ledger_dir_check(dir, l->mode, l->path, d);

	if (found != 1)
		return (found);
	(void)strlcpy(l->dir, l->path, sizeof(l->dir)); /* the same size */
	if (strlcat(l->path, "/agsbx.db", sizeof(l->path)) >= sizeof(l->path))
		return (diag_at(d, DIAG_LEDGER, dir, 0, "path too long"));
	return (1);
}

int
ledger_open(const char *dir, enum ledger_mode mode, struct ledger **out,
    struct diag *d)
{
	struct ledger *l = calloc(1, sizeof(*l));
	bool is_empty = false;
	int rc;

	*out = NULL;
	if (l == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	l->mode = mode;
	l->settle_how = SQL_NORMAL;
	l->patience =
	    (struct ledger_patience){.ms = LEDGER_BUSY_MS, .signal_fd = -1};
	if ((rc = resolve_path(l, dir, d)) != 1)
		goto out;
	if ((rc = find_file(l, &is_empty, d)) == -1 ||
	    (is_empty && mode != LEDGER_WRITE))
		goto out;
	if ((rc = open_db(l, d)) == -1 ||
	    (rc = make_ready(l, &is_empty, d)) == -1 ||
	    (is_empty && mode != LEDGER_WRITE))
		goto out;
	*out = l;
	return (0);
out:
	ledger_close(l);
	return (rc);
}

void
ledger_be_durable(struct ledger *l)
{
	l->settle_how = SQL_FULL;
}

void
ledger_set_patience(struct ledger *l, const struct ledger_patience *p)
{
	l->patience = *p;
}

void
ledger_close(struct ledger *l)
{
	if (l == NULL)
		return;
	/* Every statement was finalized, so this cannot be refused. */
	(void)sqlite3_close(l->db);
	free(l);
}
