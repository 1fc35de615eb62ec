/*
 * From the spawned launcher to HELD or REFUSED, with a second plan when every
 * gap was waived.  Decides what is left out of a plan; never weakens one for
 * any other reason than a waiver by name.  Called by run.c and doctor.c.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "gap.h"
#include "io.h"
#include "session.h"
#include "signals.h"
#include "words.h"

/* What the policy's waivers may leave out; doctor leaves out nothing. */
static control_set
permitted(const struct session *s)
{
	return (s->has_row ? s->policy->waived : 0);
}

bool
launch_gaps_are_waivable(const struct job *j)
{
	for (unsigned int i = 0; i < j->gap_count; i++)
		if (!control_is_waivable(j->gaps[i].control))
			return (false);
	return (true);
}

/*
 * Memory can be held only in a cgroup leaf that has its controller: with a
 * waiver, its lack is known before any plan and costs no launch.
 */
static int
first_controls(struct session *s, control_set *wanted, struct diag *d)
{
	*wanted = CONTROL_ALL;
	if ((permitted(s) & CONTROL_BIT(CTL_MEMORY)) == 0 ||
	    (s->host.leaf.controllers & LEAF_MEMORY) != 0)
		return (0);
	*wanted &= ~CONTROL_BIT(CTL_MEMORY);
	if (gaps_add_waived(&s->job, &s->host, CTL_MEMORY, STEP_CGROUP_LEAF,
		ENOENT) == -1)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	return (0);
}

static int
send_plan(struct session *s, control_set wanted, struct diag *d)
{
	const struct job_command cmd = {.argv = s->command.argv,
	    .program_path = s->command.program_path,
	    .program_bytes = s->command.program_bytes};
	unsigned int count = 0;
	int fds[PLAN_FD__MAX];

	if (policy_plan(s->policy, &cmd, wanted, s->plan, d) == -1)
		return (-1);
	s->plan->has_cgroup = s->leaf.dir_fd != -1;
	for (unsigned int i = PLAN_STDIN; i <= PLAN_STDERR; i++)
		fds[count++] = s->job_fds[i];
	if (s->plan->has_program)
		fds[count++] = s->command.program_fd;
	if (s->plan->has_cgroup)
		fds[count++] = s->leaf.dir_fd;
	return (peer_send_plan(&s->peer, s->plan, fds, count, d));
}

static enum launch_end
interrupted(struct session *s, struct diag *d)
{
	int sig = signals_read(s->signal_fd);

	if (sig <= 0) {
		(void)diag_set(d, DIAG_INTERNAL, "cannot read a signal");
		return (LAUNCH_FAILED);
	}
	s->ending.cause = KILL_SIGNAL;
	s->ending.signal = sig;
	return (LAUNCH_INTERRUPTED);
}

static void
keep_report(struct session *s, const struct msg_report *r)
{
	memcpy(s->job.rows, r->rows, sizeof(s->job.rows));
	s->job.has_rows = true;
	s->job.init_pid = r->init_pid;
	s->peer.init_pid = r->init_pid;
}

/* One plan out, one report in.  HELD, REFUSED or an end. */
static enum launch_end
try_plan(struct session *s, control_set wanted, struct diag *d)
{
	struct msg_report report;

	if (send_plan(s, wanted, d) == -1)
		return (LAUNCH_FAILED);
	switch (peer_wait(&s->peer, s->signal_fd, MSG_PLANNED_DEADLINE_MS, d)) {
	case PEER_MESSAGE:
		break;
	case PEER_SIGNAL:
		return (interrupted(s, d));
	case PEER_TIMEOUT:
		(void)diag_set(d, DIAG_INTERNAL,
		    "agsbx-launcher did not build the plan in %d s",
		    MSG_PLANNED_DEADLINE_MS / 1000);
		return (LAUNCH_FAILED);
	case PEER_CLOSED:
		(void)diag_set(d, DIAG_INTERNAL,
		    "agsbx-launcher died while it built the plan");
		return (LAUNCH_FAILED);
	default:
		return (LAUNCH_FAILED);
	}
	if (peer_take_report(&s->peer, &report, s->plan, d) == -1)
		return (LAUNCH_FAILED);
	keep_report(s, &report);
	return (s->peer.msg->type == MSG_HELD ? LAUNCH_HELD : LAUNCH_REFUSED);
}

/* A fault that no host setting explains is the caller's or ours. */
static int
find_other_fault(const struct session *s, struct diag *d)
{
	for (unsigned int c = 0; c < CTL__MAX; c++) {
		const struct readback *row = &s->job.rows[c];

		if (row->state != READBACK_FAULT || row->class == FAULT_HOST)
			continue;
		return (diag_set(d,
		    row->class == FAULT_USAGE ? DIAG_POLICY : DIAG_INTERNAL,
		    "%s: cannot %s: %s", controls[c].name, step_text(row->step),
		    row->err != 0 ? strerror(row->err) :
				    "no reason was given"));
	}
	return (0);
}

/* The controls that have a gap which was not waived. */
static bool
has_unwaived_gap(const struct job *j)
{
	for (unsigned int i = 0; i < j->gap_count; i++)
		if (!j->gaps[i].is_waived)
			return (true);
	return (false);
}

static enum launch_end
launch_plans(struct session *s, struct diag *d)
{
	control_set wanted = 0;
	enum launch_end end;

	if (first_controls(s, &wanted, d) == -1)
		return (LAUNCH_FAILED);
	for (unsigned int tries = 0; tries < 2; tries++) {
		end = try_plan(s, wanted, d);
		if (end != LAUNCH_REFUSED)
			return (end);
		if (find_other_fault(s, d) == -1)
			return (LAUNCH_FAILED);
		if (gaps_from_rows(&s->job, &s->host, permitted(s)) == -1) {
			(void)diag_set(d, DIAG_INTERNAL, "out of memory");
			return (LAUNCH_FAILED);
		}
		if (has_unwaived_gap(&s->job))
			return (LAUNCH_REFUSED);
		for (unsigned int i = 0; i < s->job.gap_count; i++)
			wanted &= ~CONTROL_BIT(s->job.gaps[i].control);
	}
	(void)diag_set(d, DIAG_INTERNAL,
	    "agsbx-launcher refused what it had accepted a moment before");
	return (LAUNCH_FAILED);
}

/* The broker's own Landlock is missing only where the job's is missing too. */
static int
judge_own_landlock(const struct session *s, struct diag *d)
{
	if (s->has_landlock ||
	    (s->plan->controls & CONTROL_BIT(CTL_LANDLOCK)) == 0)
		return (0);
	return (diag_set(d, DIAG_INTERNAL,
	    "the launcher holds Landlock where the broker found none"));
}

enum launch_end
launch(struct session *s, struct diag *d)
{
	enum peer_event greeting;
	enum launch_end end;

	session_make_leaf(s);
	if (peer_start(&s->peer, s->launcher_fd, d) == -1)
		return (LAUNCH_FAILED);
	s->job.launcher_pid = s->peer.proc.pid;
	greeting = peer_hello(&s->peer, s->signal_fd, d);
	if (greeting == PEER_SIGNAL)
		return (interrupted(s, d));
	if (greeting != PEER_MESSAGE ||
	    confine_self(&(struct confine_paths){s->has_row ? s->state_dir :
							      NULL,
			     s->leaf.parent_fd},
		true, &s->has_landlock, d) == -1)
		return (LAUNCH_FAILED);
	end = launch_plans(s, d);
	if (end == LAUNCH_HELD && judge_own_landlock(s, d) == -1)
		return (LAUNCH_FAILED);
	leaf_mark(&s->leaf);
	/* The launcher has its own copies: only it may keep a pipe open. */
	for (unsigned int i = 0; i < PLAN_FD__MAX; i++)
		io_close(&s->job_fds[i]);
	return (end);
}
