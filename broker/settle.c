/*
 * settle.c - from an admitted row to the settled one: the launch, GO, the end,
 * the verdict and its commit, whatever goes wrong on the way.  Called by run.c
 * and attack_job.c; tells nobody anything.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "session.h"

/* The launcher ends right after EXITED. */
#define EXITED_WAIT_MS 1000
/* For another process to give the ledger free. */
#define SETTLE_WAIT_MS 30000
#define SETTLE_HURRY_MS 1500

/* Streams into the job's record, unread stdin back to its owner. */
static int
finish_streams(struct session *s, struct diag *d)
{
	if (s->out == NULL || s->err == NULL)
		return (0);
	if (pump_finish(s->out, &s->job.out) == -1 ||
	    pump_finish(s->err, &s->job.err) == -1)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	if (feed_finish(s->feed) == -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot give unread stdin back: %s", strerror(errno)));
	return (0);
}

static void
be_error(struct session *s, const struct diag *d)
{
	if (s->failure.code == DIAG_NONE)
		s->failure = *d;
	s->ending.cause = KILL_OURS;
}

/* The job's end is told, though its row could not be closed. */
static int
stay_open(struct session *s)
{
	const struct diag *d = &s->d;
	char *why = NULL;

	if (asprintf(&why,
		"job %s %s, but its row cannot be written: %s%s%s; if it is "
		"still open, \"agsbx recover\" closes it",
		s->job.id, job_state_name(s->job.state), d->file,
		d->file[0] != '\0' ? ": " : "", d->message) == -1)
		return (diag_set(&s->d, DIAG_INTERNAL, "out of memory"));
	free(s->job.detail);
	s->job.detail = why;
	s->job.state = JOB_ERROR;
	s->job.reason = REASON_ERROR;
	return (0);
}

int
session_anchor(const struct session *s, struct diag *d)
{
	const char *state = job_state_name(s->job.state);

	if (s->anchor_fd == -1 ||
	    anchor_write(s->anchor_fd, s->state_dir, s->job.id,
		ledger_head(s->ledger)) == 0)
		return (0);
	return (diag_set(d, DIAG_INTERNAL,
	    "job %s %s, but its anchor cannot be written to the system log: %s",
	    s->job.id, state, strerror(errno)));
}

/* An error whatever else went wrong: recover has to come back for it. */
static void
be_left(struct session *s, const struct diag *d)
{
	struct diag all = {0};
	bool is_first = s->failure.code == DIAG_NONE;

	(void)diag_set(&all, DIAG_INTERNAL,
	    "%s%s%s; the row stays open until \"agsbx recover\" ends it",
	    is_first ? "" : s->failure.message, is_first ? "" : "; ",
	    d->message);
	s->failure = all;
	s->ending.cause = KILL_OURS;
}

/* Ends processes and leaf, and keeps what they leave to be known.  False:
 * something of them is still there. */
static bool
end_job(struct session *s)
{
	int wait_ms = s->ending.has_exited ? EXITED_WAIT_MS : 0;
	bool is_gone = true;

	if (peer_end(&s->peer, wait_ms, &s->late) == -1) {
		be_left(s, &s->late);
		is_gone = false;
	}
	if (finish_streams(s, &s->late) == -1)
		be_error(s, &s->late);
	leaf_read(&s->leaf, &s->ending.counters);
	if (leaf_end(&s->leaf, &s->late) == -1) {
		be_left(s, &s->late);
		is_gone = false;
	}
	return (is_gone);
}

/* Ends what there is, decides the verdict and writes it down.  0, or -1 with
 * s->d. */
static int
settle(struct session *s, bool is_refused)
{
	bool is_gone = end_job(s);

	s->ending.policy = s->policy;
	s->ending.command = s->command.argv[0];
	s->ending.hint = s->command.hint;
	if (is_refused && s->ending.cause == KILL_NONE) {
		s->job.state = JOB_REFUSED;
		s->job.reason = REASON_REFUSED;
		s->job.is_degraded = false;
		s->job.detail = strdup("a control cannot be held on this host");
	} else if (verdict_find(&s->job, &s->ending) == -1) {
		return (diag_set(&s->d, DIAG_INTERNAL, "out of memory"));
	}
	if (s->judge != NULL && s->judge(s) == -1)
		return (diag_set(&s->d, DIAG_INTERNAL, "out of memory"));
	/* A closed row says that nothing is left. */
	if (!is_gone)
		return (0);
	/* Whoever sent a signal waits for us; the row stays open for recover if
	 * another process keeps the ledger for longer. */
	ledger_set_patience(s->ledger,
	    &(struct ledger_patience){.ms = s->reraise != 0 ? SETTLE_HURRY_MS :
							      SETTLE_WAIT_MS,
		.signal_fd = s->signal_fd,
		.grace_ms = SETTLE_HURRY_MS});
	if (ledger_settle(s->ledger, &s->job, &s->d) == -1)
		return (stay_open(s));
	return (session_anchor(s, &s->d));
}

int
session_run(struct session *s)
{
	enum launch_end end = LAUNCH_FAILED;

	if (session_open_streams(s, true, &s->d) == 0)
		end = launch(s, &s->d);
	/* Both before GO: what runs is known elsewhere, whoever is killed. */
	if (end == LAUNCH_HELD &&
	    (ledger_start(s->ledger, &s->job, &s->d) == -1 ||
		session_anchor(s, &s->d) == -1))
		end = LAUNCH_FAILED;
	if (end == LAUNCH_HELD)
		supervise(s);
	else if (end == LAUNCH_INTERRUPTED)
		s->reraise = s->ending.signal;
	else if (end == LAUNCH_FAILED)
		be_error(s, &s->d);
	return (settle(s, end == LAUNCH_REFUSED));
}
