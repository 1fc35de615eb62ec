/*
 * settle.c: what the row says when a launcher dies or lies on the way, when
 * something cannot be cleaned up, and when the ledger or the system log fails
 * at the end.
 */
#include "session_fixture.h"

#include <sys/stat.h>

#define LEFT "agsbx-01ARZ3NDEKTSV4RRFFQ69G5FAV"

/* ---- what the launcher does ---- */

static int
ends(struct launcher *l)
{
	return (hold(l) == -1 ? 1 : say_exited(l, 0));
}

static int
dies(struct launcher *l)
{
	(void)l;
	return (1);
}

static int
dies_later(struct launcher *l)
{
	return (hold(l) == -1 ? 1 : 0);
}

static int
ends_without_end(struct launcher *l)
{
	return (hold(l) == -1 ? 1 : say_exited(l, 0x80));
}

static int
refuses(struct launcher *l)
{
	return (say_fault(l, CTL_USERNS, STEP_CLONE, EPERM));
}

static int
keep_id(struct job *j, void *id)
{
	(void)memcpy(id, j->id, JOB_ID_SIZE);
	return (1);
}

/* As a recover would that takes this broker for dead. */
static int
close_row(struct launcher *l)
{
	char id[JOB_ID_SIZE] = "";
	struct ledger *ledger = NULL;
	struct diag d = {0};
	bool was_open = false;

	if (ledger_open(word(l, 1), LEDGER_CHANGE, &ledger, &d) == -1)
		return (-1);
	(void)ledger_each(ledger, &fixture_everything, keep_id, id, &d);
	(void)ledger_reap(ledger, id, "taken for dead", &was_open, &d);
	ledger_close(ledger);
	return (was_open ? 0 : -1);
}

#define WENT "went"

/* Before it reports; then it waits for a GO that must not come. */
static int
closes_the_row(struct launcher *l)
{
	if (close_row(l) == -1 || hold(l) == -1)
		return (1);
	return (creat(fixture_path(word(l, 1), WENT), 0600) == -1);
}

static int
closes_the_running_row(struct launcher *l)
{
	return (hold(l) == -1 || close_row(l) == -1 || say_exited(l, 0) == -1);
}

static const struct manner manners[] = {
    {"ends", ends},
    {"dies", dies},
    {"dies-later", dies_later},
    {"ends-without-end", ends_without_end},
    {"refuses", refuses},
    {"closes-the-row", closes_the_row},
    {"closes-the-running-row", closes_the_running_row},
    {NULL, NULL},
};

/* ---- what is on the row ---- */

static void
want_row(enum job_state state, enum reason reason, const char *detail)
{
	struct ledger *l = fixture_open(state_dir);
	struct found f;
	const struct job *j = &f.jobs[0];

	fixture_list(l, fixture_everything, &f);
	assert_int_equal(f.count, 1);
	assert_string_equal(job_state_name(j->state), job_state_name(state));
	if (!job_state_is_open(state))
		assert_int_equal(j->reason, reason);
	if (detail == NULL)
		assert_true(j->detail == NULL || job_state_is_open(state));
	else if (j->detail == NULL || strstr(j->detail, detail) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", j->detail, detail);
	fixture_found_free(&f);
	ledger_close(l);
}

static void
skip_without_landlock(void)
{
	if (!has_landlock())
		skip(); /* where nobody can say that all is held */
}

/* Empties the state directory for another run. */
static void
begin_again(void)
{
	(void)state_dir_teardown(NULL);
	(void)state_dir_setup(NULL);
}

/* ---- the launcher ---- */

static const struct {
	const char *manner;
	enum job_state state;
	enum reason reason;
	const char *detail;
} runs[] = {
    {"ends", JOB_SUCCEEDED, REASON_EXITED, "exit status 0"},
    {"dies", JOB_ERROR, REASON_ERROR,
	"agsbx-launcher died while it built the plan"},
    {"dies-later", JOB_ERROR, REASON_ERROR,
	"the job's end was not reported: its init or launcher died"},
    {"ends-without-end", JOB_ERROR, REASON_ERROR,
	"the launcher broke the protocol: EXITED without an end"},
    {"refuses", JOB_REFUSED, REASON_REFUSED,
	"a control cannot be held on this host"},
};
static size_t row;

static void
child_runs(void)
{
	struct session *s = session_of_test(runs[row].manner, true);

	check_diag(session_run(s), &s->d);
	CHECK(s->job.state == runs[row].state && s->reraise == 0);
	session_free(s);
}

static void
test_launcher(void **state)
{
	(void)state;
	skip_without_landlock();
	for (row = 0; row < sizeof(runs) / sizeof(runs[0]); row++) {
		in_child(child_runs);
		want_row(runs[row].state, runs[row].reason, runs[row].detail);
		begin_again();
	}
}

/* TERM before the plan is answered: the row is settled, and agsbx is to end by
 * that signal. */
static void
child_is_interrupted(void)
{
	struct session *s = session_of_test("ends", true);

	CHECK(raise(SIGTERM) == 0);
	check_diag(session_run(s), &s->d);
	CHECK(s->reraise == SIGTERM);
	session_free(s);
}

static void
test_interrupted(void **state)
{
	(void)state;
	skip_without_landlock();
	in_child(child_is_interrupted);
	want_row(JOB_KILLED, REASON_INTERRUPTED, "agsbx got SIGTERM");
}

/* ---- what is left ---- */

/* A leaf that somebody made something in: it cannot be removed. */
static void
put_left_leaf(struct session *s)
{
	FILE *f = fopen(fixture_path(state_dir, "events"), "w");

	CHECK(f != NULL && fputs("populated 0\n", f) >= 0 && fclose(f) == 0);
	CHECK(mkdir(fixture_path(state_dir, LEFT), 0700) == 0);
	CHECK(mkdir(fixture_path(state_dir, LEFT "/more"), 0700) == 0);
	(void)strlcpy(s->leaf.name, LEFT, sizeof(s->leaf.name));
	s->leaf.parent_fd = open(state_dir, O_RDONLY | O_DIRECTORY);
	s->leaf.kill_fd = open("/dev/null", O_WRONLY);
	s->leaf.events_fd = open(fixture_path(state_dir, "events"), O_RDONLY);
	CHECK(s->leaf.parent_fd >= 0 && s->leaf.kill_fd >= 0);
	CHECK(s->leaf.events_fd >= 0);
}

#define NOT_REMOVED \
	"cannot remove cgroup leaf " LEFT ": Directory not empty; the row " \
	"stays open until \"agsbx recover\" ends it"

static void
check_left(const char *manner, const char *detail)
{
	struct session *s = session_of_test(manner, true);

	put_left_leaf(s);
	check_diag(session_run(s), &s->d);
	CHECK(s->job.state == JOB_ERROR && s->job.reason == REASON_ERROR);
	CHECK(strcmp(s->job.detail, detail) == 0);
	session_free(s);
}

static void
child_leaves_a_leaf(void)
{
	check_left("ends", NOT_REMOVED);
}

static void
child_leaves_more(void)
{
	check_left("dies",
	    "agsbx-launcher died while it built the plan; " NOT_REMOVED);
}

static void
test_left(void **state)
{
	(void)state;
	skip_without_landlock();
	in_child(child_leaves_a_leaf);
	want_row(JOB_RUNNING, REASON_ERROR, NULL);
	begin_again();
	in_child(child_leaves_more);
	want_row(JOB_ADMITTED, REASON_ERROR, NULL);
}

/* ---- the ledger and the log ---- */

static void
check_not_settled(const char *manner, const char *words)
{
	struct session *s = session_of_test(manner, true);

	CHECK(session_run(s) == 0);
	CHECK(s->job.state == JOB_ERROR);
	check_says(s->job.detail, "but its row cannot be written: ");
	check_says(s->job.detail, words);
	session_free(s);
}

/* No GO for a job whose start is on no row. */
static void
child_cannot_start(void)
{
	check_not_settled("closes-the-row",
	    "is reaped and cannot become error");
}

static void
child_cannot_settle(void)
{
	check_not_settled("closes-the-running-row",
	    "is reaped and cannot become succeeded");
}

static void
test_row_is_closed(void **state)
{
	(void)state;
	skip_without_landlock();
	in_child(child_cannot_start);
	assert_int_equal(access(fixture_path(state_dir, WENT), F_OK), -1);
	want_row(JOB_REAPED, REASON_REAPED, "taken for dead");
	begin_again();
	in_child(child_cannot_settle);
	want_row(JOB_REAPED, REASON_REAPED, "taken for dead");
}

/* The log daemon ends, after the job has. */
static int
end_log(struct session *s)
{
	return (close(*(int *)s->judge_arg));
}

static void
child_has_no_log(void)
{
	struct session *s = session_of_test("ends", true);
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) == 0);
	s->judge = end_log;
	s->judge_arg = &pair[1];
	s->anchor_fd = pair[0];
	CHECK(session_run(s) == -1 && s->d.code == DIAG_INTERNAL);
	check_says(s->d.message, s->job.id);
	check_says(s->d.message,
	    " succeeded, but its anchor cannot be written to the system log: "
	    "Connection refused");
	session_free(s);
}

static void
test_no_log(void **state)
{
	(void)state;
	skip_without_landlock();
	in_child(child_has_no_log);
	want_row(JOB_SUCCEEDED, REASON_EXITED, "exit status 0");
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    IN_STATE_DIR(test_launcher),
	    IN_STATE_DIR(test_interrupted),
	    IN_STATE_DIR(test_left),
	    IN_STATE_DIR(test_row_is_closed),
	    IN_STATE_DIR(test_no_log),
	};

	if (argc == 1 && strcmp(argv[0], SPAWNED) == 0)
		return (be_launcher(manners));
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
