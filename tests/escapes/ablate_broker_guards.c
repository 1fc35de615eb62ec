/*
 * ablate_broker_guards.c - as ablate_broker.c: the guards of agsbx itself, each
 * replaced by what stands there in a program that was written without it.
 *
 * Knows the functions by which the broker's files call each other, and nothing
 * of the drills (drill.sh) that need them gone.
 */
#include <sys/socket.h>

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ablate.h"
#include "gap.h"
#include "guard.h"
#include "io.h"
#include "ledger_int.h"
#include "peer.h"
#include "streams.h"

#define HOUR_MS 3600000
#define RACE_US 300000 /* between the question and its answer */

/* ---- what the launcher says ---- */

int __real_msg_recv(struct channel *ch, struct msg *m);
int __wrap_msg_recv(struct channel *ch, struct msg *m);

/* br.frame: whatever comes is a message, and brings what it likes. */
int
__wrap_msg_recv(struct channel *ch, struct msg *m)
{
	char control[CMSG_SPACE(sizeof(int) * 64)];
	struct iovec iov = {m->bytes, sizeof(m->bytes)};
	struct msghdr mh = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof(control)};
	struct msg_header header;
	ssize_t n;

	if (!ablated(ABL_BR_FRAME))
		return (__real_msg_recv(ch, m));
	n = recvmsg(ch->fd, &mh, MSG_CMSG_CLOEXEC);
	if (n < (ssize_t)sizeof(header))
		return ((int)n);
	memcpy(&header, m->bytes, sizeof(header));
	m->type = (enum msg_type)header.type;
	m->body = m->bytes + sizeof(header);
	m->body_len = (size_t)n - sizeof(header);
	if (m->type == MSG_HELLO)
		ch->state = CH_IDLE;
	else if (m->type == MSG_HELD)
		ch->state = CH_HELD;
	else if (m->type == MSG_REFUSED)
		ch->state = CH_IDLE;
	return (1);
}

int __real_peer_take_report(const struct peer *p, struct msg_report *r,
    const struct plan *plan, struct diag *d);
int __wrap_peer_take_report(const struct peer *p, struct msg_report *r,
    const struct plan *plan, struct diag *d);
int __real_peer_take_exited(const struct peer *p, struct msg_exited *x,
    struct diag *d);
int __wrap_peer_take_exited(const struct peer *p, struct msg_exited *x,
    struct diag *d);

/* br.judge: it is believed. */
int
__wrap_peer_take_report(const struct peer *p, struct msg_report *r,
    const struct plan *plan, struct diag *d)
{
	if (!ablated(ABL_BR_JUDGE))
		return (__real_peer_take_report(p, r, plan, d));
	memcpy(r, p->msg->body, sizeof(*r));
	return (0);
}

int
__wrap_peer_take_exited(const struct peer *p, struct msg_exited *x,
    struct diag *d)
{
	if (!ablated(ABL_BR_JUDGE))
		return (__real_peer_take_exited(p, x, d));
	memcpy(x, p->msg->body, sizeof(*x));
	return (0);
}

enum peer_event
__real_peer_wait(struct peer *p, int signal_fd, int timeout_ms, struct diag *d);
enum peer_event
__wrap_peer_wait(struct peer *p, int signal_fd, int timeout_ms, struct diag *d);

enum peer_event
__wrap_peer_wait(struct peer *p, int signal_fd, int timeout_ms, struct diag *d)
{
	return (__real_peer_wait(p, signal_fd,
	    ablated(ABL_BR_DEADLINE) ? HOUR_MS : timeout_ms, d));
}

/* ---- what the launcher is told ---- */

int __real_peer_send_kill(struct peer *p, uint32_t grace_ms);
int __wrap_peer_send_kill(struct peer *p, uint32_t grace_ms);
void __real_peer_kill(struct peer *p);
void __wrap_peer_kill(struct peer *p);

/* lc.kill: TERM, and nothing after it. */
int
__wrap_peer_send_kill(struct peer *p, uint32_t grace_ms)
{
	return (__real_peer_send_kill(p,
	    ablated(ABL_LC_KILL) ? HOUR_MS : grace_ms));
}

void
__wrap_peer_kill(struct peer *p)
{
	if (!ablated(ABL_LC_KILL))
		__real_peer_kill(p);
}

int __real_gaps_from_rows(struct job *j, const struct host *host,
    control_set waived);
int __wrap_gaps_from_rows(struct job *j, const struct host *host,
    control_set waived);

/* br.refuse: what cannot be held is left out, and nobody was asked. */
int
__wrap_gaps_from_rows(struct job *j, const struct host *host,
    control_set waived)
{
	return (__real_gaps_from_rows(j, host,
	    ablated(ABL_BR_REFUSE) ? CONTROL_ALL : waived));
}

/* ---- what is printed ---- */

size_t __real_visible_write(struct visible *v, const void *in, size_t len,
    char *out, size_t size, bool is_last);
size_t __wrap_visible_write(struct visible *v, const void *in, size_t len,
    char *out, size_t size, bool is_last);
char *__real_visible_line(const char *s);
char *__wrap_visible_line(const char *s);
char *__real_json_dumps(const json_t *json, size_t flags);
char *__wrap_json_dumps(const json_t *json, size_t flags);

/* br.clean: the bytes as they are. */
size_t
__wrap_visible_write(struct visible *v, const void *in, size_t len, char *out,
    size_t size, bool is_last)
{
	if (!ablated(ABL_BR_CLEAN))
		return (__real_visible_write(v, in, len, out, size, is_last));
	memcpy(out, in, len);
	return (len);
}

char *
__wrap_visible_line(const char *s)
{
	return (ablated(ABL_BR_CLEAN) ? strdup(s) : __real_visible_line(s));
}

/* br.json: texts between quotation marks, as printf would put them. */
char *
__wrap_json_dumps(const json_t *json, size_t flags)
{
	char *text = __real_json_dumps(json, flags), *to = text;

	if (text == NULL || !ablated(ABL_BR_JSON))
		return (text);
	for (const char *p = text; *p != '\0'; p++) {
		if (p[0] == '\\' && (p[1] == '"' || p[1] == '\\'))
			p++;
		*to++ = *p;
	}
	*to = '\0';
	return (text);
}

/* ---- the ledger ---- */

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
