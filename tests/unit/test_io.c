/* test_io.c - whole reads and writes of small files, and /proc texts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

/* A file of memory, by the name under which any function can open it. */
static int
make_file(const char *text, char *path, size_t size)
{
	int fd = memfd_create("test_io", MFD_CLOEXEC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
	assert_true(snprintf(path, size, "/proc/self/fd/%d", fd) < (int)size);
	return (fd);
}

static void
a_file_is_read_whole_or_not_at_all(void **state)
{
	char path[64];
	char buf[8];
	int fd = make_file("1234567", path, sizeof(path));

	(void)state;
	assert_int_equal(io_read_file(AT_FDCWD, path, buf, sizeof(buf)), 7);
	assert_string_equal(buf, "1234567");
	/* One byte less, and the NUL has no room. */
	errno = 0;
	assert_int_equal(io_read_file(AT_FDCWD, path, buf, 7), -1);
	assert_int_equal(errno, EOVERFLOW);
	errno = 0;
	assert_int_equal(io_read_file(AT_FDCWD, path, buf, 0), -1);
	assert_int_equal(errno, EOVERFLOW);
	io_close(&fd);
}

static void
read_errors_keep_their_errno(void **state)
{
	char buf[8];

	(void)state;
	errno = 0;
	assert_int_equal(io_read_file(AT_FDCWD, "/nonexistent", buf,
			     sizeof(buf)),
	    -1);
	assert_int_equal(errno, ENOENT);
	errno = 0;
	assert_int_equal(io_read_file(AT_FDCWD, "/", buf, sizeof(buf)), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(io_read_file(AT_FDCWD, "/dev/null", buf, 1), 0);
	assert_string_equal(buf, "");
}

static void
a_file_is_written_with_one_write(void **state)
{
	char path[64];
	char buf[32];
	int fd = make_file("", path, sizeof(path));

	(void)state;
	assert_int_equal(io_write_file(AT_FDCWD, path, "0 1000 1"), 0);
	assert_int_equal(io_read_file(AT_FDCWD, path, buf, sizeof(buf)), 8);
	assert_string_equal(buf, "0 1000 1");
	errno = 0;
	assert_int_equal(io_write_file(AT_FDCWD, "/dev/full", "x"), -1);
	assert_int_equal(errno, ENOSPC);
	errno = 0;
	assert_int_equal(io_write_file(AT_FDCWD, "/nonexistent", "x"), -1);
	assert_int_equal(errno, ENOENT);
	io_close(&fd);
}

/* RLIMIT_FSIZE lets half of it through: that is no success. */
static void
a_short_write_is_an_error(void **state)
{
	struct rlimit saved;
	struct rlimit half;
	char path[64];
	int fd = make_file("", path, sizeof(path));
	int rc, err;

	(void)state;
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
	half = (struct rlimit){4, saved.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &half), 0);
	rc = io_write_file(AT_FDCWD, path, "12345678");
	err = errno;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
	assert_int_equal(rc, -1);
	assert_int_equal(err, EFBIG); /* what the rest of it met */
	io_close(&fd);
}

static void
a_full_pipe_ends_a_whole_write(void **state)
{
	static char text[1 << 20];
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	errno = 0;
	assert_int_equal(io_write_all(fds[1], text, sizeof(text)), -1);
	assert_int_equal(errno, EAGAIN);
	io_close(&fds[0]);
	io_close(&fds[1]);
}

static volatile sig_atomic_t alarms;

static void
on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

/* In a child: writes len bytes while a timer interrupts every write. */
static void
write_interrupted(int fd, const char *text, size_t len)
{
	struct itimerval often = {{0, 500}, {0, 500}};
	struct sigaction sa = {.sa_handler = on_alarm};

	if (sigaction(SIGALRM, &sa, NULL) == -1 ||
	    setitimer(ITIMER_REAL, &often, NULL) == -1 ||
	    io_write_all(fd, text, len) == -1)
		_exit(1);
	_exit(alarms > 0 ? 0 : 2);
}

static void
writing_goes_on_after_signals(void **state)
{
	static char text[1 << 20];
	size_t got = 0;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_int_not_equal(pid, -1);
	if (pid == 0)
		write_interrupted(fds[1], text, sizeof(text));
	io_close(&fds[1]);
	(void)usleep(20000); /* the pipe is full, and writes find it so */
	while ((n = read(fds[0], text, 8192)) > 0) {
		got += (size_t)n;
		(void)usleep(200); /* so that the writer has to wait */
	}
	assert_int_equal(n, 0);
	assert_int_equal(got, sizeof(text));
	io_close(&fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void
closing_keeps_errno_and_forgets(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int was = fd;

	(void)state;
	errno = EADV;
	io_close(&fd);
	assert_int_equal(errno, EADV);
	assert_int_equal(fd, -1);
	assert_int_equal(fcntl(was, F_GETFD), -1);
	assert_int_equal(errno, EBADF);
	io_close(&fd); /* of -1: nothing */
	assert_int_equal(errno, EBADF);
}

static const struct number {
	const char *text;
	int base;
	int err; /* 0: value */
	uint64_t value;
} numbers[] = {
    {"0", 10, 0, 0},
    {"7\n", 10, 0, 7},
    {"42 kB\n", 10, 0, 42},
    {"42\tx", 10, 0, 42},
    {"00000000a80425fb\n", 16, 0, 0xa80425fbU},
    {"FFFFFFFFFFFFFFFF", 16, 0, UINT64_MAX},
    {"0022", 8, 0, 022},
    {"18446744073709551615", 10, 0, UINT64_MAX},
    {"18446744073709551616", 10, ERANGE, 0},
    {"99999999999999999999999", 10, ERANGE, 0},
    {"10000000000000000", 16, ERANGE, 0},
    {"", 10, EINVAL, 0},
    {"\n", 10, EINVAL, 0},
    {" 1", 10, EINVAL, 0},
    {"-1", 10, EINVAL, 0},
    {"+1", 10, EINVAL, 0},
    {"1a", 10, EINVAL, 0},
    {"18", 8, EINVAL, 0},
    {"1g", 16, EINVAL, 0},
    {"1.5", 10, EINVAL, 0},
    {"1", 1, EINVAL, 0},
    {"1", 37, EINVAL, 0},
    {"1", -10, EINVAL, 0},
};

static void
numbers_are_digits_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number *n = &numbers[i];
		uint64_t value = 77;
		int rc = io_parse_u64(n->text, n->base, &value);

		if (n->err != 0) {
			assert_int_equal(errno, n->err);
			assert_int_equal(rc, -1);
			continue;
		}
		assert_int_equal(rc, 0);
		assert_int_equal(value, n->value);
	}
}

static void
fields_are_whole_keys_at_line_starts(void **state)
{
	static const char text[] = "Name:\tx Pid:\t1\nTgid:\t20\nPid:\t21\n"
				   "NSpid:\t21\t1\nCapEff:\t00000000000001ff\n"
				   "VmRSS:\t     340 kB\nBad:\tword\n"
				   "Empty:\nLast:\t9";
	uint64_t value = 0;

	(void)state;
	assert_int_equal(io_field_u64(text, "Pid", 10, &value), 0);
	assert_int_equal(value, 21);
	assert_int_equal(io_field_u64(text, "CapEff", 16, &value), 0);
	assert_int_equal(value, 0x1ff);
	assert_int_equal(io_field_u64(text, "VmRSS", 10, &value), 0);
	assert_int_equal(value, 340);
	assert_int_equal(io_field_u64(text, "Last", 10, &value), 0);
	assert_int_equal(value, 9);
	assert_int_equal(io_field_u64(text, "Bad", 10, &value), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(io_field_u64(text, "Empty", 10, &value), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(io_field_u64(text, "Pi", 10, &value), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(io_field_u64(text, "pid", 10, &value), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(io_field_u64("", "Pid", 10, &value), -1);
	assert_int_equal(errno, ENOENT);
}

static void
decimal_is_what_printf_writes(void **state)
{
	static const uint64_t values[] = {0, 9, 10, 1000, UINT32_MAX,
	    UINT64_MAX - 1, UINT64_MAX};
	char buf[IO_DECIMAL_MAX];
	char expected[32];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		(void)snprintf(expected, sizeof(expected), "%llu",
		    (unsigned long long)values[i]);
		assert_ptr_equal(io_put_u64(buf, values[i]),
		    buf + strlen(expected));
		assert_string_equal(buf, expected);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_file_is_read_whole_or_not_at_all),
	    cmocka_unit_test(read_errors_keep_their_errno),
	    cmocka_unit_test(a_file_is_written_with_one_write),
	    cmocka_unit_test(a_short_write_is_an_error),
	    cmocka_unit_test(a_full_pipe_ends_a_whole_write),
	    cmocka_unit_test(writing_goes_on_after_signals),
	    cmocka_unit_test(closing_keeps_errno_and_forgets),
	    cmocka_unit_test(numbers_are_digits_only),
	    cmocka_unit_test(fields_are_whole_keys_at_line_starts),
	    cmocka_unit_test(decimal_is_what_printf_writes),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
