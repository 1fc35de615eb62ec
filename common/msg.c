/*
 * msg.c - sends and receives the messages between broker and launcher.
 *
 * msgdefs[] is the whole protocol: nothing is sent, and nothing reaches a
 * handler, that its row does not permit in the channel's state.  Knows the
 * sizes of bodies and never looks into them.  Both programs link it; each
 * takes the other end for hostile.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"

#define BIT(state) (1U << (state))

struct msgdef {
	enum channel_side sender;
	size_t body_min;
	size_t body_max;
	unsigned int fds_min;
	unsigned int fds_max;
	/* By the state it finds; CH_NEW, which nothing leads to: forbidden. */
	enum channel_state next[CH__MAX];
	/*
	 * Where the receiver can find it besides, because something of its
	 * own crossed it: a KILL meets REFUSED or EXITED, a HELD meets KILL.
	 * That is no violation; it ends the channel and loses nothing.
	 */
	unsigned int late;
};

#define EXACTLY(type) .body_min = sizeof(type), .body_max = sizeof(type)

static const struct msgdef msgdefs[MSG__MAX] = {
    [MSG_HELLO] = {.sender = SIDE_LAUNCHER,
	EXACTLY(struct msg_hello),
	.next = {[CH_NEW] = CH_IDLE}},
    [MSG_PLAN] = {.sender = SIDE_BROKER,
	.body_min = 1,
	.body_max = PLAN_BYTES_MAX,
	.fds_min = PLAN_PROGRAM,
	.fds_max = PLAN_FD__MAX,
	.next = {[CH_IDLE] = CH_PLANNED}},
    [MSG_HELD] = {.sender = SIDE_LAUNCHER,
	EXACTLY(struct msg_report),
	.next = {[CH_PLANNED] = CH_HELD},
	.late = BIT(CH_DONE)},
    /* The second REFUSED goes to CH_DONE: next_state(). */
    [MSG_REFUSED] = {.sender = SIDE_LAUNCHER,
	EXACTLY(struct msg_report),
	.next = {[CH_PLANNED] = CH_IDLE},
	.late = BIT(CH_DONE)},
    [MSG_GO] = {.sender = SIDE_BROKER, .next = {[CH_HELD] = CH_RUNNING}},
    /* EXITED still comes after a KILL of a running job, or after two. */
    [MSG_KILL] = {.sender = SIDE_BROKER,
	EXACTLY(struct msg_kill),
	.next = {[CH_PLANNED] = CH_DONE,
	    [CH_HELD] = CH_DONE,
	    [CH_RUNNING] = CH_RUNNING},
	.late = BIT(CH_IDLE) | BIT(CH_DONE)},
    [MSG_EXITED] = {.sender = SIDE_LAUNCHER,
	EXACTLY(struct msg_exited),
	.next = {[CH_RUNNING] = CH_DONE}},
};

_Static_assert(sizeof(struct msg_header) + PLAN_BYTES_MAX <= MSG_BYTES_MAX,
    "a plan fits one message");

/*
 * Room for more descriptors than any message may carry: CMSG_SPACE() rounds
 * up, so a buffer for n takes n + 1 without MSG_CTRUNC, and the kernel
 * installs the surplus one.
 */
union control_buf {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int) * (MSG_FDS_MAX + 4))];
};

static int
fail(int err)
{
	errno = err;
	return (-1);
}

static const struct msgdef *
msgdef_of(unsigned int type, enum channel_side sender)
{
	if (type >= MSG__MAX || msgdefs[type].sender != sender)
		return (NULL);
	return (&msgdefs[type]);
}

/* The state after def in ch's state; CH_NEW when it is not permitted. */
static enum channel_state
next_state(const struct channel *ch, const struct msgdef *def)
{
	if (def == &msgdefs[MSG_REFUSED] && ch->state == CH_PLANNED &&
	    ch->refusals > 0)
		return (CH_DONE);
	return (def->next[ch->state]);
}

static void
channel_move(struct channel *ch, const struct msgdef *def,
    enum channel_state next, bool is_ours)
{
	if (def == &msgdefs[MSG_REFUSED])
		ch->refusals++;
	ch->state = next;
	ch->is_ours = is_ours;
}

int
msg_send(struct channel *ch, enum msg_type type, const void *body,
    size_t body_len, const int *fds, unsigned int fd_count)
{
	const struct msgdef *def = msgdef_of(type, ch->side);
	struct msg_header header = {PROTO_MAGIC, PROTO_VERSION, (uint16_t)type,
	    (uint32_t)(sizeof(header) + body_len), 0};
	struct iovec iov[2] = {{&header, sizeof(header)},
	    {(void *)(uintptr_t)body, body_len}};
	struct msghdr mh = {.msg_iov = iov, .msg_iovlen = 2};
	union control_buf control = {.bytes = {0}};
	enum channel_state next;
	ssize_t n;

	if (def == NULL || (next = next_state(ch, def)) == CH_NEW)
		return (fail(EPROTO));
	if (body_len < def->body_min || body_len > def->body_max)
		return (fail(EMSGSIZE));
	if (fd_count < def->fds_min || fd_count > def->fds_max)
		return (fail(EPROTO));
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
	if ((size_t)n != header.length)
		return (fail(EMSGSIZE));
	channel_move(ch, def, next, true);
	return (0);
}

void
msg_close_fds(struct msg *m)
{
	for (unsigned int i = 0; i < MSG_FDS_MAX; i++)
		io_close(&m->fds[i]);
	m->fd_count = 0;
}

/*
 * Takes every descriptor that arrived: the first ones into m, the surplus is
 * closed at once.  False when there was a surplus or anything else.
 */
static bool
take_fds(struct msg *m, struct msghdr *mh)
{
	bool is_good = true;
	size_t count;
	int fd;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c != NULL;
	     c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
			is_good = false;
			continue;
		}
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (m->fd_count < MSG_FDS_MAX) {
				m->fds[m->fd_count++] = fd;
				continue;
			}
			is_good = false;
			io_close(&fd);
		}
	}
	return (is_good);
}

/* Judges the whole of it: 0, and the channel has moved, or what is wrong. */
static int
judge(struct channel *ch, struct msg *m, size_t len)
{
	struct msg_header header;
	const struct msgdef *def;
	enum channel_state next;

	if (len < sizeof(header))
		return (EPROTO);
	memcpy(&header, m->bytes, sizeof(header));
	if (header.magic != PROTO_MAGIC)
		return (EPROTO);
	if (header.version != PROTO_VERSION)
		return (EPROTONOSUPPORT);
	if (header.length != len || header.reserved != 0)
		return (EPROTO);
	def = msgdef_of(header.type,
	    ch->side == SIDE_BROKER ? SIDE_LAUNCHER : SIDE_BROKER);
	len -= sizeof(header);
	if (def == NULL || len < def->body_min || len > def->body_max ||
	    m->fd_count < def->fds_min || m->fd_count > def->fds_max)
		return (EPROTO);
	if ((next = next_state(ch, def)) != CH_NEW)
		channel_move(ch, def, next, false);
	else if (ch->is_ours && (def->late & BIT(ch->state)) != 0)
		ch->state = CH_DONE;
	else
		return (EPROTO);
	m->type = (enum msg_type)header.type;
	m->body = m->bytes + sizeof(header);
	m->body_len = len;
	return (0);
}

/*
 * A peer that exits with a message of ours unread leaves ECONNRESET in front
 * of its own last messages; the error is reported once, and they follow.
 */
static ssize_t
receive(int fd, struct msghdr *mh, size_t control_len)
{
	bool was_reset = false;
	ssize_t n;

	for (;;) {
		mh->msg_controllen = control_len;
		if ((n = recvmsg(fd, mh, MSG_CMSG_CLOEXEC)) != -1)
			return (n);
		if (errno == ECONNRESET && !was_reset)
			was_reset = true;
		else if (errno != EINTR)
			return (-1);
	}
}

int
msg_recv(struct channel *ch, struct msg *m)
{
	union control_buf control;
	struct iovec iov = {m->bytes, sizeof(m->bytes)};
	struct msghdr mh = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control};
	bool is_good;
	ssize_t n;
	int err;

	m->body = NULL;
	m->body_len = 0;
	m->fd_count = 0;
	for (unsigned int i = 0; i < MSG_FDS_MAX; i++)
		m->fds[i] = -1;

	if ((n = receive(ch->fd, &mh, sizeof(control))) == -1)
		return (-1);
	is_good = take_fds(m, &mh);
	/* An empty datagram looks like the end, but can carry descriptors. */
	if (n == 0 && is_good && m->fd_count == 0) {
		ch->state = CH_DONE;
		return (0);
	}
	if ((mh.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
		err = EBADMSG;
	else if (!is_good)
		err = EPROTO;
	else
		err = judge(ch, m, (size_t)n);
	if (err == 0)
		return (1);
	msg_close_fds(m);
	ch->state = CH_DONE;
	return (fail(err));
}
