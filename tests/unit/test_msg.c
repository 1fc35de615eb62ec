/*
 * test_msg.c - the messages between broker and launcher: what is sent when,
 * what may cross, and how a conversation ends.  Ill ones: test_msg_hostile.c.
 */
#include "msg_fixture.h"

#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

static uint8_t zeros[MSG_BYTES_MAX];

static int
send_good(struct channel *ch, unsigned int type)
{
	static const int fds[PLAN_FD__MAX] = {2, 2, 2, 2, 2};

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
	static const int fds[PLAN_FD__MAX + 1] = {2, 2, 2, 2, 2, 2};

	(void)state;
	set_states(CH_IDLE);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, 0, fds, 3), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, PLAN_BYTES_MAX + 1,
			     fds, 3),
	    -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, 8, fds, 2), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, 8, fds, 6), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(msg_send(&broker, MSG__MAX, zeros, 8, fds, 3), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(broker.state, CH_IDLE);
	assert_silence(&launcher);
	assert_int_equal(msg_send(&broker, MSG_PLAN, zeros, PLAN_BYTES_MAX, fds,
			     5),
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

/* What crosses nothing stays a violation, or is over. */
static void
nothing_else_is_taken_for_crossing(void **state)
{
	struct raw held = {.type = MSG_HELD,
	    .body_len = sizeof(struct msg_report)};
	struct raw exited = {.type = MSG_EXITED,
	    .body_len = sizeof(struct msg_exited)};

	(void)state;
	/* Nobody reads after the end; whoever does, sees that it is over. */
	set_states(CH_RUNNING);
	say(&launcher, MSG_EXITED);
	send_raw(launcher.fd, &held);
	assert_int_equal(msg_recv(&broker, &got), 1);
	assert_int_equal(broker.state, CH_DONE);

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
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
