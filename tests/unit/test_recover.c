/*
 * test_recover.c - orphans of this boot and of another one, live jobs, closed
 * ones, a process or a leaf that is left, and several recovers at once.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io.h"
#include "ledger_fixture.h"
#include "recover.h"
#include "times.h"

static char this_boot[64];

static int
set_up(void **state)
{
	struct diag d = {0};
	int64_t byte;
	int fd;

	*state = fixture_dir();
	assert_true(io_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id",
			this_boot, sizeof(this_boot)) > 0);
	this_boot[36] = '\0';
	fd = liveness_take(*state, &byte, &d);
	return (fd == -1 ? -1 : close(fd));
}

static int
tear_down(void **state)
{
	fixture_remove(*state);
	return (0);
}

/* Of the rows that add() makes. */
static int64_t rows_pidns = JOB_UNKNOWN;

/* A row in an open state; boot NULL: another boot's. */
static void
add(struct ledger *l, const char *boot, int64_t byte, int64_t pid,
    enum job_state s)
{
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	(void)strlcpy(j.boot_id,
	    boot != NULL ? boot : "00000000-0000-4000-8000-000000000000",
	    sizeof(j.boot_id));
	j.lock_byte = byte;
	j.pidns = rows_pidns;
	assert_int_equal(ledger_admit(l, &j, &d), 0);
	j.launcher_pid = pid;
	if (s != JOB_ADMITTED)
		assert_int_equal(ledger_start(l, &j, &d), 0);
	if (s == JOB_FAILED) {
		j.state = s;
		assert_int_equal(ledger_settle(l, &j, &d), 0);
	}
	job_free(&j);
}

static size_t
run(struct ledger *l, const char *dir, struct recovered **r)
{
	struct diag d = {0};
	size_t count = 99;

	if (recover_all(l, dir, 100, r, &count, &d) == -1)
		fail_msg("%s", d.message);
	return (count);
}

static void
orphans_are_reaped(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	sqlite3 *raw;

	add(l, NULL, 7, JOB_UNKNOWN, JOB_ADMITTED);
	add(l, this_boot, 8, 1, JOB_RUNNING); /* pid 1 is no launcher */
	add(l, "", JOB_UNKNOWN, JOB_UNKNOWN, JOB_RUNNING);
	add(l, this_boot, 9, JOB_UNKNOWN, JOB_FAILED);
	assert_int_equal(run(l, *state, &r), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(r[i].outcome, RECOVER_REAPED);
	assert_string_equal(r[0].text, "broker died; no process left");
	assert_string_equal(r[1].text, "broker died; no process left");
	assert_string_equal(r[2].text, "host rebooted; no process touched");
	free(r);
	/* Idempotent. */
	assert_int_equal(run(l, *state, &r), 0);
	free(r);
	raw = fixture_raw(*state);
	assert_int_equal(fixture_number(raw,
			     "SELECT count(*) FROM jobs WHERE"
			     " state = 'reaped' AND reason = 'reaped'"
			     " AND detail IS NOT NULL"),
	    3);
	assert_int_equal(sqlite3_close(raw), SQLITE_OK);
	ledger_close(l);
}

static void
live_jobs_stay(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	struct diag d = {0};
	int64_t byte;
	int fd = liveness_take(*state, &byte, &d);

	assert_true(fd >= 0);
	add(l, this_boot, byte, JOB_UNKNOWN, JOB_RUNNING);
	add(l, NULL, byte, JOB_UNKNOWN, JOB_ADMITTED);
	assert_int_equal(run(l, *state, &r), 2);
	assert_int_equal(r[0].outcome, RECOVER_LIVE);
	assert_int_equal(r[1].outcome, RECOVER_LIVE);
	free(r);
	assert_int_equal(recover_lazily(l, *state, &d), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(recover_lazily(l, *state, &d), 0);
	assert_int_equal(run(l, *state, &r), 0);
	free(r);
	ledger_close(l);
}

/* Somebody took the locks away: who has no number may be running. */
static void
a_lost_lock_is_no_death(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/agsbx.lock", (char *)*state);
	assert_int_equal(unlink(path), 0);
	add(l, this_boot, 7, JOB_UNKNOWN, JOB_ADMITTED);
	add(l, this_boot, 8, 1, JOB_RUNNING);
	add(l, NULL, 9, JOB_UNKNOWN, JOB_ADMITTED);
	assert_int_equal(run(l, *state, &r), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(r[i].outcome,
		    strstr(r[i].text, "agsbx.lock is gone") != NULL ?
			RECOVER_FAILED :
			RECOVER_REAPED);
	assert_non_null(strstr(r[2].text, "agsbx.lock is gone"));
	assert_non_null(strstr(r[1].text, "no process left"));
	assert_non_null(strstr(r[0].text, "host rebooted"));
	free(r);
	ledger_close(l);
}

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

/* A row with that leaf, of this boot, whose broker is dead. */
static void
add_with_leaf(struct ledger *l, const char *leaf)
{
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	(void)strlcpy(j.boot_id, this_boot, sizeof(j.boot_id));
	j.lock_byte = 7;
	j.leaf = strdup(leaf);
	assert_non_null(j.leaf);
	OK(ledger_admit(l, &j, &d));
	job_free(&j);
}

static void
leaves_go_before_the_row(void **state)
{
	struct ledger *l = fixture_open(*state);
	struct recovered *r;

	/* One that is gone, in a tree that is not there. */
	add_with_leaf(l, "/nowhere/agsbx-01HQTF6HK0YRFPDRYZAGZ18NB0");
	assert_int_equal(run(l, *state, &r), 1);
	assert_int_equal(r[0].outcome, RECOVER_REAPED);
	free(r);
	/* One that is no leaf: nothing is killed for it, and the row stays. */
	add_with_leaf(l, *state);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(run(l, *state, &r), 1);
		assert_int_equal(r[0].outcome, RECOVER_FAILED);
		assert_non_null(strstr(r[0].text, "is no path of a"));
		free(r);
	}
	ledger_close(l);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(orphans_are_reaped),
	    TEST(live_jobs_stay),
	    TEST(a_lost_lock_is_no_death),
	    TEST(what_is_left_keeps_a_row_open),
	    TEST(other_processes_are_no_sign),
	    TEST(start_time_counts),
	    TEST(leaves_go_before_the_row),
	    TEST(many_recovers_count_each_row_once),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
