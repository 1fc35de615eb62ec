/*
 * rows.c - runs the rows of the control table and keeps their results.
 *
 * Knows the order, the needs and the states, nothing of any control.  Every
 * row is tried and every fault kept, so that one launch tells all that is
 * wrong with a host.  A row that is not HELD keeps the launch from GO.
 */
#include <errno.h>

#include "launcher.h"

static control_fn *const apply_fns[CTL__MAX] = {
#define CONTROL(id, symbol, clone, phase, proof, unit, flags, needs, token, \
    denies) \
	[CTL_##id] = symbol##_apply,
#include "controls.def"
#undef CONTROL
};
static control_fn *const verify_fns[CTL__MAX] = {
#define CONTROL(id, symbol, clone, phase, proof, unit, flags, needs, token, \
    denies) \
	[CTL_##id] = symbol##_verify,
#include "controls.def"
#undef CONTROL
};

int
fault_at(struct launch *l, enum step step, int err, enum fault_class class)
{
	struct readback *row = &l->board->rows[l->current];

	row->state = READBACK_FAULT;
	row->step = (uint16_t)step;
	row->err = err;
	row->class = (uint8_t) class;
	return (-1);
}

int
host_fault(struct launch *l, enum step step)
{
	return (fault_at(l, step, errno, FAULT_HOST));
}

int
mismatch(struct launch *l)
{
	return (fault_at(l, STEP_READ_BACK, 0, FAULT_HOST));
}

int
readback(struct launch *l, uint64_t want, uint64_t got)
{
	readback_want(l, want);
	readback_got(l, got);
	return (got == want ? 0 : mismatch(l));
}

void
readback_want(struct launch *l, uint64_t want)
{
	l->board->rows[l->current].want = want;
}

void
readback_got(struct launch *l, uint64_t got)
{
	l->board->rows[l->current].got = got;
}

bool
row_is_applied(const struct launch *l, enum control ctl)
{
	unsigned int state = l->board->rows[ctl].state;

	return (state == READBACK_APPLIED || state == READBACK_HELD);
}

/* A row function that fails without naming its fault is a bug of ours. */
static bool
row_run(struct launch *l, control_fn *fn)
{
	struct readback *row = &l->board->rows[l->current];

	if (fn(l) == 0 && row->state != READBACK_FAULT) {
		if (controls[l->current].unit == UNIT_FLAG)
			row->want = row->got = 1;
		return (true);
	}
	if (l->board->rows[l->current].state != READBACK_FAULT)
		(void)fault_at(l, STEP_READ_BACK, 0, FAULT_OURS);
	return (false);
}

static void
row_apply(struct launch *l, enum control ctl)
{
	struct readback *row = &l->board->rows[ctl];
	enum control need = controls[ctl].needs;

	if (need != CTL_NONE && !row_is_applied(l, need)) {
		row->state = READBACK_BLOCKED;
		return;
	}
	l->current = ctl;
	if (!row_run(l, apply_fns[ctl]))
		return;
	row->state = READBACK_APPLIED;
	if (controls[ctl].proof != BY_LAUNCHER && row_run(l, verify_fns[ctl]))
		row->state = READBACK_HELD;
}

void
rows_apply(struct launch *l, enum control_phase phase)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if (controls[ctl].phase == phase &&
		    l->board->rows[ctl].state == READBACK_PENDING)
			row_apply(l, ctl);
	}
}

void
rows_block(struct launch *l)
{
	struct readback *rows = l->board->rows;

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		enum control need = controls[ctl].needs;

		if (rows[ctl].state == READBACK_PENDING && need != CTL_NONE &&
		    (rows[need].state == READBACK_FAULT ||
			rows[need].state == READBACK_BLOCKED))
			rows[ctl].state = READBACK_BLOCKED;
	}
}

void
rows_lost(struct launch *l, enum step step, int err)
{
	/* Init is lost at its own rows, a job at the job's. */
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		l->current = ctl;
		if (l->board->rows[ctl].state == READBACK_PENDING &&
		    (step != STEP_JOB_LOST || controls[ctl].phase == AT_JOB)) {
			(void)fault_at(l, step, err, FAULT_OURS);
			return;
		}
	}
	l->current = CTL_PIDNS;
	(void)fault_at(l, step, err, FAULT_OURS);
}

void
rows_verify(struct launch *l)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		l->current = ctl;
		if (controls[ctl].proof == BY_LAUNCHER &&
		    l->board->rows[ctl].state == READBACK_APPLIED &&
		    row_run(l, verify_fns[ctl]))
			l->board->rows[ctl].state = READBACK_HELD;
	}
}

bool
rows_are_held(const struct launch *l)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		unsigned int state = l->board->rows[ctl].state;
		bool is_wanted = (l->plan->controls & CONTROL_BIT(ctl)) != 0;

		if (state != (is_wanted ? READBACK_HELD : READBACK_OFF))
			return (false);
	}
	return (true);
}
