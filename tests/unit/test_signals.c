/*
 * Signals as a descriptor, what the caller ignored, and the end by a signal.
 * Each test is a child's: what it blocks and ignores is its own.
 */
#include "child_fixture.h"

#include <signal.h>

#include "io.h"
#include "signals.h"

static int
open_signals(void)
{
	struct diag d = {0};
	int fd = signals_open(&d);

	CHECK(fd >= 0);
	CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	return (fd);
}

/* One record each, in the kernel's order: by number. */
static void
child_reads(void)
{
	int fd = open_signals();

	CHECK(signals_read(fd) == 0);
	CHECK(raise(SIGTERM) == 0 && raise(SIGINT) == 0 && raise(SIGHUP) == 0);
	CHECK(signals_read(fd) == SIGHUP);
	CHECK(signals_read(fd) == SIGINT);
	CHECK(signals_read(fd) == SIGTERM);
	CHECK(signals_read(fd) == 0);
	io_close(&fd);
}

/* nohup, and a shell's job in the background. */
static void
child_ignores(void)
{
	int fd;

	CHECK(signal(SIGHUP, SIG_IGN) != SIG_ERR);
	CHECK(signal(SIGINT, SIG_IGN) != SIG_ERR);
	fd = open_signals();
	CHECK(raise(SIGHUP) == 0 && raise(SIGINT) == 0);
	CHECK(signals_read(fd) == 0);
	CHECK(raise(SIGTERM) == 0 && signals_read(fd) == SIGTERM);
	io_close(&fd);
}

static void
test_read(void **state)
{
	(void)state;
	in_child(child_reads);
	in_child(child_ignores);
}

/* What is no signalfd, or gives less than a record, is no signal. */
static void
test_read_fails(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(signals_read(-1), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "half", 4), 4);
	assert_int_equal(signals_read(ends[0]), -1);
	assert_int_equal(errno, EIO);
	io_close(&ends[1]);
	errno = 0;
	assert_int_equal(signals_read(ends[0]), -1);
	assert_int_equal(errno, EIO);
	io_close(&ends[0]);
}

static void
check_refused(int nr, int err, const char *why)
{
	struct diag d = {0};

	break_syscall(nr, err);
	CHECK(signals_open(&d) == -1);
	CHECK(d.code == DIAG_INTERNAL);
	check_says(d.message, "cannot watch for signals: ");
	check_says(d.message, why);
}

static void
child_no_descriptor(void)
{
	check_refused(SYS_signalfd4, EMFILE, "Too many open files");
}

static void
child_no_mask(void)
{
	check_refused(SYS_rt_sigprocmask, EPERM, "Operation not permitted");
}

static void
child_no_action(void)
{
	check_refused(SYS_rt_sigaction, EFAULT, "Bad address");
}

static void
test_refused(void **state)
{
	(void)state;
	in_child(child_no_descriptor);
	in_child(child_no_mask);
	in_child(child_no_action);
}

/* What came and was not read ends the process as soon as it is let go. */
static void
child_releases(void)
{
	(void)open_signals();
	CHECK(raise(SIGHUP) == 0);
	signals_release();
}

static void
child_reraises(void)
{
	/* Ignored and blocked, and all the same the end. */
	CHECK(signal(SIGTERM, SIG_IGN) != SIG_ERR);
	(void)open_signals();
	exit(signals_reraise(SIGTERM));
}

/* The default action of SIGPIPE has to come back as well. */
static void
child_reraises_pipe(void)
{
	sigset_t set;

	CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	CHECK(sigemptyset(&set) == 0 && sigaddset(&set, SIGPIPE) == 0 &&
	    sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	exit(signals_reraise(SIGPIPE));
}

/* No default action can be set: a shell's number for it is what is left. */
static void
child_cannot_reraise(void)
{
	break_syscall(SYS_rt_sigaction, EINVAL);
	exit(signals_reraise(SIGTERM));
}

static void
test_end(void **state)
{
	int status = status_of(child_releases);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGHUP);
	status = status_of(child_reraises);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	status = status_of(child_reraises_pipe);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGPIPE);
	status = status_of(child_cannot_reraise);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read),
	    cmocka_unit_test(test_read_fails),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_end),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
