/*
 * feed_fixture.h - a feed with its job's end, run.c's loop around it, and the
 * three kinds of stdin that can be given back.
 */
#ifndef TESTS_FEED_FIXTURE_H
#define TESTS_FEED_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streams.h"

#define SMALL_LEN 30000U

struct rig {
	struct feed *f;
	int job; /* the job's end; -1: it has closed it */
};

static inline struct rig
open_feed(int from)
{
	struct rig r = {NULL, -1};
	struct diag d = {.code = DIAG_NONE};

	assert_int_equal(feed_open(&r.f, from, &r.job, &d), 0);
	assert_true(r.job >= 0);
	assert_int_equal(fcntl(r.job, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(r.job, F_GETFL) & O_NONBLOCK, 0);
	return (r);
}

/* One turn of run.c's loop. */
static inline int
turn(struct feed *f)
{
	struct pollfd fds[2];
	unsigned int n = feed_polls(f, fds);

	assert_true(n <= 2);
	assert_true(poll(fds, n, 0) >= 0);
	return (feed_step(f, fds, n));
}

/* The job reads n bytes, which must be those of want. */
static inline void
job_reads(struct rig *r, const char *want, size_t n)
{
	char got[4096];
	size_t have = 0;

	assert_true(n <= sizeof(got));
	for (int i = 0; i < 100 && have < n; i++) {
		struct pollfd pfd = {.fd = r->job, .events = POLLIN};
		assert_true(turn(r->f) >= 0);
		if (poll(&pfd, 1, 0) != 1)
			continue;
		ssize_t some = read(r->job, got + have, n - have);
		assert_true(some > 0);
		have += (size_t)some;
	}
	assert_int_equal(have, n);
	assert_memory_equal(got, want, n);
}

/* The job sees the end of its stdin. */
static inline void
job_reads_end(struct rig *r)
{
	struct pollfd pfd = {.fd = r->job, .events = POLLIN};
	char c;

	for (int i = 0; i < 100; i++) {
		int rc = turn(r->f);
		assert_true(rc >= 0);
		if (rc == 1)
			break;
	}
	assert_int_equal(poll(&pfd, 1, 0), 1);
	assert_int_equal(read(r->job, &c, 1), 0);
	assert_int_equal(turn(r->f), 1);
}

static inline void
finish(struct rig *r)
{
	if (r->job != -1)
		close(r->job);
	assert_int_equal(feed_finish(r->f), 0);
	feed_free(r->f);
}

static inline const char *
numbers(void)
{
	static char text[SMALL_LEN + 16];

	for (size_t i = 0; i < SMALL_LEN; i += 6)
		(void)snprintf(text + i, 7, "%05zu\n", i / 6);
	return (text);
}

/* The three kinds that can be given back. */
enum kind {
	A_FILE,
	A_PIPE,
	A_SOCKET
};

/* One of them that holds numbers() and then ends. */
static inline int
make_from(enum kind kind)
{
	char path[] = "/tmp/agsbx-test-XXXXXX";
	int ends[2] = {-1, -1};

	if (kind == A_FILE) {
		ends[0] = mkstemp(path);
		assert_int_equal(unlink(path), 0);
		ends[1] = dup(ends[0]);
	} else if (kind == A_PIPE) {
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	} else {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC,
				     0, ends),
		    0);
	}
	assert_int_equal(write(ends[1], numbers(), SMALL_LEN), SMALL_LEN);
	close(ends[1]);
	if (kind == A_FILE)
		assert_int_equal(lseek(ends[0], 0, SEEK_SET), 0);
	return (ends[0]);
}

/* All that is left in from is numbers() from offset on. */
static inline void
assert_left(int from, size_t offset)
{
	static char got[SMALL_LEN + 1];
	size_t have = 0;

	for (ssize_t n; (n = read(from, got + have, sizeof(got) - have)) > 0;)
		have += (size_t)n;
	assert_int_equal(have, SMALL_LEN - offset);
	assert_memory_equal(got, numbers() + offset, have);
	close(from);
}

#endif
