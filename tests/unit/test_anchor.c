/*
 * test_anchor.c - the line that reaches the system log, a log that is not
 * there, one that takes nothing any more, and one that went away.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "anchor.h"
#include "ledger_fixture.h"

static const struct origin origin = {.file = "policy.conf", .line = 3};
static const struct ledger_anchor head = {.seq = 12, .hash = "abc"};

/* A system log of our own in dir. */
static int
make_log(const char *dir)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd != -1);
	assert_true(strlcpy(addr.sun_path, fixture_path(dir, "log"),
			sizeof(addr.sun_path)) < sizeof(addr.sun_path));
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return (fd);
}

static void
a_line_is_written(void **state)
{
	struct diag d = {0};
	char line[512], want[512];
	int log = make_log(*state), fd;
	ssize_t n;

	fd = anchor_open(fixture_path(*state, "log"), &origin, &d);
	assert_true(fd != -1);
	assert_int_equal(anchor_write(fd, "/state", "JOB", &head), 0);
	n = read(log, line, sizeof(line) - 1);
	assert_true(n > 0);
	line[n] = '\0';
	(void)snprintf(want, sizeof(want),
	    "<85>agsbx[%d]: anchor 12:abc job JOB ledger /state",
	    (int)getpid());
	assert_string_equal(line, want);
	assert_int_equal(close(fd), 0);
	assert_int_equal(close(log), 0);
}

static void
no_log_is_an_error(void **state)
{
	struct diag d = {0};

	assert_int_equal(anchor_open(fixture_path(*state, "none"), &origin, &d),
	    -1);
	assert_int_equal(d.code, DIAG_POLICY);
	assert_int_equal(d.line, 3);
	assert_non_null(strstr(d.message,
	    "policy.conf:3: anchor = syslog: no system log can be written: "));
	assert_non_null(strstr(d.message, "none: No such file or directory"));
}

static void
a_log_that_takes_nothing_is_no_success(void **state)
{
	struct diag d = {0};
	int log = make_log(*state), fd, written = 0;

	fd = anchor_open(fixture_path(*state, "log"), &origin, &d);
	assert_true(fd != -1);
	/* Its queue is finite, and nobody reads it. */
	while (
	    written < 100000 && anchor_write(fd, "/state", "JOB", &head) == 0)
		written++;
	assert_true(written < 100000);
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(close(log), 0);
	assert_int_equal(anchor_write(fd, "/state", "JOB", &head), -1);
	assert_int_equal(errno, ECONNREFUSED);
	assert_int_equal(close(fd), 0);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(a_line_is_written),
	    TEST(no_log_is_an_error),
	    TEST(a_log_that_takes_nothing_is_no_success),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
