/*
 * feed.c: what the job read, and no more, is gone from our stdin: files, pipes
 * and sockets.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "feed_fixture.h"

static void
each_kind(void (*test)(enum kind kind))
{
	test(A_FILE);
	test(A_PIPE);
	test(A_SOCKET);
}

static void
reads_some(enum kind kind)
{
	for (size_t n = 0; n < 4096; n += 585) {
		int from = make_from(kind);
		struct rig r = open_feed(from);
		assert_int_equal(turn(r.f), 0);
		job_reads(&r, numbers(), n);
		assert_int_equal(turn(r.f), 0);
		finish(&r);
		assert_left(from, n);
	}
}

static void
test_reads_some(void **state)
{
	(void)state;
	each_kind(reads_some);
}

/* Over page borders, and on a page border exactly. */
static void
reads_pages(enum kind kind)
{
	static const size_t pieces[][4] = {{4096, 0, 0, 0}, {4096, 1, 0, 0},
	    {4000, 96, 4096, 0}, {4000, 100, 4090, 4000},
	    {4096, 4096, 4096, 4095}};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		int from = make_from(kind);
		struct rig r = open_feed(from);
		size_t done = 0;
		for (size_t j = 0; j < 4; j++) {
			job_reads(&r, numbers() + done, pieces[i][j]);
			done += pieces[i][j];
		}
		assert_int_equal(turn(r.f), 0);
		finish(&r);
		assert_left(from, done);
	}
}

static void
test_reads_pages(void **state)
{
	(void)state;
	each_kind(reads_pages);
}

/* The job reads a line, closes its stdin and goes on. */
static void
closes_early(enum kind kind)
{
	int from = make_from(kind);
	struct rig r = open_feed(from);
	struct pollfd fds[2];

	job_reads(&r, numbers(), 6);
	close(r.job);
	r.job = -1;
	assert_int_equal(turn(r.f), 1);
	assert_int_equal(feed_polls(r.f, fds), 0);
	finish(&r);
	assert_left(from, 6);
}

static void
test_closes_early(void **state)
{
	(void)state;
	each_kind(closes_early);
}

/* It closes before anything was shown, and between two pages. */
static void
closes_between(enum kind kind)
{
	int from = make_from(kind);
	struct rig r = open_feed(from);

	close(r.job);
	r.job = -1;
	assert_int_equal(turn(r.f), 1);
	finish(&r);
	r = open_feed(from);
	job_reads(&r, numbers(), 4096);
	close(r.job);
	r.job = -1;
	assert_int_equal(turn(r.f), 1);
	finish(&r);
	assert_left(from, 4096);
}

static void
test_closes_between(void **state)
{
	(void)state;
	each_kind(closes_between);
}

static void
reads_all(enum kind kind)
{
	int from = make_from(kind);
	struct rig r = open_feed(from);

	for (size_t done = 0; done < SMALL_LEN; done += 3000)
		job_reads(&r, numbers() + done, 3000);
	job_reads_end(&r);
	finish(&r);
	assert_left(from, SMALL_LEN);
}

static void
test_reads_all(void **state)
{
	(void)state;
	each_kind(reads_all);
}

/* Never started, or started and never read: all of it is still there. */
static void
reads_nothing(enum kind kind)
{
	int from = make_from(kind);
	struct rig r = open_feed(from);

	finish(&r);
	r = open_feed(from);
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(turn(r.f), 0);
	finish(&r);
	assert_left(from, 0);
}

static void
test_reads_nothing(void **state)
{
	(void)state;
	each_kind(reads_nothing);
}

/* Lines that come one by one, and a writer that waits. */
static void
comes_slowly(enum kind kind)
{
	int ends[2];
	struct pollfd fds[2];

	if (kind == A_FILE)
		return;
	if (kind == A_PIPE)
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	else
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC,
				     0, ends),
		    0);
	struct rig r = open_feed(ends[0]);
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(feed_polls(r.f, fds), 2);
	assert_int_equal(poll(fds, 2, 0), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(write(ends[1], "line\n", 5), 5);
		job_reads(&r, "line\n", 5);
	}
	assert_int_equal(write(ends[1], "ab", 2), 2);
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(write(ends[1], "cd", 2), 2);
	job_reads(&r, "abcd", 4);
	close(ends[1]);
	job_reads_end(&r);
	finish(&r);
	close(ends[0]);
}

static void
test_comes_slowly(void **state)
{
	(void)state;
	each_kind(comes_slowly);
}

/* Another reader of our stdin takes what was shown: we never wait for it. */
static void
other_reader(enum kind kind)
{
	int from = make_from(kind);
	struct rig r = open_feed(from);
	static char all[SMALL_LEN];

	if (kind == A_FILE) {
		finish(&r);
		close(from);
		return;
	}
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(read(from, all, 4090), 4090);
	job_reads(&r, numbers(), 4096);
	assert_int_equal(turn(r.f), 0);
	while (read(from, all, sizeof(all)) > 0)
		;
	finish(&r);
	close(from);
}

static void
test_other_reader(void **state)
{
	(void)state;
	each_kind(other_reader);
}

/* A job that fills its own stdin pipe gains nothing. */
static void
test_job_writes_its_stdin(void **state)
{
	int from = make_from(A_PIPE);
	struct rig r = open_feed(from);
	char path[64];
	char bytes[4096] = "";

	(void)state;
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(fcntl(r.job, F_SETPIPE_SZ, 65536), 65536);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", r.job);
	int again = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(again >= 0);
	assert_int_equal(write(again, bytes, sizeof(bytes)), sizeof(bytes));
	close(again);
	finish(&r);
	/* More unread bytes than were shown: nothing is taken. */
	assert_left(from, 0);
}

/* No spin on a source that is ready while the job keeps its own pipe full; what
 * comes after the job's own bytes is whole. */
static void
fills_its_stdin(enum kind kind)
{
	int from = make_from(kind);
	struct rig r = open_feed(from);
	char path[64], bytes[4096] = "";
	struct pollfd fds[2];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", r.job);
	int again = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(again >= 0);
	assert_int_equal(write(again, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(poll(fds, feed_polls(r.f, fds), 0), 0);
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(poll(fds, feed_polls(r.f, fds), 0), 0);
	assert_int_equal(read(r.job, bytes, sizeof(bytes)), sizeof(bytes));
	job_reads(&r, numbers(), 4096);
	close(again);
	finish(&r);
	assert_left(from, 4096);
}

static void
test_job_fills_its_stdin(void **state)
{
	(void)state;
	each_kind(fills_its_stdin);
}

/* `while read x; do agsbx run -- head -n1; done`, without processes. */
static void
test_shared_offset(void **state)
{
	int from = make_from(A_FILE);
	char line[6];

	(void)state;
	for (size_t i = 0; i < 100; i += 2) {
		assert_int_equal(read(from, line, 6), 6);
		assert_memory_equal(line, numbers() + i * 6, 6);
		struct rig r = open_feed(from);
		job_reads(&r, numbers() + (i + 1) * 6, 6);
		finish(&r);
	}
	assert_left(from, 600);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_some),
	    cmocka_unit_test(test_reads_pages),
	    cmocka_unit_test(test_closes_early),
	    cmocka_unit_test(test_closes_between),
	    cmocka_unit_test(test_reads_all),
	    cmocka_unit_test(test_reads_nothing),
	    cmocka_unit_test(test_comes_slowly),
	    cmocka_unit_test(test_other_reader),
	    cmocka_unit_test(test_job_writes_its_stdin),
	    cmocka_unit_test(test_job_fills_its_stdin),
	    cmocka_unit_test(test_shared_offset),
	};

	/* As run.c does: a closed stdin is an errno.  Nothing may ever wait. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
