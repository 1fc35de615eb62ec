/*
 * msg.c - sends and receives the messages between broker and launcher.
 *
 * shapes[] and moves[] are the whole protocol.  Never looks into a body.  Both
 * programs link it; each takes the other end for hostile.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <string.h>

#include "io.h"
#include "msg.h"

#define EXACTLY(type) sizeof(type), sizeof(type)

static const struct shape {
	enum channel_side sender;
	size_t body_min;
	size_t body_max;
	unsigned int fds_min;
	unsigned int fds_max;
} shapes[MSG__MAX] = {
    [MSG_HELLO] = {SIDE_LAUNCHER, EXACTLY(struct msg_hello), 0, 0},
    [MSG_PLAN] = {SIDE_BROKER, 1, PLAN_BYTES_MAX, PLAN_PROGRAM, PLAN_FD__MAX},
    [MSG_HELD] = {SIDE_LAUNCHER, EXACTLY(struct msg_report), 0, 0},
    [MSG_REFUSED] = {SIDE_LAUNCHER, EXACTLY(struct msg_report), 0, 0},
    [MSG_GO] = {SIDE_BROKER, 0, 0, 0, 0},
    [MSG_KILL] = {SIDE_BROKER, EXACTLY(struct msg_kill), 0, 0},
    [MSG_EXITED] = {SIDE_LAUNCHER, EXACTLY(struct msg_exited), 0, 0},
};
_Static_assert(sizeof(struct msg_header) + PLAN_BYTES_MAX <= MSG_BYTES_MAX,
    "a plan fits one message");

/* Which message leads where.  The last four were crossed by something of their
 * receiver's own: no violation; they end the channel and lose nothing. */
static const struct move {
	enum msg_type type;
	enum channel_state from;
	enum channel_state to;
} moves[] = {
    {MSG_HELLO, CH_NEW, CH_IDLE},
    {MSG_PLAN, CH_IDLE, CH_PLANNED},
    {MSG_HELD, CH_PLANNED, CH_HELD},
    {MSG_REFUSED, CH_PLANNED, CH_IDLE}, /* the second one: CH_DONE */
    {MSG_GO, CH_HELD, CH_RUNNING},
    {MSG_KILL, CH_PLANNED, CH_DONE},
    {MSG_KILL, CH_HELD, CH_DONE},
    {MSG_KILL, CH_RUNNING, CH_RUNNING}, /* EXITED still comes */
    {MSG_EXITED, CH_RUNNING, CH_DONE},
    {MSG_HELD, CH_DONE, CH_DONE},
    {MSG_REFUSED, CH_DONE, CH_DONE},
    {MSG_KILL, CH_IDLE, CH_DONE},
    {MSG_KILL, CH_DONE, CH_DONE},
};

union control_buf {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int) * MSG_FDS_ROOM)];
};
/* Else CMSG_SPACE() rounds up, and one more than there is room for arrives
 * without MSG_CTRUNC. */
_Static_assert(CMSG_SPACE(sizeof(int) * MSG_FDS_ROOM) ==
	CMSG_LEN(sizeof(int) * MSG_FDS_ROOM),
    "what control_buf holds fits struct msg");

/* False when such a message is not permitted now. */
static bool
channel_move(struct channel *ch, bool is_sent, unsigned int type,
    size_t body_len, unsigned int fd_count)
{
	const struct shape *s = &shapes[type < MSG__MAX ? type : 0];
	const struct move *m = moves;
	const struct move *end = moves + sizeof(moves) / sizeof(moves[0]);

	while (m < end && (m->type != type || m->from != ch->state))
		m++;
	if (m == end || (s->sender == ch->side) != is_sent ||
	    body_len < s->body_min || body_len > s->body_max ||
	    fd_count < s->fds_min || fd_count > s->fds_max)
		return (false);
	ch->state = m->to;
	if (type == MSG_REFUSED && ch->refusals++ > 0)
		ch->state = CH_DONE;
	return (true);
}

int
msg_send(struct channel *ch, enum msg_type type, const void *body,
    size_t body_len, const int *fds, unsigned int fd_count)
{
	struct msg_header header = {PROTO_MAGIC, PROTO_VERSION, (uint16_t)type,
	    (uint32_t)(sizeof(header) + body_len), 0};
	struct iovec iov[2] = {{&header, sizeof(header)},
	    {(void *)(uintptr_t)body, body_len}};
	struct msghdr mh = {.msg_iov = iov, .msg_iovlen = 2};
	union control_buf control = {.bytes = {0}};
	struct channel after = *ch;
	ssize_t n;

	if (!channel_move(&after, true, type, body_len, fd_count)) {
		errno = EPROTO;
		return (-1);
	}
	if (fd_count > 0) {
		mh.msg_control = &control;
		mh.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
		memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * fd_count);
	}
	do
		n = sendmsg(ch->fd, &mh, MSG_NOSIGNAL);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return (-1);
	*ch = after; /* a datagram goes whole or not at all */
	return (0);
}

void
msg_close_fds(struct msg *m)
{
	for (unsigned int i = 0; i < MSG_FDS_ROOM; i++)
		io_close(&m->fds[i]);
	m->fd_count = 0;
}

/* Takes every descriptor that arrived; false when there was anything else. */
static bool
take_fds(struct msg *m, struct msghdr *mh)
{
	bool is_good = true;
	size_t len;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c != NULL;
	     c = CMSG_NXTHDR(mh, c)) {
		len = c->cmsg_len - CMSG_LEN(0);
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
			memcpy(&m->fds[m->fd_count], CMSG_DATA(c), len);
			m->fd_count += (unsigned int)(len / sizeof(int));
		} else
			is_good = false;
	}
	return (is_good);
}

/* Judges the whole of it: 0, and the channel has moved, or what is wrong. */
static int
judge(struct channel *ch, struct msg *m, size_t len)
{
	struct msg_header header;

	if (len < sizeof(header))
		return (EPROTO);
	memcpy(&header, m->bytes, sizeof(header));
	if (header.magic == PROTO_MAGIC && header.version != PROTO_VERSION)
		return (EPROTONOSUPPORT);
	m->body_len = len - sizeof(header);
	if (header.magic != PROTO_MAGIC || header.length != len ||
	    header.reserved != 0 ||
	    !channel_move(ch, false, header.type, m->body_len, m->fd_count))
		return (EPROTO);
	m->type = (enum msg_type)header.type;
	m->body = m->bytes + sizeof(header);
	return (0);
}

int
msg_recv(struct channel *ch, struct msg *m)
{
	union control_buf control;
	struct iovec iov = {m->bytes, sizeof(m->bytes)};
	struct msghdr mh = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control};
	unsigned int resets = 0;
	bool is_good;
	ssize_t n;
	int err;

	m->body = NULL;
	m->body_len = 0;
	m->fd_count = 0;
	for (unsigned int i = 0; i < MSG_FDS_ROOM; i++)
		m->fds[i] = -1;
	/* A peer that exits with a message of ours unread leaves ECONNRESET in
	 * front of its own last ones; it is reported once, and they follow. */
	do {
		mh.msg_controllen = sizeof(control);
		n = recvmsg(ch->fd, &mh, MSG_CMSG_CLOEXEC);
	} while (n == -1 &&
	    (errno == EINTR || (errno == ECONNRESET && resets++ == 0)));
	if (n == -1)
		return (-1);
	is_good = take_fds(m, &mh);
	err = (mh.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ? EBADMSG :
	    is_good ? judge(ch, m, (size_t)n) :
		      EPROTO;
	if (err == 0)
		return (1);
	ch->state = CH_DONE;
	/* An empty datagram looks like the end, but can carry descriptors. */
	if (n == 0 && is_good && m->fd_count == 0)
		return (0);
	m->body_len = 0;
	msg_close_fds(m);
	errno = err;
	return (-1);
}
