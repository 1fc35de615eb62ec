/*
 * From GO to the end of the last process: one poll loop over the channel, the
 * signals and the streams, with every deadline on CLOCK_MONOTONIC.  Never
 * blocks on anything but poll.  Fills s->ending.  Called by settle.c.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "session.h"
#include "signals.h"
#include "times.h"

#define INTERRUPT_GRACE_MS 1000
#define KILL_SLACK_MS 500  /* for a KILL to be carried out */
#define WALL_SLACK_MS 1500 /* the same, when nobody waits at a terminal */
#define DRAIN_MS 2000	   /* for the job's end of the pipes to close */
#define INTERRUPTED_DRAIN_MS 200
#define NEVER INT64_MAX

enum {
	AT_CHANNEL,
	AT_SIGNAL,
	AT_FEED,
	AT_OUT = AT_FEED + 2,
	AT_ERR = AT_OUT + 2,
	AT_COUNT = AT_ERR + 2
};

struct stream {
	struct pump *pump;
	const char *name;
	bool is_done;
	unsigned int count; /* of its pollfds */
};

struct supervisor {
	struct session *s;
	struct pollfd fds[AT_COUNT];
	unsigned int feed_count;
	struct stream out;
	struct stream err;
	bool is_feed_done;
	bool is_over; /* EXITED, or the launcher is gone */
	int64_t wall_at;
	int64_t kill_at;  /* SIGKILL of the launcher */
	int64_t drain_at; /* the pipes are given up */
	int64_t over_at;  /* GO's time until is_over */
	enum kill_cause after_wall;
};

/* The first cause counts; a later one can only make the end come sooner.  What
 * came after the wall clock is kept for take_end(). */
static void
set_cause(struct supervisor *v, enum kill_cause cause)
{
	if (v->s->ending.cause == KILL_NONE)
		v->s->ending.cause = cause;
	else if (v->after_wall == KILL_NONE)
		v->after_wall = cause;
}

static void
end_job(struct supervisor *v, enum kill_cause cause, uint32_t grace_ms,
    int64_t slack_ms)
{
	int64_t kill_at = monotonic_ms() + grace_ms + slack_ms;

	set_cause(v, cause);
	if (v->is_over)
		return;
	if (kill_at < v->kill_at)
		v->kill_at = kill_at;
	if (peer_send_kill(&v->s->peer, grace_ms) == -1)
		peer_kill(&v->s->peer);
}

static void
fail_ours(struct supervisor *v)
{
	set_cause(v, KILL_OURS);
	peer_kill(&v->s->peer);
}

static void
be_over(struct supervisor *v)
{
	bool is_interrupted = v->s->ending.cause == KILL_SIGNAL ||
	    v->s->ending.cause == KILL_PIPE;

	v->is_over = true;
	v->over_at = monotonic_ms();
	v->drain_at =
	    v->over_at + (is_interrupted ? INTERRUPTED_DRAIN_MS : DRAIN_MS);
}

/* A job that ended by itself while our KILL was on its way is judged as if the
 * clock had not come: nothing of its output may be given up for that. */
static void
take_end(struct supervisor *v)
{
	struct ending *e = &v->s->ending;

	e->has_exited = true;
	if (e->cause == KILL_WALL &&
	    (e->exited.flags & (EXITED_BY_KILL | EXITED_BY_DEADLINE)) == 0)
		e->cause = v->after_wall;
}

static void
step_channel(struct supervisor *v)
{
	struct session *s = v->s;

	if (v->fds[AT_CHANNEL].revents == 0)
		return;
	switch (peer_receive(&s->peer, &s->failure)) {
	case PEER_MESSAGE:
		if (peer_take_exited(&s->peer, &s->ending.exited,
			&s->failure) == 0)
			take_end(v);
		else
			fail_ours(v);
		break;
	case PEER_CLOSED:
		break;
	default:
		fail_ours(v);
		break;
	}
	be_over(v);
}

static void
step_signal(struct supervisor *v)
{
	struct session *s = v->s;
	int sig;

	if (v->fds[AT_SIGNAL].revents == 0)
		return;
	sig = signals_read(s->signal_fd);
	if (sig == -1) {
		(void)diag_set(&s->failure, DIAG_INTERNAL,
		    "cannot read a signal: %s", strerror(errno));
		fail_ours(v);
	}
	if (sig <= 0)
		return;
	if (v->is_over) { /* only the output is still on its way */
		s->reraise = sig;
		v->drain_at = 0;
	} else if (s->reraise != 0) {
		end_job(v, KILL_SIGNAL, 0, KILL_SLACK_MS);
	} else {
		s->ending.signal = sig;
		s->reraise = sig;
		end_job(v, KILL_SIGNAL, INTERRUPT_GRACE_MS, KILL_SLACK_MS);
	}
}

static void
step_feed(struct supervisor *v)
{
	struct session *s = v->s;

	if (v->feed_count == 0)
		return;
	int rc = feed_step(s->feed, &v->fds[AT_FEED], v->feed_count);
	v->is_feed_done = rc != 0;
	if (rc != -1)
		return;
	(void)diag_set(&s->failure, DIAG_INTERNAL, "cannot read stdin: %s",
	    strerror(errno));
	fail_ours(v);
}

/* Our reader is gone: like any filter in a pipeline, we end by SIGPIPE. */
static void
stream_closed(struct supervisor *v)
{
	if (v->s->reraise == 0)
		v->s->reraise = SIGPIPE;
	if (!v->is_over)
		end_job(v, KILL_PIPE, INTERRUPT_GRACE_MS, KILL_SLACK_MS);
}

static void
step_stream(struct supervisor *v, struct stream *st, const struct pollfd *fds)
{
	if (st->is_done)
		return;
	switch (pump_step(st->pump, fds, st->count)) {
	case PUMP_OPEN:
		return;
	case PUMP_EOF:
		break;
	case PUMP_LIMIT: /* what the limit permits is still passed on */
		end_job(v, KILL_OUTPUT, 0, KILL_SLACK_MS);
		return;
	case PUMP_CLOSED:
		stream_closed(v);
		break;
	case PUMP_FAILED:
		(void)diag_set(&v->s->failure, DIAG_INTERNAL,
		    "cannot pass on %s: %s", st->name, strerror(errno));
		fail_ours(v);
		break;
	}
	st->is_done = true;
}

static void
stream_polls(struct stream *st, struct pollfd *fds)
{
	st->count = st->is_done ? 0 : pump_polls(st->pump, fds);
}

/*
 * The job is over, and the one we write to just takes its time (a pager): that
 * has no deadline, since exit 0 means complete output, and reason output means
 * all that the limit permits.  A signal ends it.
 */
static bool
waits_for_sink(const struct supervisor *v)
{
	if (!v->is_over || v->s->reraise != 0 ||
	    (v->s->ending.cause != KILL_NONE &&
		v->s->ending.cause != KILL_OUTPUT))
		return (false);
	for (unsigned int i = AT_OUT; i < AT_COUNT; i++)
		if (v->fds[i].fd != -1 && (v->fds[i].events & POLLOUT) != 0)
			return (true);
	return (false);
}

static void
prepare_polls(struct supervisor *v)
{
	for (unsigned int i = 0; i < AT_COUNT; i++)
		v->fds[i] = (struct pollfd){.fd = -1};
	v->fds[AT_CHANNEL] =
	    (struct pollfd){.fd = v->is_over ? -1 : v->s->peer.ch.fd,
		.events = POLLIN};
	v->fds[AT_SIGNAL] =
	    (struct pollfd){.fd = v->s->signal_fd, .events = POLLIN};
	v->feed_count = v->is_feed_done || v->is_over ?
	    0 :
	    feed_polls(v->s->feed, &v->fds[AT_FEED]);
	stream_polls(&v->out, &v->fds[AT_OUT]);
	stream_polls(&v->err, &v->fds[AT_ERR]);
}

static int
next_timeout(const struct supervisor *v)
{
	int64_t at = v->is_over ? v->drain_at : v->kill_at;
	int64_t left;

	if (!v->is_over && v->wall_at < at)
		at = v->wall_at;
	if (at == NEVER || waits_for_sink(v))
		return (-1);
	left = at - monotonic_ms();
	if (left < 0)
		return (0);
	return (left > INT_MAX ? INT_MAX : (int)left + 1);
}

static void
step_deadlines(struct supervisor *v)
{
	int64_t now = monotonic_ms();

	if (v->is_over)
		return;
	if (now >= v->wall_at) {
		v->wall_at = NEVER;
		end_job(v, KILL_WALL, (uint32_t)v->s->plan->grace_ms,
		    WALL_SLACK_MS);
	}
	if (now >= v->kill_at) {
		v->kill_at = NEVER;
		peer_kill(&v->s->peer);
	}
}

static bool
is_finished(struct supervisor *v)
{
	if (!v->is_over)
		return (false);
	if (v->out.is_done && v->err.is_done)
		return (true);
	if (monotonic_ms() < v->drain_at)
		return (false);
	if (v->s->reraise == 0 && v->s->ending.cause == KILL_NONE) {
		(void)diag_set(&v->s->failure, DIAG_INTERNAL,
		    "the job is over, and its output never ended");
		v->s->ending.cause = KILL_OURS;
	}
	return (true);
}

static void
loop(struct supervisor *v)
{
	do {
		prepare_polls(v);
		if (poll(v->fds, AT_COUNT, next_timeout(v)) == -1) {
			if (errno == EINTR)
				continue;
			(void)diag_set(&v->s->failure, DIAG_INTERNAL,
			    "poll: %s", strerror(errno));
			fail_ours(v);
			return;
		}
		/* Only now, when the wait is over: it is not counted. */
		if (waits_for_sink(v))
			v->drain_at = monotonic_ms() + DRAIN_MS;
		step_signal(v);
		step_feed(v);
		step_stream(v, &v->out, &v->fds[AT_OUT]);
		step_stream(v, &v->err, &v->fds[AT_ERR]);
		step_channel(v);
		step_deadlines(v);
	} while (!is_finished(v));
}

void
supervise(struct session *s)
{
	struct supervisor v = {.s = s,
	    .out = {.pump = s->out, .name = "stdout"},
	    .err = {.pump = s->err, .name = "stderr"},
	    .kill_at = NEVER,
	    .drain_at = NEVER};
	int64_t started;

	if (peer_send_go(&s->peer, &s->failure) == -1) {
		fail_ours(&v);
		return;
	}
	v.over_at = started = monotonic_ms();
	v.wall_at = started + (int64_t)s->plan->wall_ms;
	loop(&v);
	s->ending.wall_ms = v.over_at - started;
}
