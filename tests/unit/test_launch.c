/*
 * launch.c: a launcher that lies, dies or refuses, and what a broker makes of
 * it before anything runs; what may be left out of a second plan, and that
 * nothing else ever is.
 */
#include "session_fixture.h"

/* ---- what the launcher does ---- */

static int
dies(struct launcher *l)
{
	(void)l;
	return (1);
}

static int
talks_nonsense(struct launcher *l)
{
	return (send(l->ch.fd, "nonsense", 8, 0) == 8 ? 0 : 1);
}

static int
holds_less(struct launcher *l)
{
	l->report.rows[CTL_PIDNS].state = READBACK_OFF;
	return (hold(l));
}

static int
refuses_a_bind(struct launcher *l)
{
	return (say_fault(l, CTL_MNTNS, STEP_BIND_SOURCE, ENOENT));
}

static int
refuses_for_nothing(struct launcher *l)
{
	return (say_fault(l, CTL_DEATH, STEP_JOB_LOST, 0));
}

static int
refuses_the_floor(struct launcher *l)
{
	return (say_fault(l, CTL_USERNS, STEP_CLONE, EPERM));
}

/* Whatever is left out, there is something else. */
static int
refuses_twice(struct launcher *l)
{
	if (say_fault(l, CTL_LANDLOCK, STEP_LANDLOCK_ABI, ENOSYS) == -1 ||
	    take_plan(l) == -1)
		return (1);
	return (say_fault(l, CTL_PROCFS, STEP_MOUNT_PROC, EPERM));
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
    {"dies", dies},
    {"talks-nonsense", talks_nonsense},
    {"holds", hold},
    {"holds-less", holds_less},
    {"refuses-a-bind", refuses_a_bind},
    {"refuses-for-nothing", refuses_for_nothing},
    {"refuses-the-floor", refuses_the_floor},
    {"refuses-twice", refuses_twice},
    {"has-no-landlock", has_no_landlock},
    {NULL, NULL},
};

/* ---- what the broker makes of it ---- */

static void
end_session(struct session *s)
{
	struct diag d = {0};

	CHECK(peer_end(&s->peer, 0, &d) == 0);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	session_free(s);
}

static void
check_launch(struct session *s, enum launch_end want)
{
	enum launch_end end;

	check_diag(session_open_streams(s, false, &s->d), &s->d);
	end = launch(s, &s->d);
	if (end == want)
		return;
	(void)dprintf(2, "%s ended with %d: %s\n", s->command.argv[0], (int)end,
	    s->d.message);
	exit(1);
}

/* It fails so, and with these words. */
static void
check_failed(struct session *s, enum diag_code code, const char *words)
{
	check_launch(s, LAUNCH_FAILED);
	check_says(s->d.message, words);
	CHECK(s->d.code == code);
	end_session(s);
}

static const struct {
	const char *manner;
	enum diag_code code;
	const char *words;
} failures[] = {
    {"dies", DIAG_INTERNAL, "agsbx-launcher died while it built the plan"},
    {"talks-nonsense", DIAG_INTERNAL, "the launcher broke the protocol: "},
    {"holds-less", DIAG_INTERNAL,
	"the launcher's word on pidns is not what was planned"},
    {"refuses-a-bind", DIAG_POLICY, "mntns: cannot "},
    {"refuses-a-bind", DIAG_POLICY, ": No such file or directory"},
    {"refuses-for-nothing", DIAG_INTERNAL,
	"death: cannot hear from the job: no reason was given"},
    {"refuses-twice", DIAG_INTERNAL,
	"agsbx-launcher refused what it had accepted a moment before"},
};
static size_t row;

static void
child_fails(void)
{
	check_failed(session_of_test(failures[row].manner, false),
	    failures[row].code, failures[row].words);
}

static void
test_fails(void **state)
{
	(void)state;
	waivers = "memory,landlock,procfs";
	for (row = 0; row < sizeof(failures) / sizeof(failures[0]); row++)
		in_child(child_fails);
}

static void
child_cannot_execute(void)
{
	struct session *s = session_of_test("holds", false);

	io_close(&s->launcher_fd);
	s->launcher_fd = open("/dev/null", O_PATH | O_CLOEXEC);
	check_failed(s, DIAG_INTERNAL,
	    "cannot execute agsbx-launcher: Permission denied");
}

static void
child_has_no_socket(void)
{
	struct session *s = session_of_test("holds", false);

	check_diag(session_open_streams(s, false, &s->d), &s->d);
	break_syscall(SYS_socketpair, EMFILE);
	CHECK(launch(s, &s->d) == LAUNCH_FAILED);
	check_says(s->d.message,
	    "cannot make a socketpair: Too many open files");
	end_session(s);
}

/* No plan goes out from a broker that is not confined. */
static void
child_cannot_confine(void)
{
	struct session *s = session_of_test("holds", false);

	break_syscall(SYS_seccomp, EINVAL);
	check_failed(s, DIAG_INTERNAL,
	    "cannot confine the broker: seccomp: Invalid argument");
}

/* The launcher's word against what the broker saw of the kernel. */
static void
child_disagrees(void)
{
	struct session *s = session_of_test("holds", false);

	break_syscall(SYS_landlock_create_ruleset, ENOSYS);
	check_failed(s, DIAG_INTERNAL,
	    "the launcher holds Landlock where the broker found none");
}

/* What is watched for signals ends; that is no signal. */
static void
child_cannot_read_signals(void)
{
	struct session *s = session_of_test("holds", false);
	int ends[2];

	io_close(&s->signal_fd);
	CHECK(pipe(ends) == 0 && close(ends[1]) == 0);
	s->signal_fd = ends[0];
	check_failed(s, DIAG_INTERNAL, "cannot read a signal");
}

static void
test_system_calls(void **state)
{
	(void)state;
	in_child(child_cannot_execute);
	in_child(child_has_no_socket);
	in_child(child_cannot_confine);
	in_child(child_disagrees);
	in_child(child_cannot_read_signals);
}

/* It came before anything was built. */
static void
child_is_interrupted(void)
{
	struct session *s = session_of_test("holds", false);

	CHECK(raise(SIGTERM) == 0);
	check_launch(s, LAUNCH_INTERRUPTED);
	CHECK(s->ending.cause == KILL_SIGNAL && s->ending.signal == SIGTERM);
	end_session(s);
}

static void
test_interrupted(void **state)
{
	(void)state;
	in_child(child_is_interrupted);
}

/* ---- gaps and waivers ---- */

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
	    IN_STATE_DIR(test_fails),
	    IN_STATE_DIR(test_system_calls),
	    IN_STATE_DIR(test_interrupted),
	    IN_STATE_DIR(test_gaps),
	};

	if (argc == 1 && strcmp(argv[0], SPAWNED) == 0)
		return (be_launcher(manners));
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
