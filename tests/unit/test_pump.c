/* pump.c: what passes, what is kept, and the limit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pump_fixture.h"

#define BIG ((size_t)1 << 20)

static void
test_pass_to_file(void **state)
{
	static const char text[] = "every \0 byte \xff\033[2J\r\n";
	int file = temp_file();
	struct rig r = open_pump(file, 1000, false);
	struct job_stream s;
	char want[SHA256_DIGEST_STRING_LENGTH];

	(void)state;
	write_all(r.job, text, sizeof(text));
	assert_int_equal(turn(r.p, 1000), PUMP_OPEN);
	write_all(r.job, "more", 4);
	close(r.job);
	assert_int_equal(run_pump(r.p), PUMP_EOF);
	finish(&r, &s);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_content(file, "every \0 byte \xff\033[2J\r\n\0more",
	    sizeof(text) + 4);
	assert_int_equal(s.bytes_seen, sizeof(text) + 4);
	assert_int_equal(s.bytes_kept, sizeof(text) + 4);
	assert_false(s.is_truncated);
	assert_null(s.text);
	assert_string_equal(s.sha256,
	    SHA256Data((const uint8_t *)"every \0 byte \xff\033[2J\r\n\0more",
		sizeof(text) + 4, want));
	close(file);
}

/* Exactly the limit is a complete output; one byte more is not. */
static void
test_limit(void **state)
{
	struct job_stream s;

	(void)state;
	for (size_t extra = 0; extra < 2; extra++) {
		int file = temp_file();
		struct rig r = open_pump(file, 5, false);
		write_all(r.job, "12345X", 5 + extra);
		if (extra > 0)
			assert_int_equal(run_pump(r.p), PUMP_LIMIT);
		close(r.job);
		assert_int_equal(run_pump(r.p), PUMP_EOF);
		finish(&r, &s);
		assert_int_equal(lseek(file, 0, SEEK_SET), 0);
		assert_content(file, "12345", 5);
		assert_int_equal(s.bytes_seen, 5 + extra);
		assert_int_equal(s.bytes_kept, 5);
		assert_int_equal(s.is_truncated, extra > 0);
		close(file);
	}
}

/* The byte beyond comes alone, after the limit was reached. */
static void
test_limit_later(void **state)
{
	int file = temp_file();
	struct rig r = open_pump(file, 3, false);
	struct pollfd fds[2];

	(void)state;
	write_all(r.job, "abc", 3);
	assert_int_equal(turn(r.p, 1000), PUMP_OPEN);
	write_all(r.job, "d", 1);
	assert_int_equal(turn(r.p, 1000), PUMP_LIMIT);
	assert_int_equal(pump_polls(r.p, fds), 0);
	assert_int_equal(pump_step(r.p, fds, 0), PUMP_EOF);
	close(r.job);
	pump_free(r.p);
	close(file);
}

/* Nobody reads, and the stream is given up: what was not passed on is told. */
static void
test_given_up(void **state)
{
	char *bytes = calloc(1, 65536);
	struct job_stream s;
	int sink[2];

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(pipe2(sink, O_CLOEXEC), 0);
	assert_int_equal(fcntl(sink[1], F_SETPIPE_SZ, 4096), 4096);
	struct rig r = open_pump(sink[1], 1000000, false);
	write_all(r.job, bytes, 20000);
	close(r.job);
	assert_int_equal(turn(r.p, 1000), PUMP_OPEN);
	finish(&r, &s);
	assert_int_equal(s.bytes_seen, 20000);
	assert_int_equal(s.bytes_kept, 4096);
	assert_true(s.is_truncated);
	close(sink[1]);
	assert_content(sink[0], bytes, 4096);
	close(sink[0]);
	free(bytes);
}

/* A stream that is given up leaves no colour on, or it is told. */
static void
test_given_up_coloured(void **state)
{
	char bytes[4096] = "";
	struct job_stream s;

	(void)state;
	for (size_t full = 0; full < 2; full++) {
		int sink[2];
		assert_int_equal(pipe2(sink, O_CLOEXEC), 0);
		assert_int_equal(fcntl(sink[1], F_SETPIPE_SZ, 4096), 4096);
		struct rig r = open_pump(sink[1], 100, true);
		write_all(r.job, "\033[8mx", 5);
		assert_int_equal(turn(r.p, 1000), PUMP_OPEN);
		write_all(sink[1], bytes, full * (4096 - 5));
		memset(&s, 0, sizeof(s));
		assert_int_equal(pump_finish(r.p, &s), 0);
		assert_int_equal(pump_is_coloured(r.p), full);
		pump_free(r.p);
		close(r.job);
		close(sink[1]);
		if (!full)
			assert_content(sink[0], "\033[8mx\033[0m", 9);
		close(sink[0]);
	}
}

/* What the limit permits goes on even when the sink was slow. */
static void
test_limit_slow_sink(void **state)
{
	int sink[2];
	char *bytes = calloc(1, BIG);
	struct job_stream s;
	size_t limit = 100000;
	enum pump_status status = PUMP_OPEN;
	bool was_told = false;

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(pipe2(sink, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(fcntl(sink[1], F_SETFL, 0), 0);
	struct rig r = open_pump(sink[1], limit, false);
	assert_int_equal(fcntl(r.job, F_SETFL, O_NONBLOCK), 0);
	size_t got = 0;
	for (int i = 0; i < 10000 && status != PUMP_EOF; i++) {
		(void)!write(r.job, bytes, 65536);
		status = turn(r.p, 0);
		was_told = was_told || status == PUMP_LIMIT;
		ssize_t n = read(sink[0], bytes, 1000);
		got += n > 0 ? (size_t)n : 0;
	}
	assert_true(was_told);
	assert_int_equal(status, PUMP_EOF);
	for (ssize_t n; (n = read(sink[0], bytes, BIG)) > 0;)
		got += (size_t)n;
	assert_int_equal(got, limit);
	close(r.job);
	finish(&r, &s);
	assert_true(s.is_truncated);
	close(sink[0]);
	close(sink[1]);
	free(bytes);
}

static void
test_failed(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct pump_options bad = {999, 1, false, -1};
	struct diag d = {.code = DIAG_NONE};
	struct pump *p = NULL;
	int job = 0;

	(void)state;
	assert_true(full >= 0);
	struct rig r = open_pump(full, 100, false);
	write_all(r.job, "x", 1);
	errno = 0;
	assert_int_equal(run_pump(r.p), PUMP_FAILED);
	assert_int_equal(errno, ENOSPC);
	close(r.job);
	pump_free(r.p);
	close(full);
	assert_int_equal(pump_open(&p, &bad, &job, &d), -1);
	assert_int_equal(d.code, DIAG_INTERNAL);
	assert_non_null(strstr(d.message, "Bad file descriptor"));
	assert_null(p);
	assert_int_equal(job, -1);
	pump_free(NULL);
}

/* No descriptor is left for the pipe. */
static void
test_no_descriptors(void **state)
{
	struct pump_options o = {-1, 1, false, -1};
	struct diag d = {.code = DIAG_NONE};
	struct rlimit old, less;
	struct pump *p = NULL;
	int job = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	less = old;
	less.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
	assert_int_equal(pump_open(&p, &o, &job, &d), -1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_non_null(strstr(d.message, "Too many open files"));
	assert_null(p);
	assert_int_equal(job, -1);
}

static void
test_keep(void **state)
{
	struct rig r = open_pump(-1, 8, false);
	struct job_stream s;
	struct pollfd fds[2];

	(void)state;
	write_all(r.job, "abcdefghij", 10);
	assert_int_equal(turn(r.p, 1000), PUMP_OPEN);
	assert_int_equal(pump_polls(r.p, fds), 1);
	write_all(r.job, "klmnopqrstuvwxyz", 16);
	close(r.job);
	assert_int_equal(run_pump(r.p), PUMP_EOF);
	finish(&r, &s);
	assert_string_equal(s.text, "abcdefyz");
	assert_string_equal(s.encoding, "utf-8");
	assert_int_equal(s.bytes_seen, 26);
	assert_int_equal(s.bytes_kept, 8);
	assert_true(s.is_truncated);
	assert_string_equal(s.sha256,
	    "71c480df93d6ae2f1efad1447c66c9525e31621"
	    "8cf51fc8d9ed832f2daf18b73");
	free(s.text);
}

static void
test_keep_nothing(void **state)
{
	struct rig r = open_pump(-1, 8, false);
	struct job_stream s;

	(void)state;
	close(r.job);
	assert_int_equal(run_pump(r.p), PUMP_EOF);
	finish(&r, &s);
	assert_string_equal(s.text, "");
	assert_int_equal(s.bytes_seen, 0);
	assert_false(s.is_truncated);
	free(s.text);
}

/* Whose output nobody reads is told before it says anything; what was written
 * to the end is an end all the same. */
static void
test_reader_gone(void **state)
{
	struct diag d = {.code = DIAG_NONE};
	struct rig r = {NULL, -1};
	int sink[2];

	(void)state;
	for (int kept = 0; kept < 2; kept++) {
		assert_int_equal(pipe2(sink, O_CLOEXEC), 0);
		struct pump_options o = {kept ? -1 : sink[1], 100, false,
		    sink[1]};
		assert_int_equal(pump_open(&r.p, &o, &r.job, &d), 0);
		assert_int_equal(turn(r.p, 0), PUMP_OPEN);
		close(sink[0]);
		assert_int_equal(turn(r.p, 1000), PUMP_CLOSED);
		close(r.job);
		assert_int_equal(turn(r.p, 1000), PUMP_EOF);
		pump_free(r.p);
		close(sink[1]);
	}
}

/* One that cannot be polled is not asked for ever. */
static void
test_reader_unknown(void **state)
{
	int path = open("/dev/null", O_PATH | O_CLOEXEC);
	struct pump_options o = {-1, 100, false, path};
	struct diag d = {.code = DIAG_NONE};
	struct rig r = {NULL, -1};
	struct pollfd fds[2];

	(void)state;
	assert_true(path >= 0);
	assert_int_equal(pump_open(&r.p, &o, &r.job, &d), 0);
	assert_int_equal(turn(r.p, 0), PUMP_OPEN);
	assert_int_equal(poll(fds, pump_polls(r.p, fds), 0), 0);
	close(r.job);
	assert_int_equal(turn(r.p, 1000), PUMP_EOF);
	pump_free(r.p);
	close(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pass_to_file),
	    cmocka_unit_test(test_limit),
	    cmocka_unit_test(test_limit_later),
	    cmocka_unit_test(test_given_up),
	    cmocka_unit_test(test_given_up_coloured),
	    cmocka_unit_test(test_limit_slow_sink),
	    cmocka_unit_test(test_failed),
	    cmocka_unit_test(test_no_descriptors),
	    cmocka_unit_test(test_reader_gone),
	    cmocka_unit_test(test_reader_unknown),
	    cmocka_unit_test(test_keep),
	    cmocka_unit_test(test_keep_nothing),
	};

	/* As run.c does: a closed sink is an errno.  Nothing may ever wait. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
