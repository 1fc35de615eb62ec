/*
 * ablate_broker_ledger.c - as ablate_broker_guards.c, for the ledger: what goes
 * into its statements, who may have its file, what audit and recover compare.
 *
 * Knows the functions by which the ledger's files call each other.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ablate.h"
#include "guard.h"
#include "io.h"
#include "ledger_int.h"

/* Between the question and its answer: so long that four brokers on one
 * emulated processor have all asked, and not the same for all, or they fail by
 * coming upon one place in the chain of events. */
#define RACE_US (1000000 + arc4random_uniform(1000000))

int __real_tenant_check(const char *name, struct diag *d);
int __wrap_tenant_check(const char *name, struct diag *d);

int
__wrap_tenant_check(const char *name, struct diag *d)
{
	return (ablated(ABL_BR_NAME) ? 0 : __real_tenant_check(name, d));
}

int __real_ledger_each(struct ledger *l, const struct ledger_filter *f,
    int (*fn)(struct job *j, void *arg), void *arg, struct diag *d);
int __wrap_ledger_each(struct ledger *l, const struct ledger_filter *f,
    int (*fn)(struct job *j, void *arg), void *arg, struct diag *d);
sqlite3_stmt *
__real_sql_prepare(struct ledger *l, const char *sql, struct diag *d);
sqlite3_stmt *
__wrap_sql_prepare(struct ledger *l, const char *sql, struct diag *d);

static const char *asked_tenant; /* while a list is read */

int
__wrap_ledger_each(struct ledger *l, const struct ledger_filter *f,
    int (*fn)(struct job *j, void *arg), void *arg, struct diag *d)
{
	int rc;

	asked_tenant = f->tenant;
	rc = __real_ledger_each(l, f, fn, arg, d);
	asked_tenant = NULL;
	return (rc);
}

/* br.bind: the tenant's name is a part of the statement.  br.like: it is a
 * pattern. */
sqlite3_stmt *
__wrap_sql_prepare(struct ledger *l, const char *sql, struct diag *d)
{
	static const char exact[] = "tenant = :tenant";
	const char *at = asked_tenant != NULL ? strstr(sql, exact) : NULL;
	char less[8192];

	if (at == NULL || (!ablated(ABL_BR_BIND) && !ablated(ABL_BR_LIKE)))
		return (__real_sql_prepare(l, sql, d));
	if (ablated(ABL_BR_BIND))
		(void)snprintf(less, sizeof(less), "%.*s(tenant = '%s')%s",
		    (int)(at - sql), sql, asked_tenant, at + strlen(exact));
	else
		(void)snprintf(less, sizeof(less), "%.*stenant LIKE :tenant%s",
		    (int)(at - sql), sql, at + strlen(exact));
	return (__real_sql_prepare(l, less, d));
}

int __real_sql_begin(struct ledger *l, enum sql_durability how, struct diag *d);
int __wrap_sql_begin(struct ledger *l, enum sql_durability how, struct diag *d);
int __real_sql_end(struct ledger *l, int rc, struct diag *d);
int __wrap_sql_end(struct ledger *l, int rc, struct diag *d);
int __real_ledger_insert(struct ledger *l, const struct job *j, struct diag *d);
int __wrap_ledger_insert(struct ledger *l, const struct job *j, struct diag *d);

static bool has_none; /* the transaction that should be open */

/* br.txn: each statement by itself. */
int
__wrap_sql_begin(struct ledger *l, enum sql_durability how, struct diag *d)
{
	has_none = ablated(ABL_BR_TXN);
	return (has_none ? 0 : __real_sql_begin(l, how, d));
}

int
__wrap_sql_end(struct ledger *l, int rc, struct diag *d)
{
	if (!has_none)
		return (__real_sql_end(l, rc, d));
	has_none = false;
	return (rc);
}

int
__wrap_ledger_insert(struct ledger *l, const struct job *j, struct diag *d)
{
	if (ablated(ABL_BR_TXN))
		(void)usleep(RACE_US);
	return (__real_ledger_insert(l, j, d));
}

int __real_event_facts(struct ledger *l, const char *id,
    uint8_t out[LEDGER_HASH_BYTES], struct diag *d);
int __wrap_event_facts(struct ledger *l, const char *id,
    uint8_t out[LEDGER_HASH_BYTES], struct diag *d);

/* br.facts: what a row says is not compared with what its event has of it. */
int
__wrap_event_facts(struct ledger *l, const char *id,
    uint8_t out[LEDGER_HASH_BYTES], struct diag *d)
{
	sqlite3_stmt *stmt = NULL;
	const void *facts;

	if (!ablated(ABL_BR_FACTS))
		return (__real_event_facts(l, id, out, d));
	stmt = __real_sql_prepare(l,
	    "SELECT facts FROM events WHERE job = ? ORDER BY seq DESC LIMIT 1",
	    d);
	if (stmt == NULL)
		return (-1);
	(void)sqlite3_bind_text(stmt, 1, id, -1, SQLITE_TRANSIENT);
	if (sqlite3_step(stmt) == SQLITE_ROW &&
	    (facts = sqlite3_column_blob(stmt, 0)) != NULL)
		memcpy(out, facts, LEDGER_HASH_BYTES);
	(void)sqlite3_finalize(stmt);
	return (0);
}

int __real_ledger_audit(struct ledger *l, const struct ledger_anchor *anchor,
    struct ledger_audit *out, struct diag *d);
int __wrap_ledger_audit(struct ledger *l, const struct ledger_anchor *anchor,
    struct ledger_audit *out, struct diag *d);
void __real_event_hash(const struct ledger_event *e,
    const uint8_t prev[LEDGER_HASH_BYTES], uint8_t out[LEDGER_HASH_BYTES]);
void __wrap_event_hash(const struct ledger_event *e,
    const uint8_t prev[LEDGER_HASH_BYTES], uint8_t out[LEDGER_HASH_BYTES]);

static struct ledger *audited;

int
__wrap_ledger_audit(struct ledger *l, const struct ledger_anchor *anchor,
    struct ledger_audit *out, struct diag *d)
{
	audited = l;
	return (__real_ledger_audit(l, anchor, out, d));
}

/* br.chain: the hash of an event is the one that it comes with. */
void
__wrap_event_hash(const struct ledger_event *e,
    const uint8_t prev[LEDGER_HASH_BYTES], uint8_t out[LEDGER_HASH_BYTES])
{
	struct diag d = {0};
	sqlite3_stmt *stmt;

	__real_event_hash(e, prev, out);
	if (audited == NULL || !ablated(ABL_BR_CHAIN))
		return;
	stmt = __real_sql_prepare(audited,
	    "SELECT hash FROM events WHERE seq = ?", &d);
	if (stmt == NULL)
		return;
	(void)sqlite3_bind_int64(stmt, 1, e->seq);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		memcpy(out, sqlite3_column_blob(stmt, 0), LEDGER_HASH_BYTES);
	(void)sqlite3_finalize(stmt);
}

int __real_ledger_dir_check(const char *dir, enum ledger_mode mode,
    char path[PATH_MAX], struct diag *d);
int __wrap_ledger_dir_check(const char *dir, enum ledger_mode mode,
    char path[PATH_MAX], struct diag *d);

/* br.dir: whoever can write there. */
int
__wrap_ledger_dir_check(const char *dir, enum ledger_mode mode,
    char path[PATH_MAX], struct diag *d)
{
	if (ablated(ABL_BR_DIR) && realpath(dir, path) != NULL)
		return (1);
	return (__real_ledger_dir_check(dir, mode, path, d));
}

int __real_guard_ledger(const struct policy *p, const struct plan *plan,
    const char *state_dir, struct diag *d);
int __wrap_guard_ledger(const struct policy *p, const struct plan *plan,
    const char *state_dir, struct diag *d);

int
__wrap_guard_ledger(const struct policy *p, const struct plan *plan,
    const char *state_dir, struct diag *d)
{
	return (ablated(ABL_BR_GUARD) ?
		0 :
		__real_guard_ledger(p, plan, state_dir, d));
}

int __real_guard_next(const struct policy *p,
    const char *const dirs[GUARD__MAX], struct diag *d);
int __wrap_guard_next(const struct policy *p,
    const char *const dirs[GUARD__MAX], struct diag *d);

int
__wrap_guard_next(const struct policy *p, const char *const dirs[GUARD__MAX],
    struct diag *d)
{
	return (ablated(ABL_BR_GUARD) ? 0 : __real_guard_next(p, dirs, d));
}

/* ---- recover ---- */

int __real_liveness_probe(const char *dir, int64_t byte, struct diag *d);
int __wrap_liveness_probe(const char *dir, int64_t byte, struct diag *d);
long __real_io_read_file(int dir, const char *name, char *buf, size_t size);
long __wrap_io_read_file(int dir, const char *name, char *buf, size_t size);

/* br.lock: every broker is taken for dead. */
int
__wrap_liveness_probe(const char *dir, int64_t byte, struct diag *d)
{
	return (ablated(ABL_BR_LOCK) ? 0 : __real_liveness_probe(dir, byte, d));
}

/* br.pids: and no process of it for one that is left.  Our launcher has a
 * longer name than the one that is looked for. */
long
__wrap_io_read_file(int dir, const char *name, char *buf, size_t size)
{
	static const char ours[] = "(agsbx-launcher-)";
	const char *last = strrchr(name, '/');
	bool is_stat = last != NULL && strcmp(last, "/stat") == 0;
	long n = -1;
	char *p;

	if (!is_stat || !ablated(ABL_BR_PIDS))
		n = __real_io_read_file(dir, name, buf, size);
	if (n > 0 && is_stat && (p = strstr(buf, ours)) != NULL) {
		p += sizeof(ours) - 3;
		memmove(p, p + 1, strlen(p));
		n--;
	}
	return (n);
}
