/*
 * peer_fixture.h - both ends of one conversation: the broker's peer, and a
 * hand-made launcher.  For the tests of peer.c and peer_judge.c.
 */
#ifndef TESTS_UNIT_PEER_FIXTURE_H
#define TESTS_UNIT_PEER_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/socket.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "io.h"
#include "peer.h"
#include "words.h"

/* Both ends of one conversation. */
struct talk {
	struct peer broker;
	struct channel launcher;
	struct plan plan;
	struct msg_report report;
	struct msg_report judged; /* what the broker made of it */
};

static inline int
set_up(void **state)
{
	struct talk *t = calloc(1, sizeof(*t));
	int pair[2];

	if (t == NULL ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		return (-1);
	peer_init(&t->broker);
	t->broker.msg = malloc(sizeof(*t->broker.msg));
	t->broker.proc.sock = t->broker.ch.fd = pair[0];
	t->launcher = (struct channel){.fd = pair[1], .side = SIDE_LAUNCHER};
	*state = t;
	return (t->broker.msg != NULL ? 0 : -1);
}

static inline int
tear_down(void **state)
{
	struct talk *t = *state;

	io_close(&t->launcher.fd);
	peer_free(&t->broker);
	free(t);
	return (0);
}

#define TALK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
