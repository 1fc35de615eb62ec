/*
 * Judges the launcher's report and its last word against the plan: a number
 * that can be known is never taken on trust.  Pure.  Called by launch.c and
 * supervise.c.
 */
#include <sys/wait.h>

#include <signal.h>
#include <string.h>

#include "peer.h"
#include "words.h"

#define EXITED_FLAGS 0xfU /* all of them */
/* A second that the rounding adds, and one by which init comes first. */
#define CPU_STOP_SLACK_MS 2000U

/*
 * Without a procfs init cannot count the living: what is read back then is the
 * stop of each process, in whole seconds and a little above the ceiling.
 */
static bool
is_cpu_stop(const struct readback *row, const struct plan *plan)
{
	return ((plan->controls & CONTROL_BIT(CTL_PROCFS)) == 0 &&
	    row->got >= row->want && row->got - row->want <= CPU_STOP_SLACK_MS);
}

/* What was read back must be what was wanted; an ABI may be newer. */
static bool
is_row_held(const struct readback *row, enum control ctl,
    const struct plan *plan)
{
	if (row->state != READBACK_HELD)
		return (false);
	if (row->got == row->want)
		return (true);
	if (ctl == CTL_CPU)
		return (is_cpu_stop(row, plan));
	return (controls[ctl].unit == UNIT_ABI && row->got > row->want);
}

/* The rows whose want the broker knows from its own plan. */
static bool
is_want_planned(enum control ctl, const struct readback *row,
    const struct plan *plan)
{
	const struct {
		enum control ctl;
		uint64_t want;
	} known[] = {
	    {CTL_MEMORY, plan->memory_bytes},
	    {CTL_PROCESSES, plan->max_procs},
	    {CTL_CPU, plan->cpu_ms},
	    {CTL_CPUSHARE, plan->cpu_quota_percent},
	    {CTL_SCRATCH, plan->scratch_bytes},
	    {CTL_CAPABILITIES, 0},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].ctl == ctl)
			return (row->want == known[i].want);
	return (true);
}

static bool
is_row_as_planned(const struct readback *row, enum control ctl,
    const struct plan *plan, bool is_held)
{
	bool is_wanted = (plan->controls & CONTROL_BIT(ctl)) != 0;

	if (row->state >= READBACK__MAX)
		return (false);
	if (!is_wanted)
		return (row->state == READBACK_OFF);
	if (is_held)
		return (is_row_held(row, ctl, plan) &&
		    is_want_planned(ctl, row, plan));
	if (row->state == READBACK_FAULT)
		return (row->step < STEP__MAX);
	return (row->state != READBACK_OFF && row->state != READBACK_BLOCKED);
}

/*
 * What only follows from the launcher's words: whose fault each is, and which
 * rows were not tried because what they need (table column) had failed.
 */
static void
complete(struct msg_report *r)
{
	for (unsigned int c = 0; c < CTL__MAX; c++) {
		struct readback *row = &r->rows[c];
		enum control need = controls[c].needs;

		row->class = row->state == READBACK_FAULT ?
		    (uint8_t)step_class(row->step, row->err) :
		    0;
		/* What is needed stands before. */
		if (row->state == READBACK_PENDING && need != CTL_NONE &&
		    (r->rows[need].state == READBACK_FAULT ||
			r->rows[need].state == READBACK_BLOCKED))
			row->state = READBACK_BLOCKED;
	}
}

int
peer_take_report(const struct peer *p, struct msg_report *r,
    const struct plan *plan, struct diag *d)
{
	bool is_held = p->msg->type == MSG_HELD;
	bool has_fault = false;

	if ((!is_held && p->msg->type != MSG_REFUSED) ||
	    p->msg->body_len != sizeof(*r))
		return (peer_violation(d, "neither HELD nor REFUSED"));
	memcpy(r, p->msg->body, sizeof(*r));
	if (r->count != CTL__MAX)
		return (peer_violation(d, "another number of rows"));
	for (unsigned int c = 0; c < CTL__MAX; c++) {
		has_fault |= r->rows[c].state == READBACK_FAULT;
		if (!is_row_as_planned(&r->rows[c], (enum control)c, plan,
			is_held))
			return (diag_set(d, DIAG_INTERNAL,
			    "the launcher's word on %s is not what was planned",
			    controls[c].name));
	}
	if (is_held && (r->init_pid <= 0 || r->job_pid <= 0))
		return (peer_violation(d, "HELD without a job"));
	if (!is_held && !has_fault)
		return (peer_violation(d, "REFUSED without a fault"));
	complete(r);
	return (0);
}

/* What waitpid(2) gives of a process that has ended: not one that stopped. */
static bool
is_end(int status)
{
	if ((status & 0xff) == 0)
		return ((status & ~0xff00) == 0);
	return ((status & ~0xff) == 0 && WIFSIGNALED(status) &&
	    WTERMSIG(status) <= SIGRTMAX);
}

int
peer_take_exited(const struct peer *p, struct msg_exited *x, struct diag *d)
{
	if (p->msg->type != MSG_EXITED || p->msg->body_len != sizeof(*x))
		return (peer_violation(d, "no EXITED"));
	memcpy(x, p->msg->body, sizeof(*x));
	if (!is_end(x->wait_status) || x->exec_errno < 0 ||
	    x->flags > EXITED_FLAGS)
		return (peer_violation(d, "EXITED without an end"));
	return (0);
}
