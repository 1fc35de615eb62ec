/* sink.c, under a pump: slow, shared and closed pipes, sockets, terminals. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "pump_fixture.h"
#include "sink.h"

#define BIG ((size_t)1 << 20)

/* A sink that nobody reads stops the source and never blocks us. */
static void
check_blocked(int writer, int reader, size_t chunk)
{
	struct rig r = open_pump(writer, UINT64_MAX, false);
	char *bytes = calloc(1, BIG);
	size_t in = 0, out = 0;
	struct pollfd fds[2];

	assert_non_null(bytes);
	assert_int_equal(fcntl(r.job, F_SETFL, O_NONBLOCK), 0);
	for (int i = 0; i < 2000; i++) {
		ssize_t n = write(r.job, bytes, 65536);
		in += n > 0 ? (size_t)n : 0;
		assert_int_equal(turn(r.p, 0), PUMP_OPEN);
	}
	assert_int_equal(pump_polls(r.p, fds), 1);
	assert_int_equal(fds[0].events, POLLOUT);
	assert_true(in < BIG);
	close(r.job);
	enum pump_status status = PUMP_OPEN;
	for (int i = 0; i < 100000 && (status == PUMP_OPEN || out < in); i++) {
		ssize_t n = recv(reader, bytes, chunk, MSG_DONTWAIT);
		if (n == -1 && errno == ENOTSOCK)
			n = read(reader, bytes, chunk);
		out += n > 0 ? (size_t)n : 0;
		if (status == PUMP_OPEN)
			status = turn(r.p, 0);
	}
	assert_int_equal(status, PUMP_EOF);
	assert_int_equal(out, in);
	assert_int_equal(fcntl(writer, F_GETFL) & O_NONBLOCK, 0);
	pump_free(r.p);
	free(bytes);
}

static void
test_blocked_pipe(void **state)
{
	int sink[2];

	(void)state;
	assert_int_equal(pipe2(sink, O_CLOEXEC), 0);
	assert_int_equal(fcntl(sink[0], F_SETFL, O_NONBLOCK), 0);
	check_blocked(sink[1], sink[0], 7000);
	close(sink[0]);
	close(sink[1]);
}

static void
test_blocked_socket(void **state)
{
	int sink[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
			     sink),
	    0);
	check_blocked(sink[1], sink[0], 7000);
	close(sink[0]);
	close(sink[1]);
}

/*
 * A pipe that cannot be opened again: two sinks over one description, each
 * write at most PIPE_BUF and only after POLLOUT.
 */
static void
test_shared_pipe(void **state)
{
	int pipe_ends[2];
	struct sink a, b;
	char *bytes = calloc(1, BIG);
	ssize_t n = 0;

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
	assert_int_equal(sink_open(&a, pipe_ends[1]), 0);
	assert_int_equal(sink_open(&b, pipe_ends[1]), 0);
	sink_close(&a);
	sink_close(&b);
	a.fd = b.fd = pipe_ends[1];
	a.must_poll = b.must_poll = true;
	a.write_max = b.write_max = PIPE_BUF;
	for (int i = 0; i < 1000 && n != -1; i++)
		n = sink_write(i % 2 == 0 ? &a : &b, bytes, BIG);
	assert_int_equal(n, -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(read(pipe_ends[0], bytes, PIPE_BUF), PIPE_BUF);
	assert_int_equal(sink_write(&a, bytes, BIG), PIPE_BUF);
	assert_int_equal(sink_write(&b, bytes, BIG), -1);
	assert_int_equal(errno, EAGAIN);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	free(bytes);
}

/* A pipe without a reader cannot be opened again and gives EPIPE. */
static void
test_closed(void **state)
{
	int sinks[2][2];

	(void)state;
	assert_int_equal(pipe2(sinks[0], O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
			     sinks[1]),
	    0);
	for (int i = 0; i < 2; i++) {
		close(sinks[i][0]);
		struct rig r = open_pump(sinks[i][1], 100, false);
		assert_int_equal(turn(r.p, 0), PUMP_OPEN);
		write_all(r.job, "x", 1);
		assert_int_equal(run_pump(r.p), PUMP_CLOSED);
		close(r.job);
		pump_free(r.p);
		close(sinks[i][1]);
	}
}

/* The reader goes away later. */
static void
test_closed_later(void **state)
{
	int sink[2];

	(void)state;
	assert_int_equal(pipe2(sink, O_CLOEXEC), 0);
	struct rig r = open_pump(sink[1], 100, false);
	write_all(r.job, "x", 1);
	assert_int_equal(turn(r.p, 1000), PUMP_OPEN);
	close(sink[0]);
	write_all(r.job, "x", 1);
	assert_int_equal(turn(r.p, 1000), PUMP_CLOSED);
	close(r.job);
	pump_free(r.p);
	close(sink[1]);
}

struct pty {
	int master;
	int slave;
};

static struct pty
open_pty(void)
{
	struct pty p = {-1, -1};
	struct termios t;
	char name[64];

	p.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p.master == -1)
		return (p);
	assert_int_equal(grantpt(p.master), 0);
	assert_int_equal(unlockpt(p.master), 0);
	assert_int_equal(ptsname_r(p.master, name, sizeof(name)), 0);
	p.slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(p.slave >= 0);
	assert_int_equal(tcgetattr(p.slave, &t), 0);
	cfmakeraw(&t);
	assert_int_equal(tcsetattr(p.slave, TCSANOW, &t), 0);
	assert_int_equal(fcntl(p.master, F_SETFL, O_NONBLOCK), 0);
	return (p);
}

static void
close_pty(struct pty *p)
{
	close(p->master);
	close(p->slave);
}

static void
test_terminal(void **state)
{
	struct pty pty = open_pty();
	struct job_stream s;

	(void)state;
	if (pty.master == -1) {
		print_message("no /dev/ptmx here: %s\n", strerror(errno));
		skip();
	}
	struct rig r = open_pump(pty.slave, 100, true);
	write_all(r.job, "a\033[2J\033[31mred \xc3", 15);
	assert_int_equal(turn(r.p, 1000), PUMP_OPEN);
	write_all(r.job, "\xa9\r\xe2", 3);
	close(r.job);
	assert_int_equal(run_pump(r.p), PUMP_EOF);
	finish(&r, &s);
	assert_int_equal(s.bytes_seen, 18);
	assert_int_equal(s.bytes_kept, 18);
	assert_content(pty.master,
	    "a\\x1b[2J\033[31mred \xc3\xa9\\x0d\\xe2\033[0m", 31);
	assert_int_equal(fcntl(pty.slave, F_GETFL) & O_NONBLOCK, 0);
	close_pty(&pty);
}

/* Over the limit on a terminal: no half character, no colour left on. */
static void
test_terminal_limit(void **state)
{
	struct pty pty = open_pty();

	(void)state;
	if (pty.master == -1)
		skip();
	struct rig r = open_pump(pty.slave, 7, true);
	write_all(r.job, "\033[31mx\xc3\xa9", 8);
	assert_int_equal(turn(r.p, 1000), PUMP_LIMIT);
	close(r.job);
	assert_int_equal(run_pump(r.p), PUMP_EOF);
	assert_content(pty.master, "\033[31mx\\xc3\033[0m", 14);
	pump_free(r.p);
	close_pty(&pty);
}

/* A terminal that does not read, then hangs up. */
static void
test_terminal_hangup(void **state)
{
	struct pty pty = open_pty();
	char bytes[4096];

	(void)state;
	if (pty.master == -1)
		skip();
	memset(bytes, '\001', sizeof(bytes));
	struct rig r = open_pump(pty.slave, UINT64_MAX, true);
	assert_int_equal(fcntl(r.job, F_SETFL, O_NONBLOCK), 0);
	for (int i = 0; i < 200; i++) {
		(void)!write(r.job, bytes, sizeof(bytes));
		assert_int_equal(turn(r.p, 0), PUMP_OPEN);
	}
	close(pty.master);
	assert_int_equal(run_pump(r.p), PUMP_CLOSED);
	close(r.job);
	pump_free(r.p);
	close(pty.slave);
}

/* A master must not be opened again: that would be another terminal. */
static void
test_pty_master(void **state)
{
	struct pty pty = open_pty();
	struct sink s;

	(void)state;
	if (pty.master == -1)
		skip();
	assert_int_equal(sink_open(&s, pty.master), 0);
	assert_int_equal(s.own_fd, -1);
	assert_int_equal(s.fd, pty.master);
	assert_true(s.must_poll);
	assert_int_equal(sink_write(&s, (char[]){"hi"}, 2), 2);
	assert_int_equal(fcntl(pty.slave, F_SETFL, O_NONBLOCK), 0);
	assert_content(pty.slave, "hi", 2);
	sink_close(&s);
	close_pty(&pty);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_blocked_pipe),
	    cmocka_unit_test(test_blocked_socket),
	    cmocka_unit_test(test_shared_pipe),
	    cmocka_unit_test(test_closed),
	    cmocka_unit_test(test_closed_later),
	    cmocka_unit_test(test_terminal),
	    cmocka_unit_test(test_terminal_limit),
	    cmocka_unit_test(test_terminal_hangup),
	    cmocka_unit_test(test_pty_master),
	};

	/* As run.c does: a closed sink is an errno.  Nothing may ever wait. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
