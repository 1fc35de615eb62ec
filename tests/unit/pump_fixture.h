/*
 * pump_fixture.h - a pump with its job's end, and run.c's loop around it.
 */
#ifndef TESTS_PUMP_FIXTURE_H
#define TESTS_PUMP_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streams.h"

struct rig {
	struct pump *p;
	int job; /* the job's end */
};

static inline struct rig
open_pump(int sink, uint64_t limit, bool is_terminal)
{
	struct pump_options o = {sink, limit, is_terminal, -1};
	struct rig r = {NULL, -1};
	struct diag d = {.code = DIAG_NONE};

	assert_int_equal(pump_open(&r.p, &o, &r.job, &d), 0);
	assert_true(r.job >= 0);
	assert_int_equal(fcntl(r.job, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(r.job, F_GETFL) & O_NONBLOCK, 0);
	return (r);
}

/* One turn of run.c's loop. */
static inline enum pump_status
turn(struct pump *p, int timeout)
{
	struct pollfd fds[2];
	unsigned int n = pump_polls(p, fds);

	assert_true(n <= 2);
	assert_true(poll(fds, n, timeout) >= 0);
	return (pump_step(p, fds, n));
}

/* Turns until nothing moves for a moment; the last status that was news. */
static inline enum pump_status
run_pump(struct pump *p)
{
	enum pump_status status = PUMP_OPEN;

	for (int i = 0; i < 1000 && status == PUMP_OPEN; i++)
		status = turn(p, 5);
	return (status);
}

static inline void
finish(struct rig *r, struct job_stream *s)
{
	memset(s, 0, sizeof(*s));
	assert_int_equal(pump_finish(r->p, s), 0);
	pump_free(r->p);
}

static inline void
write_all(int fd, const void *bytes, size_t len)
{
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
}

static inline void
assert_content(int fd, const void *want, size_t len)
{
	char *got = malloc(len + 1);

	assert_non_null(got);
	size_t have = 0;
	for (ssize_t n; have <= len; have += (size_t)n)
		if ((n = read(fd, got + have, len + 1 - have)) <= 0)
			break;
	assert_int_equal(have, len);
	assert_memory_equal(got, want, len);
	free(got);
}

static inline int
temp_file(void)
{
	char path[] = "/tmp/agsbx-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	return (fd);
}

#endif
