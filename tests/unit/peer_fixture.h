/*
 * peer_fixture.h - both ends of one conversation: the broker's peer, and a
 * hand-made launcher, with what an honest one says.
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

static inline struct msg_hello
good_hello(void)
{
	struct msg_hello hello = {.control_count = CTL__MAX,
	    .build_id = AGSBX_BUILD_ID};

	memcpy(hello.floor_id, filter_floor_id, sizeof(hello.floor_id));
	return (hello);
}

static inline void
report_row(struct msg_report *r, enum control ctl, uint64_t value)
{
	if (r->rows[ctl].state == READBACK_HELD)
		r->rows[ctl].want = r->rows[ctl].got = value;
}

/* What an honest launcher says when all of p is held. */
static inline struct msg_report
good_report(const struct plan *p)
{
	struct msg_report r = {.init_pid = 7, .job_pid = 8, .count = CTL__MAX};

	for (unsigned int c = 0; c < CTL__MAX; c++)
		if ((p->controls & CONTROL_BIT(c)) != 0)
			r.rows[c] = (struct readback){.state = READBACK_HELD,
			    .want = 1,
			    .got = 1};
	report_row(&r, CTL_MEMORY, p->memory_bytes);
	report_row(&r, CTL_PROCESSES, p->max_procs);
	report_row(&r, CTL_CPU, p->cpu_ms);
	report_row(&r, CTL_CPUSHARE, p->cpu_quota_percent);
	report_row(&r, CTL_SCRATCH, p->scratch_bytes);
	report_row(&r, CTL_CAPABILITIES, 0);
	return (r);
}

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
