/*
 * ledger_int.h - inside of the ledger, for ledger*.c and their tests only.
 * Owners: ledger_sql.c (statements, transactions, error texts), ledger_dir.c
 * (the directory), ledger_schema.c, ledger_rows.c (jobs, controls and gaps to
 * and from SQL), ledger_events.c (the hash chain).
 *
 * Invariant: a function that opened a transaction has ended it when it
 * returns, by a commit or by a rollback.
 */
#ifndef BROKER_LEDGER_INT_H
#define BROKER_LEDGER_INT_H

#include <limits.h>
#include <sqlite3.h>

#include "ledger.h"

#define LEDGER_SCHEMA 2
#define LEDGER_APPLICATION_ID 0x61677362 /* "agsb" */
#define LEDGER_BUSY_MS 30000
#define LEDGER_HASH_BYTES 32

enum sql_durability {
	SQL_FULL,  /* on the disk when it returns */
	SQL_NORMAL /* with the next full one; a lost power loses it whole */
};

struct ledger {
	sqlite3 *db;
	char dir[PATH_MAX];
	char path[PATH_MAX];
	enum ledger_mode mode;
	struct ledger_anchor head; /* of the last event that was appended */
	struct ledger_patience patience;
	enum sql_durability settle_how;
	int64_t busy_until_ms; /* of the wait that is going on; monotonic */
	bool is_interrupted;   /* that wait was cut short by a signal */
};

/* ---- ledger_sql.c ---- */
void sql_close_stmt(sqlite3_stmt **stmt);
#define auto_stmt __attribute__((cleanup(sql_close_stmt))) sqlite3_stmt *

/* Sets d from an SQLite result code: file, what is wrong, the fix. -1. */
int sql_fail(const struct ledger *l, int rc, struct diag *d);
int sql_exec(struct ledger *l, const char *sql, struct diag *d);
/* NULL with d. */
sqlite3_stmt *sql_prepare(struct ledger *l, const char *sql, struct diag *d);
/* Runs a statement that gives no row, then resets it. */
int sql_run(struct ledger *l, sqlite3_stmt *stmt, struct diag *d);
/* The first column of the first row of sql, a number. */
int sql_number(struct ledger *l, const char *sql, int64_t *out, struct diag *d);

/* BEGIN IMMEDIATE: the lock is taken before anything is read. */
int sql_begin(struct ledger *l, enum sql_durability how, struct diag *d);
/* Commits when rc is 0 and the file is still where it was, else rolls back and
 * keeps d.  0 or -1. */
int sql_end(struct ledger *l, int rc, struct diag *d);

/* True while rc only means that another process was faster. */
bool sql_is_busy(int rc);
/* Before the first try for a lock that another process may hold. */
void sql_wait_begin(struct ledger *l);
/* A pause before the next try; false when the patience is at its end. */
bool sql_wait(struct ledger *l);
/* For sqlite3_busy_handler(). */
int sql_wait_busy(void *ledger, int tries);

/* True for the modes that write nothing. */
bool ledger_mode_reads(enum ledger_mode mode);

/* ---- ledger_dir.c ---- */
/*
 * Judges dir for that mode, and makes it (0700, parents as well) for
 * LEDGER_WRITE; fills path with dir's own resolved path.  1: there; 0: missing
 * and not made; -1 with d.
 */
int ledger_dir_check(const char *dir, enum ledger_mode mode,
    char path[PATH_MAX], struct diag *d);
/* "NFS" for a filesystem type that several hosts may share, else NULL. */
const char *ledger_fs_is_shared(uint64_t magic);

/* "file:PATH?immutable=1" for SQLite, malloced; NULL: out of memory. */
char *ledger_uri(const char *path);

/* ---- ledger_schema.c ---- */
/*
 * Makes the schema in an empty database, refuses one of another program or a
 * newer one.  *is_empty: nothing is there, which a reader takes for no jobs.
 */
int schema_check(struct ledger *l, bool *is_empty, struct diag *d);
int schema_make(struct ledger *l, struct diag *d);
/* The statements of the schema, of all of it or of what may be made anew or
 * is missing in schema 1; malloced, or NULL: out of memory. */
char *schema_text(bool is_whole);
/* PRAGMA user_version, 0 in an empty file. */
int schema_version(struct ledger *l, int64_t *version, struct diag *d);

/* ---- ledger_compare.c ---- */
/* Compares the file's schema with today's.  *how: NULL, or what is wrong with
 * the first object that differs, whose kind and name are put into name. */
int schema_compare(struct ledger *l, char *name, size_t size, const char **how,
    struct diag *d);

/* ---- ledger_migrate.c ---- */
/* From an older schema to this one in a transaction, after a copy of the file
 * was put beside it. */
int schema_migrate(struct ledger *l, struct diag *d);

/* ---- ledger_kinds.c ---- */
/* bind gives an SQLite result; load 0, SQLITE_NOMEM or SQLITE_CORRUPT. */
struct sql_kind {
	int (*bind)(sqlite3_stmt *stmt, int i, const void *field);
	int (*load)(sqlite3_stmt *stmt, int i, void *field, size_t size);
};
extern const struct sql_kind kind_BUF, kind_STR, kind_I64, kind_INT, kind_BOOL,
    kind_REASON, kind_LIMITS, kind_ARGV, kind_SOURCE;
/* NULL is bound as NULL. */
int kind_bind_text(sqlite3_stmt *stmt, int i, const char *text);

/* ---- ledger_rows.c ---- */
/* One job and its two children by id: what is loaded is what is hashed. */
extern const char ledger_select_job[];
extern const char ledger_select_controls[];
extern const char ledger_select_gaps[];
/* The beginning of ledger_select_job, up to "FROM jobs". */
extern const char ledger_select_jobs[];
/* The columns of jobs that never change, for the schema's trigger. */
extern const char ledger_fixed_columns[];
/* The definitions of the columns of jobs, for the schema. */
extern const char ledger_job_definitions[];
/* Statements that give the columns which schema 1 has not. */
extern const char ledger_added_columns[];
/* How many columns of ledger_select_job schema 1 had. */
extern const int ledger_first_columns;

int rows_insert_job(struct ledger *l, const struct job *j, struct diag *d);
int rows_update_job(struct ledger *l, const struct job *j, struct diag *d);
/* The current row of a statement that begins as ledger_select_jobs. */
int rows_load_job(struct ledger *l, sqlite3_stmt *stmt, struct job *j,
    struct diag *d);

/* ---- ledger_ops.c ---- */
/* What is missing of a job that is to be inserted. */
int ledger_prepare(struct job *j, struct diag *d);
/* The row, its children and its event, in the open transaction. */
int ledger_insert(struct ledger *l, const struct job *j, struct diag *d);

/* ---- ledger_children.c ---- */
/* Replaces the controls and gaps of j; only before it is held. */
int children_write(struct ledger *l, const struct job *j, struct diag *d);
int children_load(struct ledger *l, struct job *j, struct diag *d);

/* ---- ledger_events.c ---- */
struct ledger_event {
	int64_t seq;
	char job[JOB_ID_SIZE];
	int64_t at_ms;
	const char *from; /* "" for an insertion */
	const char *to;
	uint8_t facts[LEDGER_HASH_BYTES]; /* of the row as it then was */
};
/* SHA-256 over prev and the event in one canonical form. */
void event_hash(const struct ledger_event *e,
    const uint8_t prev[LEDGER_HASH_BYTES], uint8_t out[LEDGER_HASH_BYTES]);
/* The digest in hexadecimal digits. */
void ledger_hash_text(const uint8_t hash[LEDGER_HASH_BYTES],
    char text[LEDGER_HASH_TEXT]);
/* SHA-256 over everything that is stored of one job. */
int event_facts(struct ledger *l, const char *id,
    uint8_t out[LEDGER_HASH_BYTES], struct diag *d);
/* Appends the event of a change that the open transaction has made. */
int event_append(struct ledger *l, const char *id, const char *from,
    const char *to, struct diag *d);

#endif
