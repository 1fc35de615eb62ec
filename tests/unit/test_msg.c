/*
 * test_msg.c - the messages between broker and launcher, said well and ill.
 *
 * Ill ones are written to the socket by hand, as a peer that was taken over
 * would; each must give its one errno, end the channel and leave no
 * descriptor behind (the list of /proc/self/fd is the same as before).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RAW_FDS_MAX 64

static struct channel broker;
static struct channel launcher;
static struct msg got;
static uint8_t zeros[MSG_BYTES_MAX];

/* How every type is said well: its body and its descriptors. */
static const struct good {
	enum channel_side sender;
	size_t body_len;
	unsigned int fd_count;
	const char *next; /* by state; '.': not permitted */
} goods[MSG__MAX] = {
    [MSG_HELLO] = {SIDE_LAUNCHER, sizeof(struct msg_hello), 0, "I....."},
    [MSG_PLAN] = {SIDE_BROKER, 1000, 3, ".P...."},
    [MSG_HELD] = {SIDE_LAUNCHER, sizeof(struct msg_report), 0, "..H..."},
    [MSG_REFUSED] = {SIDE_LAUNCHER, sizeof(struct msg_report), 0, "..I..."},
    [MSG_GO] = {SIDE_BROKER, 0, 0, "...R.."},
    [MSG_KILL] = {SIDE_BROKER, sizeof(struct msg_kill), 0, "..DDR."},
    [MSG_EXITED] = {SIDE_LAUNCHER, sizeof(struct msg_exited), 0, "....D."},
};
static const char state_letters[] = "NIPHRD";

static int
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

static int
close_channels(void **state)
{
	(void)state;
	io_close(&broker.fd);
	io_close(&launcher.fd);
	return (0);
}

static void
set_states(enum channel_state s)
{
	broker.state = launcher.state = s;
	broker.refusals = launcher.refusals = 0;
	broker.is_ours = launcher.is_ours = false;
}

/* Our descriptors and what each is, as text. */
static void
list_fds(char *out, size_t size)
{
	DIR *dir = opendir("/proc/self/fd");
	char target[256];
	struct dirent *d;
	size_t len = 0;
	ssize_t n;

	assert_non_null(dir);
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.' || atoi(d->d_name) == dirfd(dir))
			continue;
		n = readlinkat(dirfd(dir), d->d_name, target,
		    sizeof(target) - 1);
		assert_int_not_equal(n, -1);
		target[n] = '\0';
		len += (size_t)snprintf(out + len, size - len, "%s %s\n",
		    d->d_name, target);
		assert_true(len < size);
	}
	(void)closedir(dir);
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

static void
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

static void
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
static int
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

static void
assert_ill(struct channel *ch, enum channel_state s, const struct raw *r,
    int err, const char *what)
{
	static char before[8192];
	static char after[8192];
	int rc;

	set_states(s);
	list_fds(before, sizeof(before));
	rc = receive_raw(ch, r);
	if (rc != -1 || errno != err)
		fail_msg("%s: %d, errno %d, not %d", what, rc, errno, err);
	list_fds(after, sizeof(after));
	assert_string_equal(before, after);
	assert_int_equal(ch->state, CH_DONE);
	assert_int_equal(got.fd_count, 0);
	assert_null(got.body);
	for (size_t i = 0; i < MSG_FDS_MAX; i++)
		assert_int_equal(got.fds[i], -1);
}

static const struct ill {
	const char *what;
	struct raw raw;
	int err;
} ill_plans[] = {
    {"another magic", {.magic_xor = 1}, EPROTO},
    {"an older version", {.version_add = UINT16_MAX}, EPROTONOSUPPORT},
    {"a newer version", {.version_add = 1}, EPROTONOSUPPORT},
    {"a type that does not exist", {.type_add = MSG__MAX}, EPROTO},
    {"the highest type", {.type_add = UINT16_MAX - MSG_PLAN}, EPROTO},
    {"a type of the other side", {.type_add = 1}, EPROTO},
    {"a reserved bit", {.reserved = 0x80000000U}, EPROTO},
    {"a length too small", {.length_add = -1}, EPROTO},
    {"a length too large", {.length_add = 1}, EPROTO},
    {"half a header", {.cut = 8, .body_len = 0}, EPROTO},
    {"one byte", {.cut = 1, .body_len = 0}, EPROTO},
    {"no byte, but descriptors", {.is_empty = true}, EPROTO},
    {"no body", {.body_len = 0}, EPROTO},
    {"a body too large", {.body_len = PLAN_BYTES_MAX + 1}, EPROTO},
    {"the largest datagram", {.body_len = MSG_BYTES_MAX - 15}, EPROTO},
    {"one byte more than fits", {.body_len = MSG_BYTES_MAX - 14}, EBADMSG},
    {"far more than fits", {.body_len = MSG_BYTES_MAX + 40000}, EBADMSG},
    {"a descriptor missing", {.fd_count = 2}, EPROTO},
    {"a descriptor too many", {.fd_count = MSG_FDS_MAX + 1}, EPROTO},
    {"four too many", {.fd_count = MSG_FDS_MAX + 4}, EPROTO},
    {"more than there is room for", {.fd_count = 60}, EBADMSG},
    {"twice the descriptors", {.fd_count = 3, .is_twice = true}, EPROTO},
    {"credentials as well", {.is_with_pid = true}, EBADMSG},
};

static void
ill_plans_are_refused_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ill_plans); i++) {
		struct raw r = ill_plans[i].raw;

		r.type = MSG_PLAN;
		if (r.body_len == 0 && r.cut == 0 && !r.is_empty &&
		    strcmp(ill_plans[i].what, "no body") != 0)
			r.body_len = 1000;
		if (r.fd_count == 0)
			r.fd_count = 3;
		assert_ill(&launcher, CH_IDLE, &r, ill_plans[i].err,
		    ill_plans[i].what);
	}
}

/* The plan that those above were changed from is good: they can fail. */
static void
a_good_plan_brings_its_descriptors(void **state)
{
	static char before[8192];
	static char after[8192];

	(void)state;
	list_fds(before, sizeof(before));
	for (unsigned int count = 3; count <= MSG_FDS_MAX; count++) {
		struct raw r = {.type = MSG_PLAN,
		    .body_len = 1000,
		    .fd_count = count};

		set_states(CH_IDLE);
		assert_int_equal(receive_raw(&launcher, &r), 1);
		assert_int_equal(launcher.state, CH_PLANNED);
		assert_int_equal(got.type, MSG_PLAN);
		assert_int_equal(got.body_len, 1000);
		assert_int_equal((uintptr_t)got.body % 8, 0);
		assert_int_equal(got.fd_count, count);
		for (unsigned int i = 0; i < MSG_FDS_MAX; i++) {
			if (i < count)
				assert_int_equal(fcntl(got.fds[i], F_GETFD),
				    FD_CLOEXEC);
			else
				assert_int_equal(got.fds[i], -1);
		}
		msg_close_fds(&got);
		list_fds(after, sizeof(after));
		assert_string_equal(before, after);
	}
}

/* Every type that has a size: a byte less, a byte more, a descriptor. */
static void
sizes_and_descriptors_are_exact(void **state)
{
	static const enum channel_state states[MSG__MAX] = {CH_NEW, CH_IDLE,
	    CH_PLANNED, CH_PLANNED, CH_HELD, CH_RUNNING, CH_RUNNING};

	(void)state;
	for (unsigned int t = 0; t < MSG__MAX; t++) {
		struct channel *ch =
		    goods[t].sender == SIDE_BROKER ? &launcher : &broker;
		struct raw r = {.type = (enum msg_type)t,
		    .body_len = goods[t].body_len,
		    .fd_count = goods[t].fd_count};

		set_states(states[t]);
		assert_int_equal(receive_raw(ch, &r), 1);
		msg_close_fds(&got);
		if (t == MSG_PLAN)
			continue;
		r.fd_count = 1;
		assert_ill(ch, states[t], &r, EPROTO, "a descriptor");
		r.fd_count = 0;
		r.body_len++;
		assert_ill(ch, states[t], &r, EPROTO, "a byte more");
		if (goods[t].body_len == 0)
			continue;
		r.body_len -= 2;
		assert_ill(ch, states[t], &r, EPROTO, "a byte less");
		r.body_len = 0;
		assert_ill(ch, states[t], &r, EPROTO, "no body");
	}
	/* Here the credentials have room, and are still no part of it. */
	struct raw hello = {.type = MSG_HELLO,
	    .body_len = sizeof(struct msg_hello),
	    .is_with_pid = true};
	assert_ill(&broker, CH_NEW, &hello, EPROTO, "credentials");
}

static enum channel_state
expected_state(unsigned int type, unsigned int s)
{
	const char *at = strchr(state_letters, goods[type].next[s]);

	return (
	    at == NULL ? CH__MAX : (enum channel_state)(at - state_letters));
}

static void
receiving_follows_the_states(void **state)
{
	(void)state;
	for (unsigned int t = 0; t < MSG__MAX; t++) {
		struct channel *ch =
		    goods[t].sender == SIDE_BROKER ? &launcher : &broker;
		struct channel *self = ch == &broker ? &launcher : &broker;
		struct raw r = {.type = (enum msg_type)t,
		    .body_len = goods[t].body_len,
		    .fd_count = goods[t].fd_count};

		for (unsigned int s = 0; s < CH__MAX; s++) {
			enum channel_state next = expected_state(t, s);

			assert_ill(self, (enum channel_state)s, &r, EPROTO,
			    "from the wrong side");
			if (next == CH__MAX) {
				assert_ill(ch, (enum channel_state)s, &r,
				    EPROTO, "in the wrong state");
				continue;
			}
			set_states((enum channel_state)s);
			assert_int_equal(receive_raw(ch, &r), 1);
			assert_int_equal(ch->state, next);
			msg_close_fds(&got);
		}
	}
}

static int
send_good(struct channel *ch, unsigned int type)
{
	static const int fds[MSG_FDS_MAX] = {2, 2, 2, 2};

	errno = 0;
	return (msg_send(ch, (enum msg_type)type, zeros, goods[type].body_len,
	    fds, goods[type].fd_count));
}

/* Nothing is there to be received. */
static void
assert_silence(struct channel *ch)
{
	struct channel copy = *ch;

	assert_int_equal(msg_recv(&copy, &got), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(copy.state, ch->state);
}

static void
sending_follows_the_same_states(void **state)
{
	(void)state;
	for (unsigned int t = 0; t < MSG__MAX; t++) {
		bool is_broker = goods[t].sender == SIDE_BROKER;
		struct channel *from = is_broker ? &broker : &launcher;
		struct channel *to = is_broker ? &launcher : &broker;

		for (unsigned int s = 0; s < CH__MAX; s++) {
			enum channel_state next = expected_state(t, s);

			set_states((enum channel_state)s);
			assert_int_equal(send_good(to, t), -1);
			assert_int_equal(errno, EPROTO);
			if (next == CH__MAX) {
				assert_int_equal(send_good(from, t), -1);
				assert_int_equal(errno, EPROTO);
				assert_int_equal(from->state, s);
				assert_silence(to);
				continue;
			}
			assert_int_equal(send_good(from, t), 0);
			assert_int_equal(from->state, next);
			assert_int_equal(msg_recv(to, &got), 1);
			assert_int_equal(to->state, next);
			msg_close_fds(&got);
		}
	}
}

static void
a_wrong_size_is_not_sent(void **state)
{
	static const int fds[MSG_FDS_MAX + 1] = {2, 2, 2, 2, 2};

	(void)state;
	set_states(CH_IDLE);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, 0, fds, 3), -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, PLAN_BYTES_MAX + 1,
			     fds, 3),
	    -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, 8, fds, 2), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, 8, fds, 5), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(msg_send(&broker, MSG__MAX, zeros, 8, fds, 3), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(broker.state, CH_IDLE);
	assert_silence(&launcher);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, PLAN_BYTES_MAX, fds,
			     4),
	    0);
	assert_int_equal(msg_recv(&launcher, &got), 1);
	assert_int_equal(got.body_len, PLAN_BYTES_MAX);
	msg_close_fds(&got);
}

static void
say(struct channel *from, unsigned int type)
{
	struct channel *to = from == &broker ? &launcher : &broker;

	assert_int_equal(send_good(from, type), 0);
	assert_int_equal(msg_recv(to, &got), 1);
	assert_int_equal(got.type, type);
	assert_int_equal(from->state, to->state);
	msg_close_fds(&got);
}

static void
a_second_refusal_is_the_last(void **state)
{
	(void)state;
	set_states(CH_NEW);
	say(&launcher, MSG_HELLO);
	say(&broker, MSG_PLAN);
	say(&launcher, MSG_REFUSED);
	assert_int_equal(broker.state, CH_IDLE);
	say(&broker, MSG_PLAN);
	say(&launcher, MSG_REFUSED);
	assert_int_equal(broker.state, CH_DONE);
	assert_int_equal(send_good(&broker, MSG_PLAN), -1);
	assert_int_equal(errno, EPROTO);

	/* After one refusal the second plan can still be held and run. */
	set_states(CH_NEW);
	say(&launcher, MSG_HELLO);
	say(&broker, MSG_PLAN);
	say(&launcher, MSG_REFUSED);
	say(&broker, MSG_PLAN);
	say(&launcher, MSG_HELD);
	say(&broker, MSG_GO);
	say(&launcher, MSG_EXITED);
	assert_int_equal(launcher.state, CH_DONE);
}

static void
a_running_job_can_be_killed_twice(void **state)
{
	(void)state;
	set_states(CH_RUNNING);
	say(&broker, MSG_KILL);
	say(&broker, MSG_KILL);
	assert_int_equal(broker.state, CH_RUNNING);
	say(&launcher, MSG_EXITED);
	assert_int_equal(broker.state, CH_DONE);
}

/* Both speak before either hears: KILL from the broker, type from the other. */
static void
cross_kill(enum channel_state s, unsigned int type, enum channel_state result)
{
	set_states(s);
	assert_int_equal(send_good(&launcher, type), 0);
	assert_int_equal(send_good(&broker, MSG_KILL), 0);
	assert_int_equal(msg_recv(&launcher, &got), 1);
	assert_int_equal(got.type, MSG_KILL);
	assert_int_equal(launcher.state, CH_DONE);
	assert_int_equal(msg_recv(&broker, &got), 1);
	assert_int_equal(got.type, type);
	assert_int_equal(broker.state, result);
}

static void
messages_that_cross_a_kill_are_no_violation(void **state)
{
	(void)state;
	cross_kill(CH_PLANNED, MSG_HELD, CH_DONE);
	cross_kill(CH_PLANNED, MSG_REFUSED, CH_DONE);
	cross_kill(CH_RUNNING, MSG_EXITED, CH_DONE);

	/* Two KILLs on their way, the second without grace. */
	set_states(CH_RUNNING);
	assert_int_equal(send_good(&broker, MSG_KILL), 0);
	assert_int_equal(send_good(&broker, MSG_KILL), 0);
	assert_int_equal(send_good(&launcher, MSG_EXITED), 0);
	assert_int_equal(msg_recv(&launcher, &got), 1);
	assert_int_equal(msg_recv(&launcher, &got), 1);
	assert_int_equal(launcher.state, CH_DONE);
	assert_int_equal(msg_recv(&broker, &got), 1);
	assert_int_equal(got.type, MSG_EXITED);
}

/* What did not cross anything of ours stays a violation. */
static void
nothing_else_is_taken_for_crossing(void **state)
{
	struct raw held = {.type = MSG_HELD,
	    .body_len = sizeof(struct msg_report)};
	struct raw exited = {.type = MSG_EXITED,
	    .body_len = sizeof(struct msg_exited)};

	(void)state;
	set_states(CH_RUNNING);
	say(&launcher, MSG_EXITED);
	send_raw(launcher.fd, &held);
	assert_int_equal(msg_recv(&broker, &got), -1);
	assert_int_equal(errno, EPROTO);

	set_states(CH_HELD);
	assert_int_equal(send_good(&broker, MSG_KILL), 0);
	send_raw(launcher.fd, &exited);
	assert_int_equal(msg_recv(&broker, &got), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(msg_recv(&launcher, &got), 1); /* the KILL */
}

/*
 * The launcher says EXITED and is gone with the KILL unread: the kernel then
 * reports ECONNRESET before EXITED, which must not be lost.
 */
static void
exited_survives_an_unread_kill(void **state)
{
	uint8_t byte;

	(void)state;
	for (int is_raw = 1; is_raw >= 0; is_raw--) {
		(void)close_channels(NULL);
		assert_int_equal(open_channels(NULL), 0);
		set_states(CH_RUNNING);
		assert_int_equal(send_good(&broker, MSG_KILL), 0);
		assert_int_equal(send_good(&launcher, MSG_EXITED), 0);
		io_close(&launcher.fd);
		if (is_raw) { /* that the kernel really does so */
			assert_int_equal(recv(broker.fd, &byte, 1, 0), -1);
			assert_int_equal(errno, ECONNRESET);
			continue;
		}
		assert_int_equal(msg_recv(&broker, &got), 1);
		assert_int_equal(got.type, MSG_EXITED);
		assert_int_equal(msg_recv(&broker, &got), 0);
	}
}

static void
a_closed_peer_is_the_end(void **state)
{
	struct raw empty = {.is_empty = true};

	(void)state;
	set_states(CH_HELD);
	send_raw(broker.fd, &empty);
	assert_int_equal(msg_recv(&launcher, &got), 0);
	assert_int_equal(launcher.state, CH_DONE);

	set_states(CH_HELD);
	io_close(&broker.fd);
	assert_int_equal(msg_recv(&launcher, &got), 0);
	assert_int_equal(launcher.state, CH_DONE);

	/* And no SIGPIPE; Linux has none for this kind of socket at all. */
	set_states(CH_PLANNED);
	(void)signal(SIGPIPE, SIG_DFL);
	assert_int_equal(send_good(&launcher, MSG_HELD), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(launcher.state, CH_PLANNED);
}

static void
an_error_of_the_socket_is_its_own(void **state)
{
	int fd = launcher.fd;

	(void)state;
	set_states(CH_RUNNING);
	launcher.fd = -1;
	assert_int_equal(msg_recv(&launcher, &got), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(send_good(&launcher, MSG_EXITED), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(launcher.state, CH_RUNNING);
	launcher.fd = fd;
}

static volatile sig_atomic_t interrupts;

static void
on_signal(int sig)
{
	(void)sig;
	interrupts++;
}

static void
receiving_goes_on_after_a_signal(void **state)
{
	struct sigaction sa = {.sa_handler = on_signal};
	pid_t parent = getpid();
	pid_t pid;
	int status;

	(void)state;
	set_states(CH_HELD);
	interrupts = 0;
	assert_int_equal(sigaction(SIGUSR1, &sa, NULL), 0);
	assert_int_equal(fcntl(launcher.fd, F_SETFL, 0), 0);
	if ((pid = fork()) == 0) {
		(void)usleep(50000);
		(void)kill(parent, SIGUSR1);
		(void)usleep(50000);
		_exit(send_good(&broker, MSG_GO) == 0 ? 0 : 1);
	}
	assert_int_not_equal(pid, -1);
	assert_int_equal(msg_recv(&launcher, &got), 1);
	assert_int_equal(got.type, MSG_GO);
	assert_int_equal(interrupts, 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define CHANNEL_TEST(f) \
	cmocka_unit_test_setup_teardown(f, open_channels, close_channels)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    CHANNEL_TEST(ill_plans_are_refused_whole),
	    CHANNEL_TEST(a_good_plan_brings_its_descriptors),
	    CHANNEL_TEST(sizes_and_descriptors_are_exact),
	    CHANNEL_TEST(receiving_follows_the_states),
	    CHANNEL_TEST(sending_follows_the_same_states),
	    CHANNEL_TEST(a_wrong_size_is_not_sent),
	    CHANNEL_TEST(a_second_refusal_is_the_last),
	    CHANNEL_TEST(a_running_job_can_be_killed_twice),
	    CHANNEL_TEST(messages_that_cross_a_kill_are_no_violation),
	    CHANNEL_TEST(nothing_else_is_taken_for_crossing),
	    CHANNEL_TEST(exited_survives_an_unread_kill),
	    CHANNEL_TEST(a_closed_peer_is_the_end),
	    CHANNEL_TEST(an_error_of_the_socket_is_its_own),
	    CHANNEL_TEST(receiving_goes_on_after_a_signal),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
