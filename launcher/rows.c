/*
 * rows.c - runs the rows of the control table and keeps their results.
 *
 * Knows the order, the needs and the states, nothing of any control.  Every
 * row is tried and every fault kept, so that one launch tells all that is
 * wrong with a host.  A row that is not HELD keeps the launch from GO.
 */
#include <errno.h>

#include "launcher.h"

static const struct {
	control_fn *apply;
	control_fn *verify;
} fns[CTL__MAX] = {
#define CONTROL(id, symbol, ...) [CTL_##id] = {symbol##_apply, symbol##_verify},
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
	/* A call that the kernel lacks is nobody's mistake. */
	row->class = err == ENOSYS ? FAULT_HOST : (uint8_t) class;
	return (-1);
}

int
host_fault(struct launch *l, enum step step)
{
	return (fault_at(l, step, errno, FAULT_HOST));
}

bool
fails(struct launch *l, enum step step, int r)
{
	return (r == -1 && host_fault(l, step) == -1);
}

int
mismatch(struct launch *l)
{
	return (fault_at(l, STEP_READ_BACK, 0, FAULT_HOST));
}

void
readback_set(struct launch *l, uint64_t want, uint64_t got)
{
	l->board->rows[l->current].want = want;
	l->board->rows[l->current].got = got;
}

int
readback(struct launch *l, uint64_t want, uint64_t got)
{
	readback_set(l, want, got);
	return (got == want ? 0 : mismatch(l));
}

bool
row_is_applied(const struct launch *l, enum control ctl)
{
	unsigned int state = l->board->rows[ctl].state;

	return (state == READBACK_APPLIED || state == READBACK_HELD);
}

/* A row function that fails without naming its fault is a bug of ours. */
static void
row_run(struct launch *l, control_fn *fn, enum readback_state done)
{
	struct readback *row = &l->board->rows[l->current];

	if (fn(l) != 0 && row->state != READBACK_FAULT)
		(void)fault_at(l, STEP_READ_BACK, 0, FAULT_OURS);
	if (row->state == READBACK_FAULT)
		return;
	if (done == READBACK_HELD && controls[l->current].unit == UNIT_FLAG)
		readback_set(l, 1, 1);
	row->state = (uint8_t)done;
}

void
rows_apply(struct launch *l, enum control_phase phase)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		const struct readback *row = &l->board->rows[ctl];
		enum control need = controls[ctl].needs;

		if (controls[ctl].phase != phase ||
		    row->state != READBACK_PENDING ||
		    (need != CTL_NONE && !row_is_applied(l, need)))
			continue;
		l->current = ctl;
		row_run(l, fns[ctl].apply, READBACK_APPLIED);
		if (row->state == READBACK_APPLIED &&
		    controls[ctl].proof != BY_LAUNCHER)
			row_run(l, fns[ctl].verify, READBACK_HELD);
	}
}

void
rows_verify(struct launch *l)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		l->current = ctl;
		if (controls[ctl].proof == BY_LAUNCHER &&
		    l->board->rows[ctl].state == READBACK_APPLIED)
			row_run(l, fns[ctl].verify, READBACK_HELD);
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
rows_lost(struct launch *l, enum control first, enum step step, int err)
{
	rows_block(l);
	for (l->current = first; l->current < CTL__MAX; l->current++) {
		if (l->board->rows[l->current].state == READBACK_PENDING)
			break;
	}
	if (l->current == CTL__MAX)
		l->current = CTL_PIDNS;
	(void)fault_at(l, step, err, FAULT_OURS);
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
