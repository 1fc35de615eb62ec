/*
 * ledger_audit.c - does the chain of events hold, and is every row what its
 * last event says it was?  Trusts nothing that the file holds, and writes
 * nothing.  Called by audit.c.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_int.h"

/* One audit; it ends at the first broken link. */
struct audit {
	struct ledger *l;
	struct ledger_audit *result;
	struct diag *d;
};

/* 1, so that a pass can end with it. */
static int broken(struct audit *a, int64_t seq, const char *job,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static int
broken(struct audit *a, int64_t seq, const char *job, const char *fmt, ...)
{
	struct ledger_audit *r = a->result;
	va_list ap;

	r->is_broken = true;
	r->broken_seq = seq;
	/* A hostile id is cut: it is for a person to read. */
	(void)strlcpy(r->broken_job, job, sizeof(r->broken_job));
	va_start(ap, fmt);
	(void)vsnprintf(r->what, sizeof(r->what), fmt, ap);
	va_end(ap);
	return (1);
}

static const char *
text_of(sqlite3_stmt *stmt, int i)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);

	return (text != NULL ? (const char *)text : "");
}

/* Text that is hashed as a C string: with a NUL in it, only its beginning
 * would be. */
static bool
is_hashed_whole(sqlite3_stmt *stmt, int i)
{
	return (
	    (size_t)sqlite3_column_bytes(stmt, i) == strlen(text_of(stmt, i)));
}

/* What of an event is hashed as if it were written otherwise; NULL: nothing. */
static const char *
find_alias(sqlite3_stmt *stmt)
{
	for (int i = 0; i < sqlite3_column_count(stmt); i++)
		if (sqlite3_column_type(stmt, i) == SQLITE_TEXT &&
		    !is_hashed_whole(stmt, i))
			return ("a text of it holds a NUL");
	/* Nothing is hashed as the empty text, and stored as NULL. */
	if (sqlite3_column_type(stmt, 3) != SQLITE_NULL &&
	    sqlite3_column_bytes(stmt, 3) == 0)
		return ("it leads from an empty state");
	return (NULL);
}

/* True for a column that holds a digest; copies it. */
static bool
digest_of(sqlite3_stmt *stmt, int i, uint8_t out[LEDGER_HASH_BYTES])
{
	if (sqlite3_column_type(stmt, i) != SQLITE_BLOB ||
	    sqlite3_column_bytes(stmt, i) != LEDGER_HASH_BYTES)
		return (false);
	memcpy(out, sqlite3_column_blob(stmt, i), LEDGER_HASH_BYTES);
	return (true);
}

/* Shows each row of sql to fn until one is not 0; -1 with d. */
static int
each_row(struct audit *a, const char *sql,
    int (*fn)(struct audit *a, sqlite3_stmt *stmt, void *arg), void *arg)
{
	auto_stmt stmt = sql_prepare(a->l, sql, a->d);
	int rc, verdict = 0;

	if (stmt == NULL)
		return (-1);
	while (verdict == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		verdict = fn(a, stmt, arg);
	if (verdict != 0)
		return (verdict);
	return (rc == SQLITE_DONE ? 0 : sql_fail(a->l, rc, a->d));
}

/* ---- the file ---- */
static int
judge_integrity(struct audit *a, sqlite3_stmt *stmt, void *arg)
{
	(void)arg;
	if (strcmp(text_of(stmt, 0), "ok") == 0)
		return (0);
	return (broken(a, JOB_UNKNOWN, "", "the file is damaged: %s",
	    text_of(stmt, 0)));
}

static int
judge_reference(struct audit *a, sqlite3_stmt *stmt, void *arg)
{
	(void)arg;
	return (broken(a, JOB_UNKNOWN, "", "a row of %s belongs to no job",
	    text_of(stmt, 0)));
}

/* ---- the chain ---- */
struct link {
	int64_t seq;
	uint8_t hash[LEDGER_HASH_BYTES];
};

static int
judge_event(struct audit *a, sqlite3_stmt *stmt, void *arg)
{
	struct link *last = arg;
	struct ledger_event e = {.seq = sqlite3_column_int64(stmt, 0),
	    .at_ms = sqlite3_column_int64(stmt, 2),
	    .from = text_of(stmt, 3),
	    .to = text_of(stmt, 4)};
	uint8_t prev[LEDGER_HASH_BYTES], hash[LEDGER_HASH_BYTES];
	uint8_t stored[LEDGER_HASH_BYTES];
	const char *alias = find_alias(stmt);

	if (e.seq != last->seq + 1)
		return (broken(a, last->seq + 1, "",
		    "the event is missing; the next one is %lld",
		    (long long)e.seq));
	if (strlcpy(e.job, text_of(stmt, 1), sizeof(e.job)) >= sizeof(e.job))
		return (broken(a, e.seq, e.job, "its job is no id"));
	if (alias != NULL)
		return (broken(a, e.seq, e.job, "%s", alias));
	if (!digest_of(stmt, 5, e.facts) || !digest_of(stmt, 6, prev) ||
	    !digest_of(stmt, 7, stored))
		return (broken(a, e.seq, e.job, "it holds no digest"));
	if (memcmp(prev, last->hash, sizeof(prev)) != 0)
		return (broken(a, e.seq, e.job,
		    "it does not follow event %lld: prev is another hash",
		    (long long)last->seq));
	event_hash(&e, prev, hash);
	if (memcmp(hash, stored, sizeof(hash)) != 0)
		return (broken(a, e.seq, e.job,
		    "its hash is not that of what it says"));
	last->seq = e.seq;
	memcpy(last->hash, hash, sizeof(hash));
	return (0);
}

static int
walk_chain(struct audit *a)
{
	struct link last = {0};
	int rc = each_row(a,
	    "SELECT seq, job, at_ms, from_state, to_state, facts, prev, hash"
	    " FROM events ORDER BY seq",
	    judge_event, &last);

	a->result->events = last.seq;
	a->result->head.seq = last.seq;
	ledger_hash_text(last.hash, a->result->head.hash);
	return (rc);
}

/* ---- the rows ---- */
/* One job's last event against its row as it stands. */
static int
judge_row(struct audit *a, sqlite3_stmt *stmt, void *arg)
{
	uint8_t facts[LEDGER_HASH_BYTES], stored[LEDGER_HASH_BYTES];
	const char *id = text_of(stmt, 0);
	int64_t seq = sqlite3_column_int64(stmt, 1), *count = arg;

	(*count)++;
	if (sqlite3_column_type(stmt, 3) == SQLITE_NULL)
		return (broken(a, seq, id, "the row of its job is missing"));
	if (strcmp(text_of(stmt, 3), text_of(stmt, 2)) != 0)
		return (broken(a, seq, id,
		    "it made the job %s, and the row says %s", text_of(stmt, 2),
		    text_of(stmt, 3)));
	if (event_facts(a->l, id, facts, a->d) == -1)
		return (-1);
	if (!digest_of(stmt, 4, stored) ||
	    memcmp(facts, stored, sizeof(facts)) != 0)
		return (broken(a, seq, id,
		    "the row, controls or gaps of its job were changed after "
		    "it"));
	return (0);
}

/* Jobs in the order of their first events: n is that order. */
static int
judge_order(struct audit *a, sqlite3_stmt *stmt, void *arg)
{
	int64_t *n = arg;

	if (sqlite3_column_type(stmt, 1) == SQLITE_NULL)
		return (broken(a, JOB_UNKNOWN, text_of(stmt, 0),
		    "no event tells of the job"));
	if (sqlite3_column_int64(stmt, 2) == ++*n)
		return (0);
	return (broken(a, sqlite3_column_int64(stmt, 1), text_of(stmt, 0),
	    "its job is number %lld, and the row says %lld", (long long)*n,
	    (long long)sqlite3_column_int64(stmt, 2)));
}

struct stage {
	char job[JOB_ID_SIZE];
	char state[16];
};

/* Each event of a job begins where the one before it ended. */
static int
judge_step(struct audit *a, sqlite3_stmt *stmt, void *arg)
{
	struct stage *before = arg;
	const char *job = text_of(stmt, 0), *from = text_of(stmt, 2);
	bool is_first = strcmp(before->job, job) != 0;

	if (strcmp(from, is_first ? "" : before->state) != 0)
		return (broken(a, sqlite3_column_int64(stmt, 1), job,
		    "it leads from %s, and the job was %s",
		    from[0] != '\0' ? from : "nothing",
		    is_first ? "not there" : before->state));
	/* Longer ones were no ids and no states: the chain pass told. */
	(void)strlcpy(before->job, job, sizeof(before->job));
	(void)strlcpy(before->state, text_of(stmt, 3), sizeof(before->state));
	return (0);
}

static int
judge_rows(struct audit *a)
{
	struct stage before = {.job = ""};
	int64_t n = 0;
	int rc;

	rc = each_row(a,
	    "SELECT e.job, e.seq, e.to_state, j.state, e.facts FROM events e"
	    " LEFT JOIN jobs j ON j.id = e.job WHERE e.seq IN"
	    " (SELECT max(seq) FROM events GROUP BY job) ORDER BY e.seq",
	    judge_row, &a->result->jobs);
	if (rc == 0)
		rc = each_row(a,
		    "SELECT job, seq, from_state, to_state FROM events"
		    " ORDER BY job, seq",
		    judge_step, &before);
	if (rc == 0)
		rc = each_row(a,
		    "SELECT j.id, e.first, j.n FROM jobs j LEFT JOIN"
		    " (SELECT job, min(seq) AS first FROM events GROUP BY job)"
		    " e ON e.job = j.id ORDER BY e.first IS NULL, e.first",
		    judge_order, &n);
	return (rc);
}

/* ---- the anchor ---- */
static int
judge_anchor(struct audit *a, const struct ledger_anchor *anchor)
{
	auto_stmt stmt =
	    sql_prepare(a->l, "SELECT hash FROM events WHERE seq = ?", a->d);
	char hash[LEDGER_HASH_TEXT];
	uint8_t stored[LEDGER_HASH_BYTES];
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = sqlite3_bind_int64(stmt, 1, anchor->seq)) != SQLITE_OK)
		return (sql_fail(a->l, rc, a->d));
	if ((rc = sqlite3_step(stmt)) == SQLITE_DONE)
		return (broken(a, anchor->seq, "",
		    "the anchored event is missing: the ledger ends at %lld",
		    (long long)a->result->head.seq));
	if (rc != SQLITE_ROW)
		return (sql_fail(a->l, rc, a->d));
	if (!digest_of(stmt, 0, stored))
		return (broken(a, anchor->seq, "", "it holds no digest"));
	ledger_hash_text(stored, hash);
	if (strcmp(hash, anchor->hash) != 0)
		return (broken(a, anchor->seq, "",
		    "it is not the anchored one: its hash is %s", hash));
	a->result->anchored = anchor->seq;
	return (0);
}

static int
run_audit(struct audit *a, const struct ledger_anchor *anchor)
{
	const char *changed = NULL;
	char name[64];
	int rc;

	if (schema_compare(a->l, name, sizeof(name), &changed, a->d) == -1)
		return (-1);
	/* What stands for a table of ours may never end, and an index of others
	 * computes what it likes.  Triggers come last: if one of them is the
	 * first that differs, all that is read below is ours. */
	if (changed != NULL && strncmp(name, "trigger ", 8) != 0)
		return (
		    broken(a, JOB_UNKNOWN, "", "the %s is %s", name, changed));
	if ((rc = each_row(a, "PRAGMA integrity_check(1)", judge_integrity,
		 NULL)) != 0 ||
	    (rc = walk_chain(a)) != 0 ||
	    (anchor != NULL && (rc = judge_anchor(a, anchor)) != 0) ||
	    (rc = judge_rows(a)) != 0 ||
	    (rc = each_row(a, "PRAGMA foreign_key_check", judge_reference,
		 NULL)) != 0)
		return (rc);
	if (changed != NULL)
		return (
		    broken(a, JOB_UNKNOWN, "", "the %s is %s", name, changed));
	return (0);
}

int
ledger_audit(struct ledger *l, const struct ledger_anchor *anchor,
    struct ledger_audit *out, struct diag *d)
{
	struct audit a = {.l = l, .result = out, .d = d};
	int rc;

	*out = (struct ledger_audit){.broken_seq = JOB_UNKNOWN};
	if (sql_exec(l, "BEGIN", d) == -1)
		return (-1);
	rc = run_audit(&a, anchor);
	return (sql_end(l, rc == -1 ? -1 : 0, d));
}
