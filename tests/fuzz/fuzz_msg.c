/*
 * fuzz_msg.c - datagrams as a hostile peer sends them: bytes and descriptors
 * at a channel in any state.  msg_recv() must refuse, close what came with it
 * and end the channel, or give a message that may be said in that state.
 *
 * Input: a byte for side and state, then for each datagram a byte for its
 * descriptors, one for the FLAG_* and two for its length, and its bytes.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <unistd.h>

#include "fuzz.h"
#include "io.h"
#include "msg.h"

#define FLAG_HEADER 0x1 /* magic, version and length are put right */
#define FLAG_TWICE 0x2	/* two control messages */
#define FLAG_PID 0x4	/* the receiver is told our credentials as well */
#define FLAG_STATE 0x8	/* the state is put back before it */
/* The upper bits: so many times 32 KiB of zeros follow. */
#define PADDING(flags) ((size_t)((flags) >> 4) << 15)
#define FDS_SENT_MAX 24

/* Who may say what, apart from the tables that are under test. */
static const struct rule {
	enum channel_side receiver;
	unsigned int fds_max;
	uint8_t from; /* a bit for each state it may come in */
} rules[MSG__MAX] = {
    [MSG_HELLO] = {SIDE_BROKER, 0, 1 << CH_NEW},
    [MSG_PLAN] = {SIDE_LAUNCHER, PLAN_FD__MAX, 1 << CH_IDLE},
    [MSG_HELD] = {SIDE_BROKER, 0, 1 << CH_PLANNED},
    [MSG_REFUSED] = {SIDE_BROKER, 0, 1 << CH_PLANNED},
    [MSG_GO] = {SIDE_LAUNCHER, 0, 1 << CH_HELD},
    [MSG_KILL] = {SIDE_LAUNCHER, 0,
	1 << CH_PLANNED | 1 << CH_HELD | 1 << CH_RUNNING},
    [MSG_EXITED] = {SIDE_BROKER, 0, 1 << CH_RUNNING},
};

static uint8_t datagram[64 * 1024 + 16 * 32 * 1024];
static struct msg got;

/* The next descriptor: higher than before when one was left open. */
static int
next_fd(void)
{
	int fd = dup(STDERR_FILENO);

	MUST(fd != -1);
	(void)close(fd);
	return (fd);
}

static void
attach(struct msghdr *mh, unsigned int count, unsigned int parts)
{
	static _Alignas(
	    8) char control[2 * CMSG_SPACE(sizeof(int) * FDS_SENT_MAX)];
	int fds[FDS_SENT_MAX];
	struct cmsghdr *c;

	memset(control, 0, sizeof(control));
	for (unsigned int i = 0; i < FDS_SENT_MAX; i++)
		fds[i] = STDERR_FILENO;
	mh->msg_control = control;
	mh->msg_controllen = parts * CMSG_SPACE(sizeof(int) * count);
	c = CMSG_FIRSTHDR(mh);
	for (unsigned int i = 0; i < parts; i++) {
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * count);
		c = CMSG_NXTHDR(mh, c);
	}
}

/* Puts the next datagram of the input on the wire; false: it did not fit. */
static bool
send_next(struct input *in, int fd, unsigned int *fd_count, uint8_t *flags)
{
	struct msghdr mh = {.msg_iovlen = 1};
	struct iovec iov = {datagram, 0};
	const uint8_t *bytes;
	size_t want, len;

	*fd_count = take_byte(in) % (FDS_SENT_MAX + 1);
	*flags = take_byte(in);
	want = take_byte(in);
	want |= (size_t)take_byte(in) << 8;
	bytes = take_bytes(in, want, &len);
	iov.iov_len = len + PADDING(*flags);
	memset(datagram, 0, iov.iov_len);
	if (len > 0)
		memcpy(datagram, bytes, len);
	if ((*flags & FLAG_HEADER) != 0 && len >= sizeof(struct msg_header)) {
		struct msg_header h;

		memcpy(&h, datagram, sizeof(h));
		h.magic = PROTO_MAGIC;
		h.version = PROTO_VERSION;
		h.length = (uint32_t)iov.iov_len;
		memcpy(datagram, &h, sizeof(h));
	}
	mh.msg_iov = &iov;
	if (*fd_count > 0)
		attach(&mh, *fd_count, (*flags & FLAG_TWICE) != 0 ? 2 : 1);
	return (sendmsg(fd, &mh, MSG_NOSIGNAL | MSG_DONTWAIT) != -1);
}

static void
must_be_permitted(const struct channel *ch, enum channel_state before,
    unsigned int fd_count)
{
	struct msg_header h;
	const struct rule *rule;

	MUST((unsigned int)got.type < MSG__MAX);
	rule = &rules[got.type];
	MUST(ch->side == rule->receiver);
	/* One that crossed ours may come late: then the channel is done. */
	MUST((rule->from & 1 << before) != 0 || ch->state == CH_DONE);
	MUST((unsigned int)ch->state < CH__MAX);
	MUST(got.fd_count <= rule->fds_max && got.fd_count == fd_count);
	MUST(got.body == got.bytes + sizeof(h));
	memcpy(&h, got.bytes, sizeof(h));
	MUST(h.magic == PROTO_MAGIC && h.version == PROTO_VERSION);
	MUST(h.type == got.type && h.length == sizeof(h) + got.body_len);
	MUST(h.length <= MSG_BYTES_MAX);
	for (unsigned int i = 0; i < MSG_FDS_ROOM; i++)
		MUST((got.fds[i] != -1) == (i < got.fd_count));
}

static void
receive(struct channel *ch, enum channel_state before, unsigned int fd_count,
    int free_fd)
{
	int rc;

	errno = 0;
	rc = msg_recv(ch, &got);
	if (rc == 1) {
		must_be_permitted(ch, before, fd_count);
		msg_close_fds(&got);
	} else if (rc == -1) {
		MUST(errno == EPROTO || errno == EBADMSG ||
		    errno == EPROTONOSUPPORT);
		MUST(ch->state == CH_DONE);
	} else {
		MUST(rc == 0 && ch->state == CH_DONE);
	}
	MUST(next_fd() == free_fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct channel ch = {.fd = -1};
	enum channel_state first, before;
	int pair[2], on, free_fd;
	unsigned int fd_count;
	uint8_t how, flags;

	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	free_fd = next_fd();
	how = take_byte(&in);
	ch.fd = pair[0];
	ch.side = (how & 1) != 0 ? SIDE_LAUNCHER : SIDE_BROKER;
	first = ch.state = (enum channel_state)((how >> 2) % CH__MAX);
	while (in.left > 0) {
		if (!send_next(&in, pair[1], &fd_count, &flags))
			continue;
		on = (flags & FLAG_PID) != 0;
		MUST(setsockopt(ch.fd, SOL_SOCKET, SO_PASSCRED, &on,
			 sizeof(on)) == 0);
		if ((flags & FLAG_STATE) != 0)
			ch.state = first;
		before = ch.state;
		receive(&ch, before, fd_count, free_fd);
	}
	io_close(&pair[1]);
	MUST(msg_recv(&ch, &got) == 0 && ch.state == CH_DONE);
	io_close(&pair[0]);
	return (0);
}
