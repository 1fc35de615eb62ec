/*
 * hogs.c - attempts that use something up.  Each is bounded by its argument,
 * so that it also ends where nothing holds it back.  Called by attempt.c.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attempt.h"

#define MIB (1024L * 1024)
#define SEEN_SECONDS 3 /* how long a crowd stands, to be counted */

bool
hog_memory(long arg)
{
	for (long i = 0; i < arg; i++) {
		char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return (false);
		memset(p, 1, MIB);
	}
	return (true);
}

/* Files of 1 MiB in the working directory, a job's scratch: one big file would
 * meet the limit of a file first. */
static bool
write_file(long i)
{
	static char block[MIB];
	char name[32];
	bool is_through;
	int fd;

	(void)snprintf(name, sizeof(name), "hog.%ld", i); /* fits */
	fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	is_through = fd != -1 && write(fd, block, MIB) == MIB;
	if (fd != -1 && close(fd) == -1)
		return (false);
	return (is_through);
}

bool
hog_tmpfs(long arg)
{
	for (long i = 0; i < arg; i++)
		if (!write_file(i))
			return (false);
	return (true);
}

/* Fills both directions of a socket pair; the bytes that were taken. */
static long
fill_pair(void)
{
	static const char block[16384];
	long total = 0;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
		pair) == -1)
		return (-1);
	for (int i = 0; i < 2; i++)
		for (ssize_t n = 1; n > 0; total += n > 0 ? n : 0)
			n = send(pair[i], block, sizeof(block), MSG_NOSIGNAL);
	return (total);
}

static void
raise_descriptors(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &lim); /* then fewer are open */
	}
}

bool
hog_sockets(long arg)
{
	long total = 0;

	raise_descriptors();
	while (total < arg * MIB) {
		long n = fill_pair();

		if (n <= 0)
			return (false);
		total += n;
	}
	return (true);
}

/* More than any policy of the matrix allows. */
bool
hog_descriptors(long arg)
{
	(void)arg;
	raise_descriptors();
	for (int i = 0; i < 1200; i++)
		if (open("/dev/null", O_RDONLY | O_CLOEXEC) == -1)
			return (false);
	return (true);
}

/* Exits by itself where it is held back, as a program that gives up does. */
bool
hog_processes(long arg)
{
	bool is_through = true;
	int err;

	for (long i = 0; is_through && i < arg; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			(void)alarm(SEEN_SECONDS * 4); /* if it came too late */
			(void)pause();
			_exit(0);
		}
		is_through = pid != -1;
	}
	err = errno;
	(void)sleep(SEEN_SECONDS);
	errno = err;
	if (!is_through)
		exit(1);
	return (true);
}

bool
hog_output(long arg)
{
	static char block[1024];

	memset(block, 'x', sizeof(block));
	for (long i = 0; i < arg * 1024; i++)
		if (write(STDOUT_FILENO, block, sizeof(block)) == -1)
			return (false);
	return (true);
}

/* arg: milliseconds of CPU time. */
bool
hog_cpu(long arg)
{
	while (clock() / (CLOCKS_PER_SEC / 1000) < arg)
		;
	return (true);
}

/* arg: milliseconds. */
bool
hog_wall(long arg)
{
	struct timespec ts = {arg / 1000, (arg % 1000) * 1000000};

	return (nanosleep(&ts, NULL) == 0);
}
