/*
 * ledger_schema.c - the tables and triggers, made in one transaction, and the
 * judgement of a file that exists.  The triggers hold also for another program
 * that opens the file: they are made from transitions.def and
 * ledger_columns.def, like the C code.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ledger_int.h"

static const char children_sql[] =
    /* Deferred: what a job was refused for is written before its row, so
     * that no trigger must permit a change of a closed row's controls. */
    "CREATE TABLE controls (job TEXT NOT NULL REFERENCES jobs (id)"
    " DEFERRABLE INITIALLY DEFERRED, control TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('off', 'pending', 'applied',"
    " 'held', 'fault', 'blocked')), want INTEGER NOT NULL,"
    " got INTEGER NOT NULL, step TEXT, err INTEGER NOT NULL, class TEXT,"
    " PRIMARY KEY (job, control)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE gaps (job TEXT NOT NULL REFERENCES jobs (id)"
    " DEFERRABLE INITIALLY DEFERRED, n INTEGER NOT NULL,"
    " control TEXT NOT NULL, token TEXT NOT NULL, err INTEGER NOT NULL,"
    " cause TEXT, fix TEXT, is_waived INTEGER NOT NULL,"
    " PRIMARY KEY (job, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE events (seq INTEGER PRIMARY KEY NOT NULL,"
    " job TEXT NOT NULL REFERENCES jobs (id), at_ms INTEGER NOT NULL,"
    " from_state TEXT, to_state TEXT NOT NULL,"
    " facts BLOB NOT NULL CHECK (length(facts) = 32),"
    " prev BLOB NOT NULL CHECK (length(prev) = 32),"
    " hash BLOB NOT NULL CHECK (length(hash) = 32)) STRICT;"
    "CREATE INDEX jobs_open ON jobs (n) WHERE ended_ms IS NULL;"
    "CREATE INDEX jobs_tenant ON jobs (tenant, n);"
    "CREATE INDEX jobs_created ON jobs (created_ms);";

/* What came with schema 2: whom the quotas let wait, in the order of n, and
 * how many refusals of a quota one row stands for.  Neither is a job's fact,
 * so that neither is chained.  at_ms is the end of the wait, of the monotonic
 * clock: waiters of an earlier boot are dead. */
static const char quotas_sql[] =
    "CREATE TABLE waiters (n INTEGER PRIMARY KEY NOT NULL,"
    " tenant TEXT NOT NULL, lock_byte INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE refusals (job TEXT PRIMARY KEY NOT NULL REFERENCES jobs (id),"
    " count INTEGER NOT NULL CHECK (count > 0), last_ms INTEGER NOT NULL)"
    " STRICT, WITHOUT ROWID;"
    "CREATE INDEX jobs_quota ON jobs (tenant, ended_ms);";

static const char triggers_sql[] =
    "CREATE TRIGGER jobs_insert BEFORE INSERT ON jobs"
    " WHEN NEW.state NOT IN ('admitted', 'refused') OR NEW.n IS NOT"
    " (SELECT coalesce(max(n), 0) + 1 FROM jobs) OR EXISTS"
    " (SELECT 1 FROM jobs WHERE id = NEW.id)"
    " BEGIN SELECT RAISE(ABORT, 'a job is inserted once, at the end, as"
    " admitted or refused'); END;"
    "CREATE TRIGGER jobs_delete BEFORE DELETE ON jobs"
    " BEGIN SELECT RAISE(ABORT, 'jobs are never deleted'); END;"
    /* INSERT OR REPLACE deletes without the delete trigger: seq forbids. */
    "CREATE TRIGGER events_insert BEFORE INSERT ON events"
    " WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)"
    " OR NEW.prev IS NOT coalesce((SELECT hash FROM events"
    " ORDER BY seq DESC LIMIT 1), zeroblob(32))"
    " BEGIN SELECT RAISE(ABORT, 'an event is appended at the end of the"
    " chain'); END;"
    "CREATE TRIGGER events_update BEFORE UPDATE ON events"
    " BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;"
    "CREATE TRIGGER events_delete BEFORE DELETE ON events"
    " BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;";

/* The same three triggers for either child table. */
static const char child_triggers_format[] =
    "CREATE TRIGGER %1$s_insert BEFORE INSERT ON %1$s WHEN EXISTS"
    " (SELECT 1 FROM jobs WHERE id = NEW.job AND state <> 'admitted')"
    " BEGIN SELECT RAISE(ABORT, 'the %1$s of this job are fixed'); END;"
    "CREATE TRIGGER %1$s_update BEFORE UPDATE ON %1$s"
    " BEGIN SELECT RAISE(ABORT, 'the %1$s of a job are not edited'); END;"
    "CREATE TRIGGER %1$s_delete BEFORE DELETE ON %1$s WHEN EXISTS"
    " (SELECT 1 FROM jobs WHERE id = OLD.job AND state <> 'admitted')"
    " BEGIN SELECT RAISE(ABORT, 'the %1$s of this job are fixed'); END;";

static void
print_jobs_table(FILE *f)
{
	const char *comma = "";

	(void)fprintf(f,
	    "CREATE TABLE jobs (n INTEGER PRIMARY KEY NOT NULL,"
	    " state TEXT NOT NULL%s, CHECK ((ended_ms IS NULL) ="
	    " (state IN (",
	    ledger_job_definitions);
	for (enum job_state s = 0; s < JOB__MAX; s++) {
		if (!job_state_is_open(s))
			continue;
		(void)fprintf(f, "%s'%s'", comma, job_state_name(s));
		comma = ", ";
	}
	(void)fprintf(f, ")))) STRICT;");
}

static void
print_change_triggers(FILE *f)
{
	(void)fprintf(f,
	    "CREATE TRIGGER jobs_fixed BEFORE UPDATE OF n%s ON jobs"
	    " BEGIN SELECT RAISE(ABORT, 'what was admitted never changes');"
	    " END;"
	    "CREATE TRIGGER jobs_change BEFORE UPDATE ON jobs WHEN NOT (0",
	    ledger_fixed_columns);
	for (enum job_state from = 0; from < JOB__MAX; from++)
		for (enum job_state to = 0; to < JOB__MAX; to++)
			if (job_may_follow(from, to))
				(void)fprintf(f,
				    " OR (OLD.state = '%s' AND"
				    " NEW.state = '%s')",
				    job_state_name(from), job_state_name(to));
	(void)fprintf(f,
	    ") BEGIN SELECT RAISE(ABORT, 'a job cannot change so'); END;");
}

char *
schema_text(bool is_whole)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	/* Whether memory was enough for all of it, fclose() tells. */
	if (f == NULL)
		return (NULL);
	if (is_whole) {
		print_jobs_table(f);
		(void)fputs(children_sql, f);
	}
	(void)fputs(quotas_sql, f);
	(void)fputs(triggers_sql, f);
	(void)fprintf(f, child_triggers_format, "controls");
	(void)fprintf(f, child_triggers_format, "gaps");
	print_change_triggers(f);
	(void)fprintf(f, "PRAGMA application_id=%d;PRAGMA user_version=%d;",
	    LEDGER_APPLICATION_ID, LEDGER_SCHEMA);
	if (fclose(f) == 0)
		return (text);
	free(text);
	return (NULL);
}

/* What a file says of itself: all of it at one moment, since another process
 * may just be making the schema. */
struct marks {
	int64_t version;
	int64_t application;
	int64_t tables;
};

static int
read_marks(struct ledger *l, struct marks *m, struct diag *d)
{
	bool is_alone = sqlite3_get_autocommit(l->db) != 0;
	int rc = 0;

	if (is_alone && sql_exec(l, "BEGIN", d) == -1)
		return (-1);
	if (sql_number(l, "PRAGMA user_version", &m->version, d) == -1 ||
	    sql_number(l, "PRAGMA application_id", &m->application, d) == -1 ||
	    sql_number(l, "SELECT count(*) FROM sqlite_schema", &m->tables,
		d) == -1)
		rc = -1;
	return (is_alone ? sql_end(l, rc, d) : rc);
}

int
schema_check(struct ledger *l, bool *is_empty, struct diag *d)
{
	struct marks m;

	if (read_marks(l, &m, d) == -1)
		return (-1);
	*is_empty = m.version == 0 && m.application == 0 && m.tables == 0;
	if (*is_empty)
		return (0);
	if (m.application != LEDGER_APPLICATION_ID)
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "is the database of another program; use another "
		    "--state-dir"));
	if (m.version > LEDGER_SCHEMA)
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "has schema version %lld, and this agsbx knows %d; use "
		    "the newer agsbx, or another --state-dir",
		    (long long)m.version, LEDGER_SCHEMA));
	if (m.version < 1)
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "has schema version %lld, which no agsbx has made; move "
		    "it away",
		    (long long)m.version));
	if (m.version < LEDGER_SCHEMA && ledger_mode_reads(l->mode))
		return (diag_at(d, DIAG_LEDGER, l->path, 0,
		    "has the older schema version %lld; 'agsbx recover' "
		    "brings it to %d and keeps a copy",
		    (long long)m.version, LEDGER_SCHEMA));
	return (0);
}

int
schema_version(struct ledger *l, int64_t *version, struct diag *d)
{
	return (sql_number(l, "PRAGMA user_version", version, d));
}

int
schema_make(struct ledger *l, struct diag *d)
{
	bool is_empty = false;
	char *text;
	int rc;

	if (sql_begin(l, SQL_FULL, d) == -1)
		return (-1);
	/* Another process may have made it while we waited. */
	rc = schema_check(l, &is_empty, d);
	if (rc == 0 && is_empty) {
		if ((text = schema_text(true)) != NULL)
			rc = sql_exec(l, text, d);
		else
			rc = sql_fail(l, SQLITE_NOMEM, d);
		free(text);
	}
	return (sql_end(l, rc, d));
}
