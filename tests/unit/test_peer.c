/*
 * What the broker believes of a launcher: a hand-made one says HELLO, right and
 * wrong in each field that matters.  Its reports: test_peer_judge.c.
 */
#include "peer_fixture.h"

static enum peer_event
say_hello(struct talk *t, const struct msg_hello *hello, struct diag *d)
{
	*d = (struct diag){0};
	assert_int_equal(msg_send(&t->launcher, MSG_HELLO, hello,
			     sizeof(*hello), NULL, 0),
	    0);
	return (peer_hello(&t->broker, -1, d));
}

static void
test_hello(void **state)
{
	struct msg_hello hello = good_hello();
	struct diag d;

	assert_int_equal(say_hello(*state, &hello, &d), PEER_MESSAGE);
}

static void
test_hello_of_another_build(void **state)
{
	struct msg_hello hello = good_hello();
	struct diag d;

	hello.build_id[3] ^= 1;
	assert_int_equal(say_hello(*state, &hello, &d), PEER_VIOLATION);
	assert_non_null(strstr(d.message, "another build"));
}

static void
test_hello_of_another_floor(void **state)
{
	struct msg_hello hello = good_hello();
	struct diag d;

	hello.floor_id[31] ^= 1;
	assert_int_equal(say_hello(*state, &hello, &d), PEER_VIOLATION);
	assert_non_null(strstr(d.message, "floor filter"));
}

static void
test_hello_of_another_table(void **state)
{
	struct msg_hello hello = good_hello();
	struct diag d;

	hello.control_count--;
	assert_int_equal(say_hello(*state, &hello, &d), PEER_VIOLATION);
	assert_non_null(strstr(d.message, "another control table"));
}

static void
test_no_hello(void **state)
{
	struct talk *t = *state;
	struct diag d = {0};

	io_close(&t->launcher.fd);
	assert_int_equal(peer_hello(&t->broker, -1, &d), PEER_CLOSED);
	assert_non_null(strstr(d.message, "ended before it said anything"));
}

/* A stopped launcher keeps nobody from ending the run. */
static void
test_signal_before_hello(void **state)
{
	struct talk *t = *state;
	struct diag d = {0};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "s", 1), 1);
	assert_int_equal(peer_hello(&t->broker, ends[0], &d), PEER_SIGNAL);
	assert_int_equal(d.code, DIAG_NONE);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void
test_garbage(void **state)
{
	struct talk *t = *state;
	struct diag d = {0};

	assert_int_equal(send(t->launcher.fd, "junk", 4, 0), 4);
	assert_int_equal(peer_hello(&t->broker, -1, &d), PEER_VIOLATION);
	assert_non_null(strstr(d.message, "broke the protocol"));
}

static void
test_another_version(void **state)
{
	struct talk *t = *state;
	struct msg_header h = {PROTO_MAGIC, PROTO_VERSION + 1, MSG_HELLO,
	    sizeof(h), 0};
	struct diag d = {0};

	assert_int_equal(send(t->launcher.fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(peer_hello(&t->broker, -1, &d), PEER_VIOLATION);
	assert_non_null(strstr(d.message, "another protocol version"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TALK(test_hello),
	    TALK(test_hello_of_another_build),
	    TALK(test_hello_of_another_floor),
	    TALK(test_hello_of_another_table),
	    TALK(test_no_hello),
	    TALK(test_signal_before_hello),
	    TALK(test_garbage),
	    TALK(test_another_version),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
