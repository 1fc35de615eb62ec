/*
 * launch.c: what may be left out of a second plan, by which waivers, and that
 * nothing else ever is.  Launchers that lie or die: test_launch.c.
 */
#include "session_fixture.h"

/* ---- what the launcher does ---- */

static int
refuses_the_floor(struct launcher *l)
{
	return (say_fault(l, CTL_USERNS, STEP_CLONE, EPERM));
}

/* Holds the second plan, if it is the first one less Landlock. */
static int
has_no_landlock(struct launcher *l)
{
	control_set first = l->plan.controls;

	if (say_fault(l, CTL_LANDLOCK, STEP_LANDLOCK_ABI, ENOSYS) == -1 ||
	    take_plan(l) == -1 ||
	    l->plan.controls != (first & ~CONTROL_BIT(CTL_LANDLOCK)))
		return (1);
	return (hold(l));
}

static const struct manner manners[] = {
    {"holds", hold},
    {"refuses-the-floor", refuses_the_floor},
    {"has-no-landlock", has_no_landlock},
    {NULL, NULL},
};

/* ---- what the broker makes of it ---- */

/* No waiver, no second plan; the launcher would have held one. */
static void
child_refuses(void)
{
	struct session *s = session_of_test("has-no-landlock", false);

	check_launch(s, LAUNCH_REFUSED);
	CHECK(s->job.gap_count == 2 && !s->job.gaps[1].is_waived);
	CHECK(s->job.gaps[1].control == CTL_LANDLOCK);
	CHECK(s->job.gaps[1].err == ENOSYS);
	CHECK(launch_gaps_are_waivable(&s->job));
	end_session(s);
}

/* A waiver is for what may be waived. */
static void
child_refuses_the_floor(void)
{
	struct session *s = session_of_test("refuses-the-floor", false);

	check_launch(s, LAUNCH_REFUSED);
	CHECK(job_gap_of(&s->job, CTL_USERNS) != NULL);
	CHECK(!job_gap_of(&s->job, CTL_USERNS)->is_waived);
	CHECK(!launch_gaps_are_waivable(&s->job));
	end_session(s);
}

/* doctor leaves nothing out, whatever the policy permits. */
static void
child_has_no_row(void)
{
	struct session *s = session_of_test("has-no-landlock", false);

	s->has_row = false;
	check_launch(s, LAUNCH_REFUSED);
	CHECK((s->plan->controls & CONTROL_BIT(CTL_MEMORY)) != 0);
	CHECK(s->job.gap_count == 1 && !s->job.gaps[0].is_waived);
	_exit(0); /* confined without a directory to write into */
}

static void
child_waives(void)
{
	struct session *s = session_of_test("has-no-landlock", false);

	check_launch(s, LAUNCH_HELD);
	CHECK(s->job.is_degraded && s->job.gap_count == 2);
	CHECK(s->job.gaps[0].is_waived && s->job.gaps[1].is_waived);
	CHECK(strcmp(s->job.gaps[0].token, "NO-MEMORY-CEILING(rlimit)") == 0);
	CHECK(s->job.gaps[1].control == CTL_LANDLOCK);
	CHECK(s->job.rows[CTL_LANDLOCK].state == READBACK_OFF);
	CHECK(s->job.rows[CTL_MEMORY].state == READBACK_OFF);
	CHECK(s->job.rows[CTL_PIDNS].state == READBACK_HELD);
	CHECK(s->plan->data_bytes == 2 * s->plan->memory_bytes);
	end_session(s);
}

/* What was held is not listed, although it could have been waived. */
static void
child_holds(void)
{
	struct session *s = session_of_test("holds", false);

	check_launch(s, LAUNCH_HELD);
	CHECK(s->job.gap_count == 0 && !s->job.is_degraded);
	CHECK(s->has_landlock);
	CHECK(s->job.init_pid == s->peer.proc.pid);
	for (unsigned int i = 0; i < PLAN_FD__MAX; i++)
		CHECK(s->job_fds[i] == -1);
	end_session(s);
}

static void
test_gaps(void **state)
{
	(void)state;
	in_child(child_refuses);
	waivers = "memory,landlock";
	in_child(child_refuses_the_floor);
	in_child(child_has_no_row);
	in_child(child_waives);
	if (!has_landlock())
		skip();
	waivers = "landlock";
	in_child(child_holds);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    IN_STATE_DIR(test_gaps),
	};

	if (argc == 1 && strcmp(argv[0], SPAWNED) == 0)
		return (be_launcher(manners));
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
