/*
 * supervise.c: a reader of our stdout that takes its time gets all of it, or
 * the job's end is no success.
 */
#include "session_fixture.h"

#define LONG 150000U /* more than two pipes hold */
#define NAP_MS 2800  /* longer than it takes to give up a stream */
#define WALL_MS 200
#define LIMIT 1000U

/* ---- what the launcher does ---- */

static const char zeros[LONG];

static int
say_long(struct launcher *l)
{
	if (hold(l) == -1)
		return (-1);
	return (write(l->out, zeros, LONG) == LONG ? 0 : -1);
}

static int
says_much(struct launcher *l)
{
	return (say_long(l) == -1 || say_exited(l, 0) == -1);
}

/* Its status is on its way already when the broker's clock says KILL. */
static int
ends_at_the_wall(struct launcher *l)
{
	if (say_long(l) == -1 || msg_recv(&l->ch, &l->m) != 1 ||
	    l->m.type != MSG_KILL)
		return (1);
	return (say_exited(l, 0) == -1);
}

static int
is_killed_at_the_wall(struct launcher *l)
{
	if (say_long(l) == -1 || msg_recv(&l->ch, &l->m) != 1 ||
	    l->m.type != MSG_KILL)
		return (1);
	return (say_end(l, 0, EXITED_BY_KILL) == -1);
}

/* The output passes its limit between the clock and the end. */
static int
says_too_much_at_the_wall(struct launcher *l)
{
	if (hold(l) == -1 || msg_recv(&l->ch, &l->m) != 1 ||
	    l->m.type != MSG_KILL || write(l->out, zeros, 2000) != 2000 ||
	    msg_recv(&l->ch, &l->m) != 1 || l->m.type != MSG_KILL)
		return (1);
	return (say_exited(l, 0) == -1);
}

static const struct manner manners[] = {
    {"says-much", says_much},
    {"ends-at-the-wall", ends_at_the_wall},
    {"is-killed-at-the-wall", is_killed_at_the_wall},
    {"says-too-much-at-the-wall", says_too_much_at_the_wall},
    {NULL, NULL},
};

/* ---- the runs ---- */

static const struct run {
	const char *manner;
	uint64_t wall_ms;
	int nap_ms;    /* of the reader */
	uint32_t came; /* to it, at least */
	enum job_state state;
	enum reason reason;
} runs[] = {
    {"says-much", 60000, NAP_MS, LONG, JOB_SUCCEEDED, REASON_EXITED},
    {"ends-at-the-wall", WALL_MS, NAP_MS, LONG, JOB_SUCCEEDED, REASON_EXITED},
    {"is-killed-at-the-wall", WALL_MS, 0, 1, JOB_KILLED, REASON_WALL},
    {"says-too-much-at-the-wall", WALL_MS, 0, LIMIT, JOB_KILLED, REASON_OUTPUT},
};
static const struct run *run;

/* Adds up what comes after its nap. */
static _Noreturn void
be_reader(int from, int to)
{
	static char buf[LONG];
	uint32_t sum = 0;

	(void)poll(NULL, 0, run->nap_ms);
	for (ssize_t n; (n = read(from, buf, sizeof(buf))) > 0;)
		sum += (uint32_t)n;
	_exit(write(to, &sum, sizeof(sum)) == sizeof(sum) ? 0 : 1);
}

/* Our stdout's reader is no child of ours, of which none may be left.  Returns
 * where it tells its sum. */
static int
start_reader(void)
{
	int ends[2], told[2], status = -1;

	CHECK(pipe2(ends, O_CLOEXEC) == 0 && pipe2(told, O_CLOEXEC) == 0);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		(void)close(ends[1]);
		if (fork() == 0)
			be_reader(ends[0], told[1]);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
	CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
	CHECK(close(told[1]) == 0);
	return (told[0]);
}

static void
child_runs(void)
{
	int told = start_reader();
	struct session *s = session_of_test(run->manner, true);
	uint32_t came = 0;

	s->policy->limits[LIMIT_WALL] = run->wall_ms;
	if (run->reason == REASON_OUTPUT)
		s->policy->limits[LIMIT_MAX_OUTPUT] = LIMIT;
	check_diag(session_run(s), &s->d);
	if (s->job.state != run->state || s->job.reason != run->reason ||
	    s->reraise != 0) {
		(void)dprintf(2, "%s: %s\n", run->manner, s->job.detail);
		exit(1);
	}
	session_free(s);
	CHECK(close(STDOUT_FILENO) == 0);
	CHECK(read(told, &came, sizeof(came)) == sizeof(came));
	CHECK(came >= run->came && came <= LONG);
}

static void
test_run(void **state)
{
	(void)state;
	if (!has_landlock())
		skip(); /* where nobody can say that all is held */
	for (run = runs; run < runs + sizeof(runs) / sizeof(runs[0]); run++) {
		in_child(child_runs);
		(void)state_dir_teardown(NULL);
		(void)state_dir_setup(NULL);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    IN_STATE_DIR(test_run),
	};

	if (argc == 1 && strcmp(argv[0], SPAWNED) == 0)
		return (be_launcher(manners));
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
