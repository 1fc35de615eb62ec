/*
 * msg_fixture.h - two ends of one socketpair as channels, how every message
 * is said well, and a hand to write ill ones to the wire.
 */
#ifndef TESTS_MSG_FIXTURE_H
#define TESTS_MSG_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RAW_FDS_MAX 64

#define CHANNEL_TEST(f) \
	cmocka_unit_test_setup_teardown(f, open_channels, close_channels)

static struct channel broker;
static struct channel launcher;
static struct msg got;

/* How every type is said well: its body and its descriptors. */
static const struct good {
	enum channel_side sender;
	size_t body_len;
	unsigned int fd_count;
	const char *next; /* by state; '.': not permitted */
} goods[MSG__MAX] = {
    [MSG_HELLO] = {SIDE_LAUNCHER, sizeof(struct msg_hello), 0, "I....."},
    [MSG_PLAN] = {SIDE_BROKER, 1000, 3, ".P...."},
    [MSG_HELD] = {SIDE_LAUNCHER, sizeof(struct msg_report), 0, "..H..D"},
    [MSG_REFUSED] = {SIDE_LAUNCHER, sizeof(struct msg_report), 0, "..I..D"},
    [MSG_GO] = {SIDE_BROKER, 0, 0, "...R.."},
    [MSG_KILL] = {SIDE_BROKER, sizeof(struct msg_kill), 0, ".DDDRD"},
    [MSG_EXITED] = {SIDE_LAUNCHER, sizeof(struct msg_exited), 0, "....D."},
};
static const char state_letters[] = "NIPHRD";

static inline int
open_channels(void **state)
{
	int fds[2];

	(void)state;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
		0, fds) == -1)
		return (-1);
	broker = (struct channel){.fd = fds[0], .side = SIDE_BROKER};
	launcher = (struct channel){.fd = fds[1], .side = SIDE_LAUNCHER};
	return (0);
}

static inline int
close_channels(void **state)
{
	(void)state;
	io_close(&broker.fd);
	io_close(&launcher.fd);
	return (0);
}

static inline void
set_states(enum channel_state s)
{
	broker.state = launcher.state = s;
	broker.refusals = launcher.refusals = 0;
}

/* What a peer puts on the wire; 0 and "" mean: as it should be. */
struct raw {
	enum msg_type type;
	size_t body_len;
	unsigned int fd_count;
	uint32_t magic_xor;
	uint16_t version_add;
	uint16_t type_add;
	uint32_t reserved;
	int length_add;	  /* to the header's length member */
	size_t cut;	  /* the datagram is only so long */
	bool is_empty;	  /* of no bytes at all */
	bool is_twice;	  /* the descriptors in two control messages */
	bool is_with_pid; /* the receiver is told our credentials as well */
};

static inline void
attach_fds(struct msghdr *mh, char *control, unsigned int count, bool is_twice)
{
	unsigned int parts = is_twice ? 2 : 1;
	int fds[RAW_FDS_MAX] = {0};
	struct cmsghdr *c;

	for (unsigned int i = 0; i < count; i++)
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

static inline void
send_raw(int fd, const struct raw *r)
{
	static uint8_t body[2 * MSG_BYTES_MAX];
	static _Alignas(8) char control[2048];
	struct msg_header h = {PROTO_MAGIC ^ r->magic_xor,
	    (uint16_t)(PROTO_VERSION + r->version_add),
	    (uint16_t)(r->type + r->type_add),
	    (uint32_t)((long)(sizeof(h) + r->body_len) + r->length_add),
	    r->reserved};
	struct iovec iov[2] = {{&h, sizeof(h)}, {body, r->body_len}};
	struct msghdr mh = {.msg_iov = iov, .msg_iovlen = 2};

	memset(control, 0, sizeof(control));
	if (r->cut != 0)
		iov[0].iov_len = r->cut;
	if (r->is_empty)
		iov[0].iov_len = 0;
	if (r->fd_count != 0)
		attach_fds(&mh, control, r->fd_count, r->is_twice);
	assert_int_equal(sendmsg(fd, &mh, MSG_NOSIGNAL),
	    iov[0].iov_len + iov[1].iov_len);
}

/* Sends r to ch as its peer would, and gives what msg_recv() says of it. */
static inline int
receive_raw(struct channel *ch, const struct raw *r)
{
	struct channel *peer = ch == &broker ? &launcher : &broker;
	int on = r->is_with_pid ? 1 : 0;
	int rc;

	assert_int_equal(setsockopt(ch->fd, SOL_SOCKET, SO_PASSCRED, &on,
			     sizeof(on)),
	    0);
	send_raw(peer->fd, r);
	errno = 0;
	rc = msg_recv(ch, &got);
	on = 0;
	(void)setsockopt(ch->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	return (rc);
}

static inline enum channel_state
expected_state(unsigned int type, unsigned int s)
{
	const char *at = strchr(state_letters, goods[type].next[s]);

	return (
	    at == NULL ? CH__MAX : (enum channel_state)(at - state_letters));
}

#endif
