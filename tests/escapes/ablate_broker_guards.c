/*
 * ablate_broker_guards.c - as ablate_broker.c: the guards of agsbx itself, each
 * replaced by what stands there in a program that was written without it.
 *
 * Knows the functions by which the broker's files call each other, and nothing
 * of the drills (drill.sh) that need them gone.
 */
#include <sys/socket.h>

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

#include "ablate.h"
#include "gap.h"
#include "peer.h"
#include "streams.h"

#define HOUR_MS 3600000

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
