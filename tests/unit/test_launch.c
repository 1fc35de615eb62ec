/*
 * launch.c: a launcher that lies, dies or refuses, and what a broker makes of
 * it before anything runs.  Gaps and second plans: test_launch_gaps.c.
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

/* Whatever is left out, there is something else. */
static int
refuses_twice(struct launcher *l)
{
	if (say_fault(l, CTL_LANDLOCK, STEP_LANDLOCK_ABI, ENOSYS) == -1 ||
	    take_plan(l) == -1)
		return (1);
	return (say_fault(l, CTL_PROCFS, STEP_MOUNT_PROC, EPERM));
}

/* Ctrl-C while the plan is being built, which never ends. */
static int
is_interrupted(struct launcher *l)
{
	(void)l;
	if (kill(getppid(), SIGTERM) == -1)
		return (1);
	for (;;)
		(void)pause();
}

static const struct manner manners[] = {
    {"dies", dies},
    {"talks-nonsense", talks_nonsense},
    {"holds", hold},
    {"holds-less", holds_less},
    {"refuses-a-bind", refuses_a_bind},
    {"refuses-for-nothing", refuses_for_nothing},
    {"refuses-twice", refuses_twice},
    {"is-interrupted", is_interrupted},
    {NULL, NULL},
};

/* ---- what the broker makes of it ---- */

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

static void
check_interrupted(struct session *s)
{
	check_launch(s, LAUNCH_INTERRUPTED);
	CHECK(s->ending.cause == KILL_SIGNAL && s->ending.signal == SIGTERM);
	end_session(s);
}

/* Before HELLO. */
static void
child_is_interrupted_at_once(void)
{
	struct session *s = session_of_test("holds", false);

	CHECK(raise(SIGTERM) == 0);
	check_interrupted(s);
}

static void
child_is_interrupted(void)
{
	check_interrupted(session_of_test("is-interrupted", false));
}

static void
test_interrupted(void **state)
{
	(void)state;
	in_child(child_is_interrupted_at_once);
	in_child(child_is_interrupted);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    IN_STATE_DIR(test_fails),
	    IN_STATE_DIR(test_system_calls),
	    IN_STATE_DIR(test_interrupted),
	};

	if (argc == 1 && strcmp(argv[0], SPAWNED) == 0)
		return (be_launcher(manners));
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
