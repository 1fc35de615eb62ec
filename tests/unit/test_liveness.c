/*
 * test_liveness.c - the lock of a broker: seen while it lives, from this and
 * other processes, gone however it dies.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ledger_fixture.h"

static void
a_held_byte_is_seen(void **state)
{
	struct diag d = {0};
	int64_t one, other;
	int fd, fd2;

	assert_int_equal(liveness_probe(*state, 5, &d), 0); /* no file yet */
	assert_true(liveness_is_lost(*state));
	fd = liveness_take(*state, &one, &d);
	assert_true(fd >= 0);
	assert_false(liveness_is_lost(*state));
	assert_true(one >= 1 && one <= INT64_C(1) << 40);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(liveness_probe(*state, one, &d), 1);
	assert_int_equal(liveness_probe(*state, one + 1, &d), 0);
	fd2 = liveness_take(*state, &other, &d);
	assert_true(fd2 >= 0);
	assert_int_not_equal(one, other);
	assert_int_equal(close(fd), 0);
	assert_int_equal(liveness_probe(*state, one, &d), 0);
	assert_int_equal(liveness_probe(*state, other, &d), 1);
	assert_int_equal(close(fd2), 0);
}

static void
a_killed_holder_is_free(void **state)
{
	struct diag d = {0};
	int64_t byte = 0;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid != -1);
	if (pid == 0) {
		if (liveness_take(*state, &byte, &d) == -1 ||
		    write(fds[1], &byte, sizeof(byte)) != sizeof(byte))
			_exit(1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(fds[0], &byte, sizeof(byte)), sizeof(byte));
	assert_int_equal(liveness_probe(*state, byte, &d), 1);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(liveness_probe(*state, byte, &d), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(liveness_probe(*state, byte, &d), 0);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
}

static void
bad_places_are_told(void **state)
{
	struct diag d = {0};
	char path[2048], longer[3000];
	int64_t byte;

	(void)snprintf(path, sizeof(path), "%s/agsbx.lock", (char *)*state);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(liveness_take(*state, &byte, &d), -1);
	assert_int_equal(d.code, DIAG_LEDGER);
	assert_non_null(strstr(d.message, "Is a directory"));
	assert_int_equal(liveness_probe(*state, 1, &d), -1);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/tmp/x", path), 0);
	assert_int_equal(liveness_take(*state, &byte, &d), -1);
	assert_non_null(strstr(d.message, strerror(ELOOP)));
	assert_int_equal(liveness_probe(*state, 1, &d), -1);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(liveness_take(longer, &byte, &d), -1);
	assert_non_null(strstr(d.message, strerror(ENAMETOOLONG)));
	assert_int_equal(liveness_probe(longer, 1, &d), -1);
	assert_int_equal(liveness_take("/nonexistent/agsbx", &byte, &d), -1);
	assert_non_null(strstr(d.message, strerror(ENOENT)));
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(a_held_byte_is_seen),
	    TEST(a_killed_holder_is_free),
	    TEST(bad_places_are_told),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
