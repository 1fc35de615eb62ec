/*
 * sink.c - writes to the caller's stdout or stderr.  Its open file description
 * is shared with the caller's shell, so it is never made O_NONBLOCK; yet a
 * reader that does not read must never stop the broker.  Called by pump.c.
 */
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "io.h"
#include "sink.h"

/* A terminal may have room for few bytes only when it says POLLOUT. */
#define TERMINAL_CHUNK 256U

/* True for a pty's master: opening it again would make another pty. */
static bool
is_pty_master(int fd)
{
	unsigned int number = 0;

	return (ioctl(fd, TIOCGPTN, &number) == 0);
}

/*
 * Pipes and terminals can be opened again, which gives a description of our
 * own that may be O_NONBLOCK.  -1 where that is not possible (another user's
 * terminal, a pipe without readers): then POLLOUT has to do.
 */
static int
open_again(int fd, const struct stat *st)
{
	char path[32];
	struct stat again;
	int n = snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);

	if (n < 0 || (size_t)n >= sizeof(path))
		return (-1);
	int own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own == -1)
		return (-1);
	if (fstat(own, &again) == -1 || again.st_dev != st->st_dev ||
	    again.st_ino != st->st_ino)
		io_close(&own);
	return (own);
}

int
sink_open(struct sink *s, int fd)
{
	struct stat st;

	*s = (struct sink){.fd = fd, .own_fd = -1, .write_max = SSIZE_MAX};
	if (fstat(fd, &st) == -1)
		return (-1);
	if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode))
		return (0);
	s->is_socket = S_ISSOCK(st.st_mode);
	if (s->is_socket)
		return (0);
	s->is_tty = isatty(fd) == 1;
	if (S_ISFIFO(st.st_mode) || (s->is_tty && !is_pty_master(fd)))
		s->own_fd = open_again(fd, &st);
	if (s->own_fd != -1) {
		s->fd = s->own_fd;
		return (0);
	}
	s->must_poll = true;
	s->write_max = s->is_tty ? TERMINAL_CHUNK : PIPE_BUF;
	return (0);
}

void
sink_close(struct sink *s)
{
	io_close(&s->own_fd);
}

static ssize_t
send_some(int fd, void *bytes, size_t len)
{
	struct iovec iov = {.iov_base = bytes, .iov_len = len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	return (sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL));
}

ssize_t
sink_write(struct sink *s, void *bytes, size_t len)
{
	if (len > s->write_max)
		len = s->write_max;
	if (s->is_socket)
		return (send_some(s->fd, bytes, len));
	if (s->must_poll) {
		/* At once before each write: stdout and stderr may share the
		 * sink, and what run.c's poll saw has gone to the other. */
		struct pollfd fd = {.fd = s->fd, .events = POLLOUT};
		int ready = poll(&fd, 1, 0);
		if (ready == 0)
			errno = EAGAIN;
		if (ready <= 0)
			return (-1);
	}
	return (write(s->fd, bytes, len));
}

bool
sink_is_closed(const struct sink *s, int err)
{
	return (err == EPIPE || err == ECONNRESET || (err == EIO && s->is_tty));
}
