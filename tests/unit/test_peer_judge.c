/*
 * What the broker believes of a launcher's HELD and REFUSED, right and wrong in
 * each field that matters.  Its last word: test_peer_end.c.
 */
#include "peer_fixture.h"

/* A report that agrees with a plan of every control but one. */
static void
make_good(struct talk *t, enum msg_type type)
{
	struct plan *p = &t->plan;

	*p = (struct plan){.controls = CONTROL_ALL & ~CONTROL_BIT(CTL_MEMORY),
	    .max_procs = 256,
	    .cpu_ms = 1000,
	    .cpu_quota_percent = 50,
	    .scratch_bytes = 4096};
	t->report = good_report(p);
	t->broker.msg->type = type;
}

static int
judge(struct talk *t, struct diag *d)
{
	*d = (struct diag){0};
	t->broker.msg->body = (const uint8_t *)&t->report;
	t->broker.msg->body_len = sizeof(t->report);
	return (peer_take_report(&t->broker, &t->judged, &t->plan, d));
}

static void
test_held(void **state)
{
	struct talk *t = *state;
	struct diag d;

	make_good(t, MSG_HELD);
	assert_int_equal(judge(t, &d), 0);
	/* A kernel may have a newer Landlock than the plan needs. */
	t->report.rows[CTL_LANDLOCK].got = 7;
	assert_int_equal(judge(t, &d), 0);
}

/* Each row of the table, not held in each of the ways there are. */
static void
test_held_with_a_row_that_is_not(void **state)
{
	struct talk *t = *state;
	struct diag d;

	for (unsigned int c = 0; c < CTL__MAX; c++) {
		for (uint8_t s = 0; s <= READBACK__MAX; s++) {
			make_good(t, MSG_HELD);
			if (s == t->report.rows[c].state)
				continue;
			t->report.rows[c].state = s;
			assert_int_equal(judge(t, &d), -1);
			assert_non_null(strstr(d.message, controls[c].name));
		}
		make_good(t, MSG_HELD);
		if (c == CTL_MEMORY)
			continue;
		t->report.rows[c].got = t->report.rows[c].want - 1;
		assert_int_equal(judge(t, &d), -1);
	}
}

/* Without a procfs the ceiling of CPU time is the stop of each process. */
static void
test_held_without_procfs(void **state)
{
	struct talk *t = *state;
	struct readback *cpu = &t->report.rows[CTL_CPU];
	struct diag d;

	make_good(t, MSG_HELD);
	cpu->got = cpu->want + 2000;
	assert_int_equal(judge(t, &d), -1);
	t->plan.controls &= ~CONTROL_BIT(CTL_PROCFS);
	t->report.rows[CTL_PROCFS] = (struct readback){.state = READBACK_OFF};
	assert_int_equal(judge(t, &d), 0);
	cpu->got++;
	assert_int_equal(judge(t, &d), -1);
	cpu->got = cpu->want - 1;
	assert_int_equal(judge(t, &d), -1);
	assert_non_null(strstr(d.message, "cpu"));
}

/* A launcher that held less than the plan asked for, and says so nicely. */
static void
test_held_with_another_want(void **state)
{
	static const enum control known[] = {CTL_PROCESSES, CTL_CPU,
	    CTL_CPUSHARE, CTL_SCRATCH, CTL_CAPABILITIES};
	struct talk *t = *state;
	struct diag d;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		make_good(t, MSG_HELD);
		t->report.rows[known[i]].want = 9999;
		t->report.rows[known[i]].got = 9999;
		assert_int_equal(judge(t, &d), -1);
		assert_non_null(strstr(d.message, controls[known[i]].name));
	}
}

static void
test_held_without_pids(void **state)
{
	struct talk *t = *state;
	struct diag d;

	make_good(t, MSG_HELD);
	t->report.job_pid = 0;
	assert_int_equal(judge(t, &d), -1);
	assert_non_null(strstr(d.message, "HELD without a job"));
	make_good(t, MSG_HELD);
	t->report.count++;
	assert_int_equal(judge(t, &d), -1);
	make_good(t, MSG_EXITED);
	assert_int_equal(judge(t, &d), -1);
	assert_non_null(strstr(d.message, "neither HELD nor REFUSED"));
}

static void
test_refused(void **state)
{
	struct talk *t = *state;
	struct readback *row = &t->report.rows[CTL_DEV];
	struct diag d;

	make_good(t, MSG_REFUSED);
	assert_int_equal(judge(t, &d), -1);
	assert_non_null(strstr(d.message, "REFUSED without a fault"));
	*row = (struct readback){.state = READBACK_FAULT,
	    .step = STEP_MOUNT_DEV,
	    .err = EPERM};
	assert_int_equal(judge(t, &d), 0);
	row->step = STEP__MAX;
	assert_int_equal(judge(t, &d), -1);
	row->step = STEP_MOUNT_DEV;
	/* A fault of a control that nobody asked for. */
	t->report.rows[CTL_MEMORY].state = READBACK_FAULT;
	assert_int_equal(judge(t, &d), -1);
	t->report.rows[CTL_MEMORY].state = READBACK_OFF;
	t->report.rows[CTL_UTS].state = READBACK_OFF;
	assert_int_equal(judge(t, &d), -1);
}

/* What the broker makes of a refusal: whose fault, and what was not tried. */
static void
test_refusal_is_completed(void **state)
{
	static const struct {
		enum step step;
		int err;
		enum fault_class class;
	} faults[] = {{STEP_MOUNT_ROOT, EPERM, FAULT_HOST},
	    {STEP_BIND_SOURCE, ENOENT, FAULT_USAGE},
	    {STEP_MAKE_ENTRY, EEXIST, FAULT_OURS},
	    {STEP_MAKE_ENTRY, ENOSYS, FAULT_HOST}};
	struct talk *t = *state;
	struct readback *rows = t->report.rows;
	struct diag d;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		make_good(t, MSG_REFUSED);
		rows[CTL_MNTNS] = (struct readback){.state = READBACK_FAULT,
		    .class = 77,
		    .step = (uint16_t)faults[i].step,
		    .err = faults[i].err};
		rows[CTL_ROOT].state = READBACK_PENDING;
		rows[CTL_LOCKED].state = READBACK_PENDING;
		rows[CTL_WALL].state = READBACK_PENDING;
		assert_int_equal(judge(t, &d), 0);
		assert_int_equal(t->judged.rows[CTL_MNTNS].class,
		    faults[i].class);
		assert_int_equal(t->judged.rows[CTL_ROOT].state,
		    READBACK_BLOCKED);
		assert_int_equal(t->judged.rows[CTL_LOCKED].state,
		    READBACK_BLOCKED); /* by root, which mntns blocks */
		assert_int_equal(t->judged.rows[CTL_WALL].state,
		    READBACK_PENDING);
	}
	/* It is no word of the launcher's. */
	rows[CTL_ROOT].state = READBACK_BLOCKED;
	assert_int_equal(judge(t, &d), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TALK(test_held),
	    TALK(test_held_with_a_row_that_is_not),
	    TALK(test_held_without_procfs),
	    TALK(test_held_with_another_want),
	    TALK(test_held_without_pids),
	    TALK(test_refused),
	    TALK(test_refusal_is_completed),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
