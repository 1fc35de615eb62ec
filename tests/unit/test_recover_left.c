/*
 * A process that an orphan left, what is none of its, and several recovers at
 * once.
 */
#include "recover_fixture.h"

/* A child that looks as a launcher does; ended by closing its pipe. */
static pid_t
false_launcher(const char *name, int *end)
{
	int fds[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid != -1);
	if (pid == 0) {
		(void)close(fds[1]);
		if (prctl(PR_SET_NAME, name) == -1)
			_exit(1);
		if (read(fds[0], &byte, 1) == -1)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(close(fds[0]), 0);
	*end = fds[1];
	(void)usleep(20000);
	return (pid);
}

static void
what_is_left_keeps_a_row_open(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	struct diag d = {0};
	int end, status;
	pid_t pid = false_launcher("agsbx-launcher", &end);

	add(l, this_boot, 7, pid, JOB_RUNNING);
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_FAILED);
	assert_non_null(strstr(r[0].text, "is left"));
	free(r);
	assert_int_equal(recover_lazily(l, *state, &d), 0);
	assert_int_equal(kill(pid, 0), 0); /* it was not signalled */
	/* Dead but not yet waited for is dead. */
	assert_int_equal(close(end), 0);
	(void)usleep(50000);
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_REAPED);
	free(r);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ledger_close(l);
}

/* Each run comes by here: its patience is for all rows together. */
static void
many_that_are_left_cost_a_run_no_more(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct diag d = {0};
	int end, status;
	pid_t pid = false_launcher("agsbx-launcher", &end);
	int64_t start;

	for (int i = 0; i < 20; i++)
		add(l, this_boot, 7, pid, JOB_RUNNING);
	start = monotonic_ms();
	assert_int_equal(recover_lazily(l, *state, &d), 0);
	assert_in_range(monotonic_ms() - start, 0, 1000);
	assert_int_equal(close(end), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ledger_close(l);
}

static void
other_processes_are_no_sign(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	int end, status;
	pid_t pid = false_launcher("sh", &end);
	pid_t later;

	/* The right pid, another program. */
	add(l, this_boot, 7, pid, JOB_RUNNING);
	assert_int_equal(close(end), 0);
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_REAPED);
	free(r);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* The right name and pid, but of another boot. */
	later = false_launcher("agsbx-launcher", &end);
	add(l, NULL, 7, later, JOB_RUNNING);
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_REAPED);
	free(r);
	/* The same of this boot, where the number was another namespace's. */
	rows_pidns = recover_pidns() + 1;
	add(l, this_boot, 7, later, JOB_RUNNING);
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_REAPED);
	free(r);
	rows_pidns = recover_pidns();
	add(l, this_boot, 7, later, JOB_RUNNING);
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_FAILED);
	free(r);
	rows_pidns = JOB_UNKNOWN;
	assert_int_equal(close(end), 0);
	assert_int_equal(waitpid(later, &status, 0), later);
	ledger_close(l);
}

/* A launcher that began long after the job is another job's. */
static void
start_time_counts(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	struct diag d = {0};
	struct job j;
	int end, status;
	pid_t pid = false_launcher("agsbx-launcher", &end);

	fixture_small_job(&j);
	(void)strlcpy(j.boot_id, this_boot, sizeof(j.boot_id));
	j.created_ms = times_now_ms() - 600000;
	j.started_ms = j.created_ms + 1000;
	j.lock_byte = 7;
	j.init_pid = pid;
	assert_int_equal(ledger_admit(l, &j, &d), 0);
	assert_int_equal(ledger_start(l, &j, &d), 0);
	job_free(&j);
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_REAPED);
	free(r);
	assert_int_equal(close(end), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ledger_close(l);
}

#define ORPHANS 20
#define RECOVERERS 4

static void
many_recovers_count_each_row_once(void **state)
{
	struct ledger *l = fixture_open(*state);
	int fds[2], status;
	size_t total = 0, count;
	struct recovered *r;

	for (int i = 0; i < ORPHANS; i++)
		add(l, NULL, 7, JOB_UNKNOWN, JOB_RUNNING);
	ledger_close(l);
	assert_int_equal(pipe(fds), 0);
	for (int i = 0; i < RECOVERERS; i++) {
		pid_t pid = fork();

		assert_true(pid != -1);
		if (pid != 0)
			continue;
		l = fixture_open(*state);
		count = run(l, *state, &r);
		ledger_close(l);
		_exit(write(fds[1], &count, sizeof(count)) == sizeof(count) ?
			0 :
			1);
	}
	for (int i = 0; i < RECOVERERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
		assert_int_equal(read(fds[0], &count, sizeof(count)),
		    sizeof(count));
		total += count;
	}
	assert_int_equal(total, ORPHANS);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(what_is_left_keeps_a_row_open),
	    TEST(many_that_are_left_cost_a_run_no_more),
	    TEST(other_processes_are_no_sign),
	    TEST(start_time_counts),
	    TEST(many_recovers_count_each_row_once),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
