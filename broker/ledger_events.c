/*
 * ledger_events.c - the append-only chain: one event a change of state, each
 * with the SHA-256 of its predecessor and of the row as it was stored.  Called
 * inside the transaction that makes the change.
 */
#include <sys/types.h>

#include <sha2.h>
#include <string.h>

#include "ledger_int.h"
#include "times.h"

/* Every value is hashed behind its length, so that no two lists of values
 * give the same bytes. */
static void
hash_bytes(SHA2_CTX *ctx, const void *bytes, size_t len)
{
	uint8_t prefix[8];

	for (size_t i = 0; i < sizeof(prefix); i++)
		prefix[i] = (uint8_t)((uint64_t)len >> (8 * i));
	SHA256Update(ctx, prefix, sizeof(prefix));
	SHA256Update(ctx, bytes, len);
}

static void
hash_text(SHA2_CTX *ctx, const char *text)
{
	hash_bytes(ctx, text, strlen(text));
}

static void
hash_number(SHA2_CTX *ctx, int64_t value)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)((uint64_t)value >> (8 * i));
	hash_bytes(ctx, bytes, sizeof(bytes));
}

void
event_hash(const struct ledger_event *e, const uint8_t prev[LEDGER_HASH_BYTES],
    uint8_t out[LEDGER_HASH_BYTES])
{
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	hash_text(&ctx, "agsbx event 1");
	hash_bytes(&ctx, prev, LEDGER_HASH_BYTES);
	hash_number(&ctx, e->seq);
	hash_text(&ctx, e->job);
	hash_number(&ctx, e->at_ms);
	hash_text(&ctx, e->from);
	hash_text(&ctx, e->to);
	hash_bytes(&ctx, e->facts, LEDGER_HASH_BYTES);
	SHA256Final(out, &ctx);
}

void
ledger_hash_text(const uint8_t hash[LEDGER_HASH_BYTES],
    char text[LEDGER_HASH_TEXT])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < LEDGER_HASH_BYTES; i++) {
		text[2 * i] = digits[hash[i] >> 4];
		text[2 * i + 1] = digits[hash[i] & 15];
	}
	text[LEDGER_HASH_TEXT - 1] = '\0';
}

static void
hash_column(SHA2_CTX *ctx, sqlite3_stmt *stmt, int i)
{
	int type = sqlite3_column_type(stmt, i);
	const void *bytes;

	hash_number(ctx, type);
	if (type == SQLITE_INTEGER) {
		hash_number(ctx, sqlite3_column_int64(stmt, i));
	} else if (type != SQLITE_NULL) {
		bytes = sqlite3_column_blob(stmt, i);
		hash_bytes(ctx, bytes != NULL ? bytes : "",
		    (size_t)sqlite3_column_bytes(stmt, i));
	}
}

/* How many columns of the current row count: all of the first, then up to the
 * last one that has a value. */
static int
count_columns(sqlite3_stmt *stmt, int first)
{
	int count = sqlite3_column_count(stmt);

	while (count > first &&
	    sqlite3_column_type(stmt, count - 1) == SQLITE_NULL)
		count--;
	return (count);
}

struct facts_query {
	const char *table;
	const char *sql;
	int first; /* columns that always count */
};

/* Every column of every row that a query gives for id. */
static int
hash_rows(struct ledger *l, SHA2_CTX *ctx, const char *id,
    const struct facts_query *q, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l, q->sql, d);
	int rc, count;

	if (stmt == NULL)
		return (-1);
	if ((rc = kind_bind_text(stmt, 1, id)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	hash_text(ctx, q->table);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		count = count_columns(stmt, q->first);
		hash_number(ctx, count);
		for (int i = 0; i < count; i++)
			hash_column(ctx, stmt, i);
	}
	return (rc == SQLITE_DONE ? 0 : sql_fail(l, rc, d));
}

int
event_facts(struct ledger *l, const char *id, uint8_t out[LEDGER_HASH_BYTES],
    struct diag *d)
{
	const struct facts_query queries[] = {
	    {"jobs", ledger_select_job, ledger_first_columns},
	    {"controls", ledger_select_controls, INT_MAX},
	    {"gaps", ledger_select_gaps, INT_MAX},
	};
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		if (hash_rows(l, &ctx, id, &queries[i], d) == -1)
			return (-1);
	SHA256Final(out, &ctx);
	return (0);
}

/* The number of the next event, and the hash that it follows. */
static int
read_head(struct ledger *l, int64_t *seq, uint8_t prev[LEDGER_HASH_BYTES],
    struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1", d);
	int rc;

	if (stmt == NULL)
		return (-1);
	*seq = 1;
	memset(prev, 0, LEDGER_HASH_BYTES);
	if ((rc = sqlite3_step(stmt)) == SQLITE_DONE)
		return (0);
	if (rc != SQLITE_ROW)
		return (sql_fail(l, rc, d));
	if (sqlite3_column_bytes(stmt, 1) != LEDGER_HASH_BYTES)
		return (sql_fail(l, SQLITE_CORRUPT, d));
	*seq = sqlite3_column_int64(stmt, 0) + 1;
	memcpy(prev, sqlite3_column_blob(stmt, 1), LEDGER_HASH_BYTES);
	return (0);
}

static int
insert_event(struct ledger *l, const struct ledger_event *e,
    const uint8_t *prev, const uint8_t *hash, struct diag *d)
{
	auto_stmt stmt = sql_prepare(l,
	    "INSERT INTO events (seq, job, at_ms, from_state, to_state, facts,"
	    " prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	    d);
	int rc;

	if (stmt == NULL)
		return (-1);
	if ((rc = sqlite3_bind_int64(stmt, 1, e->seq)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 2, e->job)) != SQLITE_OK ||
	    (rc = sqlite3_bind_int64(stmt, 3, e->at_ms)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 4,
		 e->from[0] != '\0' ? e->from : NULL)) != SQLITE_OK ||
	    (rc = kind_bind_text(stmt, 5, e->to)) != SQLITE_OK ||
	    (rc = sqlite3_bind_blob(stmt, 6, e->facts, LEDGER_HASH_BYTES,
		 SQLITE_TRANSIENT)) != SQLITE_OK ||
	    (rc = sqlite3_bind_blob(stmt, 7, prev, LEDGER_HASH_BYTES,
		 SQLITE_TRANSIENT)) != SQLITE_OK ||
	    (rc = sqlite3_bind_blob(stmt, 8, hash, LEDGER_HASH_BYTES,
		 SQLITE_TRANSIENT)) != SQLITE_OK)
		return (sql_fail(l, rc, d));
	return (sql_run(l, stmt, d));
}

int
event_append(struct ledger *l, const char *id, const char *from, const char *to,
    struct diag *d)
{
	struct ledger_event e = {.at_ms = times_now_ms(),
	    .from = from,
	    .to = to};
	uint8_t prev[LEDGER_HASH_BYTES], hash[LEDGER_HASH_BYTES];

	if (strlcpy(e.job, id, sizeof(e.job)) >= sizeof(e.job))
		return (diag_set(d, DIAG_INTERNAL, "a job's id is too long"));
	if (read_head(l, &e.seq, prev, d) == -1 ||
	    event_facts(l, id, e.facts, d) == -1)
		return (-1);
	event_hash(&e, prev, hash);
	if (insert_event(l, &e, prev, hash, d) == -1)
		return (-1);
	l->head.seq = e.seq;
	ledger_hash_text(hash, l->head.hash);
	return (0);
}

const struct ledger_anchor *
ledger_head(const struct ledger *l)
{
	return (&l->head);
}
