/*
 * fuzz_peer.c - HELD, REFUSED and EXITED as a hostile launcher says them: the
 * broker must not believe that a control is held which was not planned and
 * read back, nor take for an end what is none.
 *
 * Input: a byte for the type and one for the plan's controls, then the body.
 */
#include <sys/wait.h>

#include "fuzz.h"
#include "peer.h"
#include "words.h"

static const enum msg_type types[] = {MSG_HELD, MSG_REFUSED, MSG_EXITED,
    MSG_HELLO};

static void
must_be_held(const struct msg_report *r, const struct plan *plan)
{
	const struct readback *row;

	for (unsigned int c = 0; c < CTL__MAX; c++) {
		row = &r->rows[c];
		if ((plan->controls & CONTROL_BIT(c)) == 0) {
			MUST(row->state == READBACK_OFF);
			continue;
		}
		MUST(row->state == READBACK_HELD);
		/* The clock of a job without procfs has a coarser stop. */
		MUST(row->got == row->want || controls[c].unit == UNIT_ABI ||
		    c == CTL_CPU);
		if (c == CTL_MEMORY)
			MUST(row->got == plan->memory_bytes);
		if (c == CTL_PROCESSES)
			MUST(row->got == plan->max_procs);
	}
	MUST(r->init_pid > 0 && r->job_pid > 0);
}

static void
must_be_refused(const struct msg_report *r)
{
	unsigned int faults = 0;

	for (unsigned int c = 0; c < CTL__MAX; c++) {
		MUST(r->rows[c].state < READBACK__MAX);
		if (r->rows[c].state != READBACK_FAULT)
			continue;
		MUST(r->rows[c].class < FAULT__MAX &&
		    r->rows[c].step < STEP__MAX);
		faults++;
	}
	MUST(faults > 0);
}

static void
judge(struct peer *p, const struct plan *plan)
{
	struct msg_report report;
	struct msg_exited exited;
	struct diag d = {.code = DIAG_NONE};

	if (peer_take_report(p, &report, plan, &d) == -1)
		must_be_told(&d);
	else if (p->msg->type == MSG_HELD)
		must_be_held(&report, plan);
	else
		must_be_refused(&report);
	d.code = DIAG_NONE;
	if (peer_take_exited(p, &exited, &d) == -1) {
		must_be_told(&d);
		return;
	}
	MUST(p->msg->type == MSG_EXITED);
	MUST(WIFEXITED(exited.wait_status) || WIFSIGNALED(exited.wait_status));
	MUST(exited.exec_errno >= 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct msg msg;
	struct input in = {data, size};
	struct plan plan = {.controls = CONTROL_ALL,
	    .memory_bytes = 512ULL << 20,
	    .max_procs = 256,
	    .cpu_ms = 120000,
	    .scratch_bytes = 256ULL << 20};
	struct peer p = {.msg = &msg};

	msg.type = types[take_byte(&in) % COUNT_OF(types)];
	/* Without one of the controls, or with all of them. */
	plan.controls &= ~CONTROL_BIT(take_byte(&in) % 63);
	msg.body = take_bytes(&in, in.left, &msg.body_len);
	judge(&p, &plan);
	return (0);
}
