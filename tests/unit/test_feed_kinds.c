/* feed.c: stdin that cannot be given back, errors, and speed. */
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
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "feed_fixture.h"

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
	/* What was typed passes through a worker of the kernel. */
	struct pollfd input = {.fd = slave, .events = POLLIN};
	assert_int_equal(poll(&input, 1, 5000), 1);
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

/* A TCP connection; ours comes first. */
static void
connect_pair(int ends[2])
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	socklen_t len = sizeof(to);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ends[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(listener >= 0 && ends[1] >= 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&to, &len),
	    0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(ends[1], (struct sockaddr *)&to, sizeof(to)),
	    0);
	ends[0] = accept(listener, NULL, NULL);
	assert_true(ends[0] >= 0);
	close(listener);
}

/* A peer that ends rudely is the end; what it had said is read before. */
static void
test_reset(void **state)
{
	const struct linger none = {.l_onoff = 1};
	int ends[2];

	(void)state;
	for (int said = 0; said < 2; said++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC,
				     0, ends),
		    0);
		struct rig r = open_feed(ends[0]);
		assert_int_equal(write(ends[0], "unread", 6), 6);
		assert_int_equal(write(ends[1], "abc", 3), 3);
		if (said)
			job_reads(&r, "abc", 3);
		close(ends[1]); /* ECONNRESET */
		if (!said)
			job_reads(&r, "abc", 3);
		job_reads_end(&r);
		finish(&r);
		close(ends[0]);
	}
	connect_pair(ends);
	struct rig r = open_feed(ends[0]);
	assert_int_equal(setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &none,
			     sizeof(none)),
	    0);
	close(ends[1]);
	job_reads_end(&r);
	finish(&r);
	close(ends[0]);
	/* ENOTCONN */
	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	r = open_feed(ends[0]);
	job_reads_end(&r);
	finish(&r);
	close(ends[0]);
}

static void
test_errors(void **state)
{
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int path = open("/dev/null", O_PATH | O_CLOEXEC);
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
	assert_int_equal(feed_open(&f, path, &job, &d), -1);
	assert_int_equal(d.code, DIAG_USAGE);
	assert_non_null(strstr(d.message, "opened with O_PATH"));
	assert_null(f);
	close(path);
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
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_terminal),
	    cmocka_unit_test(test_plain),
	    cmocka_unit_test(test_reset),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_no_descriptors),
	    cmocka_unit_test(test_throughput),
	};

	/* As run.c does: a closed stdin is an errno.  Nothing may ever wait. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
