/*
 * feed.c: what the job read, and no more, is gone from our stdin; with files,
 * pipes, sockets, terminals and devices.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "streams.h"

#define SMALL_LEN 30000U

struct rig {
	struct feed *f;
	int job; /* the job's end; -1: it has closed it */
};

static struct rig
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
static int
turn(struct feed *f)
{
	struct pollfd fds[2];
	unsigned int n = feed_polls(f, fds);

	assert_true(n <= 2);
	assert_true(poll(fds, n, 0) >= 0);
	return (feed_step(f, fds, n));
}

/* The job reads n bytes, which must be those of want. */
static void
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
static void
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

static void
finish(struct rig *r)
{
	if (r->job != -1)
		close(r->job);
	assert_int_equal(feed_finish(r->f), 0);
	feed_free(r->f);
}

static const char *
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
static int
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
static void
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

static void
assert_empty(int from)
{
	struct rig r = open_feed(from);
	struct pollfd fds[2];
	char c;

	assert_int_equal(feed_polls(r.f, fds), 0);
	assert_int_equal(feed_step(r.f, fds, 0), 1);
	assert_int_equal(read(r.job, &c, 1), 0);
	finish(&r);
}

static void
test_empty(void **state)
{
	int file = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_empty(-1);
	assert_empty(999);
	assert_empty(file);
	close(file);
}

static void
test_terminal(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];

	(void)state;
	if (master == -1) {
		print_message("no /dev/ptmx here: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
	int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_int_equal(write(master, "typed\n", 6), 6);
	assert_empty(slave);
	int typed = 0;
	assert_int_equal(ioctl(slave, FIONREAD, &typed), 0);
	assert_int_equal(typed, 6);
	close(slave);
	close(master);
}

/* Devices and packets are read; what was read ahead is gone. */
static void
test_plain(void **state)
{
	static const char zeros[4096] = "";
	int ends[2];

	(void)state;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct rig r = open_feed(null);
	job_reads_end(&r);
	finish(&r);
	close(null);

	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	r = open_feed(zero);
	for (int i = 0; i < 20; i++)
		job_reads(&r, zeros, sizeof(zeros));
	finish(&r);
	close(zero);

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
			     ends),
	    0);
	r = open_feed(ends[0]);
	assert_int_equal(turn(r.f), 0);
	assert_int_equal(write(ends[1], "one", 3), 3);
	assert_int_equal(write(ends[1], "two", 3), 3);
	job_reads(&r, "onetwo", 6);
	close(ends[1]);
	job_reads_end(&r);
	finish(&r);
	close(ends[0]);
}

static void
test_errors(void **state)
{
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct diag d = {.code = DIAG_NONE};
	struct feed *f = NULL;
	int job = 0;

	(void)state;
	assert_int_equal(feed_open(&f, dir, &job, &d), -1);
	assert_int_equal(d.code, DIAG_USAGE);
	assert_non_null(strstr(d.message, "Is a directory"));
	assert_null(f);
	assert_int_equal(job, -1);
	close(dir);
	feed_free(NULL);

	/* A file whose reads fail is an error of stdin, not its end. */
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	assert_true(mem >= 0);
	struct rig r = open_feed(mem);
	errno = 0;
	assert_int_equal(turn(r.f), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(turn(r.f), 1);
	finish(&r);
	close(mem);
}

static void
test_no_descriptors(void **state)
{
	int froms[] = {make_from(A_FILE), make_from(A_PIPE)};
	struct diag d = {.code = DIAG_NONE};
	struct rlimit old, less;
	struct feed *f = NULL;
	int job = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	less = old;
	less.rlim_cur = 0;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
		assert_int_equal(feed_open(&f, froms[i], &job, &d), -1);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_int_equal(d.code, DIAG_INTERNAL);
		assert_non_null(strstr(d.message, "Too many open files"));
		assert_null(f);
		assert_int_equal(job, -1);
		assert_left(froms[i], 0);
	}
}

/* 16 MiB through a process that only counts: speed is printed. */
static void
run_throughput(int from, const char *what)
{
	struct rig r = open_feed(from);
	struct timespec t0, t1;
	struct pollfd fds[2];
	int status = -1;

	(void)clock_gettime(CLOCK_MONOTONIC, &t0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		static char buf[65536];
		size_t total = 0;
		feed_free(r.f);
		for (ssize_t n; (n = read(r.job, buf, sizeof(buf))) > 0;)
			total += (size_t)n;
		_exit(total == 16U << 20 ? 0 : 1);
	}
	close(r.job);
	r.job = -1;
	for (int rc = 0; rc == 0;) {
		unsigned int n = feed_polls(r.f, fds);
		assert_true(poll(fds, n, -1) > 0);
		rc = feed_step(r.f, fds, n);
		assert_true(rc >= 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)clock_gettime(CLOCK_MONOTONIC, &t1);
	print_message("16 MiB from a %s in %.3f s\n", what,
	    (double)(t1.tv_sec - t0.tv_sec) +
		(double)(t1.tv_nsec - t0.tv_nsec) / 1e9);
	finish(&r);
}

static void
test_throughput(void **state)
{
	char path[] = "/tmp/agsbx-test-XXXXXX";
	static char buf[65536];
	int file = mkstemp(path);
	int ends[2];

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ftruncate(file, 16 << 20), 0);
	run_throughput(file, "file");
	close(file);

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		for (int i = 0; i < 256; i++)
			if (write(ends[1], buf, sizeof(buf)) !=
			    (ssize_t)sizeof(buf))
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	run_throughput(ends[0], "pipe");
	close(ends[0]);
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
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
	    cmocka_unit_test(test_shared_offset),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_terminal),
	    cmocka_unit_test(test_plain),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_no_descriptors),
	    cmocka_unit_test(test_throughput),
	};

	/* As run.c does: a job that closed its stdin is an errno. */
	(void)signal(SIGPIPE, SIG_IGN);
	/* Nothing here may ever wait. */
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
