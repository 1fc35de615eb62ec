/*
 * ledger_sql.c - statements and transactions of one connection, and what an
 * SQLite result code means to the person who runs agsbx.  Knows no table.
 * Called by the other ledger files only.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "ledger_int.h"

#define WAIT_MS 5 /* between two tries for a lock */

void
sql_close_stmt(sqlite3_stmt **stmt)
{
	int saved = errno;

	/* The result repeats the error of the last step. */
	(void)sqlite3_finalize(*stmt);
	*stmt = NULL;
	errno = saved;
}

static const struct {
	int rc; /* a primary result code */
	const char *text;
} texts[] = {
    {SQLITE_FULL,
	"its filesystem or quota is full; free some space, or use "
	"--state-dir"},
    {SQLITE_NOTADB,
	"is not a ledger; move it away, or use another --state-dir"},
    {SQLITE_CORRUPT,
	"is damaged; move it and its -wal and -shm away, or restore a copy"},
    {SQLITE_READONLY,
	"is read-only; make it, its -wal and -shm and its directory writable, "
	"or use --state-dir"},
    {SQLITE_CANTOPEN,
	"cannot be opened; it must be a plain file of yours in a directory "
	"that you can write"},
    {SQLITE_PERM, "may not be opened; make it readable and writable"},
    {SQLITE_BUSY, "stayed locked; see which process holds it (fuser -v)"},
    {SQLITE_PROTOCOL, "stayed locked; see which process holds it (fuser -v)"},
    {SQLITE_LOCKED, "is locked by this process"},
    {SQLITE_NOMEM, "out of memory"},
    {SQLITE_IOERR,
	"input/output error; see the kernel's log, its disk, and ulimit -f"},
    {SQLITE_TOOBIG, "a value is too long to be stored"},
    {SQLITE_CONSTRAINT, "refused a change that is not permitted"},
};

int
sql_fail(const struct ledger *l, int rc, struct diag *d)
{
	const char *detail;

	if (sql_is_busy(rc) && l->is_interrupted)
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "a signal came while another process held it"));
	/* The -shm could not grow: SQLite does not say that it is this. */
	if (rc == SQLITE_IOERR_SHMSIZE)
		rc = SQLITE_FULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].rc == (rc & 0xff) && rc != SQLITE_OK) {
			detail = texts[i].rc == SQLITE_CONSTRAINT ?
			    sqlite3_errmsg(l->db) :
			    sqlite3_errstr(rc);
			return (diag_at(d, DIAG_LEDGER, l->path, 0, "%s (%s)",
			    texts[i].text, detail));
		}
	return (diag_at(d, DIAG_LEDGER, l->path, 0, "%s",
	    l->db != NULL ? sqlite3_errmsg(l->db) : sqlite3_errstr(rc)));
}

int
sql_exec(struct ledger *l, const char *sql, struct diag *d)
{
	int rc = sqlite3_exec(l->db, sql, NULL, NULL, NULL);

	return (rc == SQLITE_OK ? 0 : sql_fail(l, rc, d));
}

sqlite3_stmt *
sql_prepare(struct ledger *l, const char *sql, struct diag *d)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(l->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		return (stmt);
	(void)sql_fail(l, rc, d);
	return (NULL);
}

int
sql_run(struct ledger *l, sqlite3_stmt *stmt, struct diag *d)
{
	int rc = sqlite3_step(stmt);

	if (rc != SQLITE_DONE)
		return (sql_fail(l, rc, d));
	rc = sqlite3_reset(stmt);
	return (rc == SQLITE_OK ? 0 : sql_fail(l, rc, d));
}

int
sql_number(struct ledger *l, const char *sql, int64_t *out, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l, sql, d);
	int rc;

	if (stmt == NULL)
		return (-1);
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return (sql_fail(l, rc, d));
	*out = sqlite3_column_int64(stmt, 0);
	return (0);
}

static int64_t
clock_ms(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) == -1)
		return (INT64_MAX); /* every patience is at its end */
	return ((int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

bool
sql_is_busy(int rc)
{
	return ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_PROTOCOL);
}

void
sql_wait_begin(struct ledger *l)
{
	int64_t now = clock_ms();

	l->busy_until_ms =
	    now < INT64_MAX - l->patience.ms ? now + l->patience.ms : now;
	l->is_interrupted = false;
}

/* A signal is left where it is, for whoever ends this process by it. */
static void
hear_signals(struct ledger *l, int64_t now)
{
	struct pollfd fd = {.fd = l->patience.signal_fd, .events = POLLIN};

	if (l->is_interrupted || fd.fd == -1 || poll(&fd, 1, 0) <= 0)
		return;
	l->is_interrupted = true;
	if (l->busy_until_ms - now > l->patience.grace_ms)
		l->busy_until_ms = now + l->patience.grace_ms;
}

bool
sql_wait(struct ledger *l)
{
	const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};
	int64_t now = clock_ms();

	hear_signals(l, now);
	if (now >= l->busy_until_ms)
		return (false);
	/* Woken early is only tried early. */
	(void)nanosleep(&pause, NULL);
	return (true);
}

int
sql_wait_busy(void *ledger, int tries)
{
	if (tries == 0)
		sql_wait_begin(ledger);
	return (sql_wait(ledger) ? 1 : 0);
}

int
sql_begin(struct ledger *l, enum sql_durability how, struct diag *d)
{
	static const char *const pragmas[] = {
	    [SQL_FULL] = "PRAGMA synchronous=FULL",
	    [SQL_NORMAL] = "PRAGMA synchronous=NORMAL",
	};
	int rc;

	if (sql_exec(l, pragmas[how], d) == -1)
		return (-1);
	/* The busy handler waits, but not where it could mean a deadlock. */
	sql_wait_begin(l);
	do {
		rc = sqlite3_exec(l->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	} while (sql_is_busy(rc) && sql_wait(l));
	return (rc == SQLITE_OK ? 0 : sql_fail(l, rc, d));
}

/* A commit into a file that nobody finds any more would be a row that exists
 * nowhere.  Our open file keeps its inode number from being given again. */
static int
check_place(struct ledger *l, struct diag *d)
{
	int has_moved = 0, rc;

	if (ledger_mode_reads(l->mode))
		return (0);
	rc = sqlite3_file_control(l->db, "main", SQLITE_FCNTL_HAS_MOVED,
	    &has_moved);
	if (rc != SQLITE_OK)
		return (sql_fail(l, rc, d));
	if (has_moved == 0)
		return (0);
	return (diag_at(d, DIAG_LEDGER, l->path, 0,
	    "was moved, removed or replaced while it was in use; let no job "
	    "run meanwhile"));
}

int
sql_end(struct ledger *l, int rc, struct diag *d)
{
	if (rc == 0 && check_place(l, d) == 0 && sql_exec(l, "COMMIT", d) == 0)
		return (0);
	/* SQLite may have rolled back by itself; then this says so. */
	(void)sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
	return (-1);
}
