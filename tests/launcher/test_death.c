/*
 * test_death.c - nothing outlives the launch, whoever is killed or stopped.
 *
 * The witness is a pidfd of the job and one of init, opened while they live:
 * they must become readable, which a process does only when it is dead.
 */
#include <sys/pidfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

#define SOON_MS 5000
#define STUBBORN \
	"trap '' TERM INT HUP; (setsid sleep 300 &); echo up; " \
	"while :; do sleep 300; done"

static struct drive d;
static struct plan p;

static int
pidfd_of(pid_t pid)
{
	int fd = pidfd_open(pid, 0);

	assert_int_not_equal(fd, -1);
	return (fd);
}

static void
assert_dies(int pidfd)
{
	struct pollfd fd = {.fd = pidfd, .events = POLLIN};

	assert_int_equal(poll(&fd, 1, SOON_MS), 1);
	close(pidfd);
}

static void
assert_lives(int pidfd)
{
	struct pollfd fd = {.fd = pidfd, .events = POLLIN};

	assert_int_equal(poll(&fd, 1, 200), 0);
}

/* Held, and with is_running its script has said that it is up. */
static void
start(const char *script, bool is_running)
{
	char c;

	drive_skip_root();
	drive_plan_shell(&p, script);
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_HELD);
	if (!is_running)
		return;
	drive_go(&d);
	assert_int_equal(read(d.out, &c, 1), 1);
}

static void
launcher_killed(bool is_running)
{
	int job, init;

	start(STUBBORN, is_running);
	job = pidfd_of(d.report.job_pid);
	init = pidfd_of(d.report.init_pid);
	assert_int_equal(kill(d.launcher, SIGKILL), 0);
	assert_dies(job);
	assert_dies(init);
	assert_int_equal(drive_end(&d), SIGKILL);
}

static void
test_launcher_killed(void **state)
{
	(void)state;
	launcher_killed(false);
	launcher_killed(true);
}

static void
broker_closes(bool is_running)
{
	int job;

	start(STUBBORN, is_running);
	job = pidfd_of(d.report.job_pid);
	assert_int_equal(drive_end(&d), 1 << 8);
	assert_dies(job);
}

static void
test_broker_closes(void **state)
{
	(void)state;
	broker_closes(false);
	broker_closes(true);
}

/* A broker of its own process, killed in mid-job. */
static void
test_broker_killed(void **state)
{
	pid_t pids[3], broker;
	int report[2], fds[3];

	(void)state;
	drive_skip_root();
	assert_int_equal(pipe(report), 0);
	broker = fork();
	assert_int_not_equal(broker, -1);
	if (broker == 0) {
		start(STUBBORN, true);
		pids[0] = d.launcher;
		pids[1] = d.report.init_pid;
		pids[2] = d.report.job_pid;
		(void)!write(report[1], pids, sizeof(pids));
		pause();
	}
	assert_int_equal(read(report[0], pids, sizeof(pids)), sizeof(pids));
	for (int i = 0; i < 3; i++)
		fds[i] = pidfd_of(pids[i]);
	assert_int_equal(kill(broker, SIGKILL), 0);
	for (int i = 0; i < 3; i++)
		assert_dies(fds[i]);
	assert_int_equal(waitpid(broker, NULL, 0), broker);
	close(report[0]);
	close(report[1]);
}

/* Init is killed from outside: the launcher says that it was lost. */
static void
test_init_killed(void **state)
{
	(void)state;
	start(STUBBORN, true);
	assert_int_equal(kill(d.report.init_pid, SIGKILL), 0);
	assert_int_equal(drive_finish(&d), 0);
	assert_int_equal(d.exited.flags, EXITED_INIT_LOST);
	assert_int_equal(drive_end(&d), 0);
}

/* Ended by init alone: the launcher is stopped. */
static void
ended_by_deadline(const char *script, control_set without)
{
	int job, init;

	drive_skip_root();
	drive_plan_shell(&p, script);
	p.controls &= ~without;
	p.wall_ms = 700;
	p.grace_ms = 0;
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_HELD);
	job = pidfd_of(d.report.job_pid);
	init = pidfd_of(d.report.init_pid);
	drive_go(&d);
	assert_lives(job);
	assert_int_equal(kill(d.launcher, SIGSTOP), 0);
	assert_lives(job);
	assert_dies(job);
	assert_dies(init);
	assert_int_equal(kill(d.launcher, SIGCONT), 0);
	assert_int_equal(drive_finish(&d) & 0x7f, SIGKILL);
	assert_int_equal(d.exited.flags, EXITED_BY_DEADLINE);
	assert_int_equal(drive_end(&d), 0);
}

/* The deadline is init's own: a stopped launcher delays nothing. */
static void
test_deadline_with_stopped_launcher(void **state)
{
	(void)state;
	ended_by_deadline(STUBBORN, 0);
}

/* Where Landlock keeps no signals in: each thread's own are read before those
 * of the process, of which the deadline is one. */
static void
test_deadline_beside_a_flood(void **state)
{
	(void)state;
	ended_by_deadline("exec perl -e '$i = pack(\"i3 x116\", 37, 0, -1); "
			  "syscall(297, 1, 1, 37, $i) while 1'",
	    CONTROL_BIT(CTL_LANDLOCK));
}

static void
test_kill(void **state)
{
	(void)state;
	/* TERM is enough for one that takes it, also while it is stopped. */
	start("trap 'exit 5' TERM; echo up; kill -STOP $$; sleep 60", true);
	drive_kill(&d, 30000);
	assert_int_equal(drive_finish(&d), 5 << 8);
	assert_int_equal(d.exited.flags, EXITED_BY_KILL);
	assert_int_equal(drive_end(&d), 0);
	/* After the grace, and without one. */
	for (uint32_t grace = 0; grace <= 200; grace += 200) {
		start(STUBBORN, true);
		drive_kill(&d, grace);
		assert_int_equal(drive_finish(&d) & 0x7f, SIGKILL);
		assert_int_equal(d.exited.flags, EXITED_BY_KILL);
		assert_int_equal(drive_end(&d), 0);
	}
	/* Held and never released. */
	start(STUBBORN, false);
	drive_kill(&d, 1000);
	assert_int_equal(drive_end(&d), 1 << 8);
}

/* All that daemonises dies with the job. */
static void
test_daemons_die(void **state)
{
	int daemon;

	(void)state;
	start("(trap '' TERM HUP; setsid sh -c 'grep NSpid /proc/self/status; "
	      "exec sleep 300' <&- 2>&- &); sleep 1; exit 2",
	    true);
	daemon = pidfd_of(d.report.init_pid);
	assert_int_equal(drive_finish(&d), 2 << 8);
	assert_dies(daemon);
	assert_int_equal(drive_end(&d), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_launcher_killed),
	    cmocka_unit_test(test_broker_closes),
	    cmocka_unit_test(test_broker_killed),
	    cmocka_unit_test(test_init_killed),
	    cmocka_unit_test(test_deadline_with_stopped_launcher),
	    cmocka_unit_test(test_deadline_beside_a_flood),
	    cmocka_unit_test(test_kill),
	    cmocka_unit_test(test_daemons_die),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
