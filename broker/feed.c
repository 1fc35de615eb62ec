/*
 * feed.c - the job's standard input, so that agsbx takes from its own stdin
 * only what the job read.  The job reads from a pipe of one page; its next
 * bytes are shown in it without being taken from our stdin, and taken only
 * when the page is empty again (POLLOUT).  At the end FIONREAD tells what was
 * left unread.  Never blocks.  Called by run.c after poll(2).
 *
 * A job can spoil that count for itself only (by enlarging or filling its own
 * pipe): never more is taken than was shown to it.
 */
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "streams.h"

#define PAGE_MAX (64U * 1024) /* the largest page of any architecture */

struct feed;

/* How one kind of stdin is shown and taken. */
struct source {
	/* Puts up to a page into the pipe; 0: the end, -1: errno. */
	ssize_t (*show)(struct feed *f);
	/* Takes some of n bytes that were shown and read; -1: errno. */
	ssize_t (*take)(struct feed *f, size_t n);
};

struct feed {
	int from;    /* the caller's, never changed or closed; -1: none */
	int out;     /* our end of the job's pipe, O_NONBLOCK; -1: at its end */
	int null;    /* /dev/null, where a pipe's bytes are taken to; -1 */
	size_t page; /* the pipe's size */
	size_t shown; /* in the pipe and not taken yet */
	bool is_full; /* by the job itself: there is more, and no room */
	const struct source *source;
	unsigned char buf[PAGE_MAX];
};

/* The pipe is empty, so it takes a page at once. */
static ssize_t
show_buf(struct feed *f, ssize_t n)
{
	if (n <= 0)
		return (n);
	return (write(f->out, f->buf, (size_t)n));
}

static ssize_t
file_show(struct feed *f)
{
	off_t at = lseek(f->from, 0, SEEK_CUR);

	if (at == -1)
		return (-1);
	return (show_buf(f, pread(f->from, f->buf, f->page, at)));
}

/* Relative, because the offset is shared with whoever opened the file. */
static ssize_t
file_take(struct feed *f, size_t n)
{
	if (lseek(f->from, (off_t)n, SEEK_CUR) == -1)
		return (-1);
	return ((ssize_t)n);
}

static ssize_t
pipe_show(struct feed *f)
{
	return (tee(f->from, f->out, f->page, SPLICE_F_NONBLOCK));
}

/* Not read(2): it would block if another reader had been faster. */
static ssize_t
pipe_take(struct feed *f, size_t n)
{
	return (splice(f->from, NULL, f->null, NULL, n, SPLICE_F_NONBLOCK));
}

/* recvmsg(2) is what the broker has; no room for descriptors.  A peer that is
 * gone, however rudely, is the end. */
static ssize_t
receive(struct feed *f, size_t n, int flags)
{
	struct iovec iov = {.iov_base = f->buf, .iov_len = n};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t got = recvmsg(f->from, &m, flags | MSG_DONTWAIT);

	return (
	    got == -1 && (errno == ECONNRESET || errno == ENOTCONN) ? 0 : got);
}

static ssize_t
socket_show(struct feed *f)
{
	return (show_buf(f, receive(f, f->page, MSG_PEEK)));
}

static ssize_t
socket_take(struct feed *f, size_t n)
{
	return (receive(f, n, 0));
}

/* Packets and devices: what was read ahead cannot be given back.  Not read(2):
 * a datagram with a bad checksum is ready, and then is not there. */
static ssize_t
packet_show(struct feed *f)
{
	return (show_buf(f, receive(f, f->page, 0)));
}

static ssize_t
plain_show(struct feed *f)
{
	struct pollfd fd = {.fd = f->from, .events = POLLIN};
	int ready = poll(&fd, 1, 0);

	if (ready == 0)
		errno = EAGAIN;
	if (ready <= 0)
		return (-1);
	return (show_buf(f, read(f->from, f->buf, f->page)));
}

static ssize_t
plain_take(struct feed *f, size_t n)
{
	(void)f;
	return ((ssize_t)n);
}

static const struct source file_source = {file_show, file_take};
static const struct source pipe_source = {pipe_show, pipe_take};
static const struct source socket_source = {socket_show, socket_take};
static const struct source packet_source = {packet_show, plain_take};
static const struct source plain_source = {plain_show, plain_take};

static bool
is_stream_socket(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	return (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_STREAM);
}

/* NULL: an empty stdin (closed, write-only, or a terminal). */
static const struct source *
find_source(int from, const struct stat *st)
{
	if ((fcntl(from, F_GETFL) & O_ACCMODE) == O_WRONLY || isatty(from) == 1)
		return (NULL);
	if (S_ISREG(st->st_mode) || S_ISBLK(st->st_mode))
		return (&file_source);
	if (S_ISFIFO(st->st_mode))
		return (&pipe_source);
	if (S_ISSOCK(st->st_mode))
		return (
		    is_stream_socket(from) ? &socket_source : &packet_source);
	return (&plain_source);
}

/* Makes the one-page pipe. */
static int
open_pipe(struct feed *f, int *job_end)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) == -1)
		return (-1);
	f->out = ends[1];
	int size = fcntl(f->out, F_SETPIPE_SZ, 1);
	if (size > 0 && (unsigned int)size <= PAGE_MAX &&
	    fcntl(f->out, F_SETFL, O_NONBLOCK) == 0) {
		f->page = (size_t)size;
		*job_end = ends[0];
		return (0);
	}
	io_close(&ends[0]);
	return (-1);
}

static int
open_source(struct feed *f)
{
	struct stat st;

	if (f->from == -1)
		return (0);
	if (fstat(f->from, &st) == -1)
		return (errno == EBADF ? 0 : -1);
	bool is_path = (fcntl(f->from, F_GETFL) & O_PATH) != 0;
	if (S_ISDIR(st.st_mode) || is_path) {
		errno = is_path ? EBADF : EISDIR;
		return (-1);
	}
	f->source = find_source(f->from, &st);
	if (f->source != &pipe_source)
		return (0);
	f->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return (f->null == -1 ? -1 : 0);
}

int
feed_open(struct feed **out, int from, int *job_end, struct diag *d)
{
	struct feed *f = calloc(1, sizeof(*f));

	*out = NULL;
	*job_end = -1;
	if (f == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	f->from = from;
	f->out = f->null = -1;
	if (open_source(f) == -1 || open_pipe(f, job_end) == -1) {
		int err = errno;
		feed_free(f);
		bool is_usage = err == EISDIR || err == EBADF;
		return (diag_set(d, is_usage ? DIAG_USAGE : DIAG_INTERNAL,
		    "cannot use standard input: %s%s", strerror(err),
		    err == EBADF ? " (opened with O_PATH)" : ""));
	}
	if (f->source == NULL)
		io_close(&f->out);
	*out = f;
	return (0);
}

void
feed_free(struct feed *f)
{
	if (f == NULL)
		return;
	io_close(&f->out);
	io_close(&f->null);
	free(f);
}

unsigned int
feed_polls(const struct feed *f, struct pollfd fds[2])
{
	if (f->out == -1)
		return (0);
	fds[0] = (struct pollfd){.fd = f->out};
	if (f->shown > 0 || f->is_full) {
		fds[0].events = POLLOUT;
		return (1);
	}
	fds[1] = (struct pollfd){.fd = f->from, .events = POLLIN};
	return (2);
}

/* Fewer are there only when another reader was faster: no error of ours. */
static int
take_all(struct feed *f, size_t n)
{
	while (n > 0) {
		ssize_t taken = f->source->take(f, n);
		if (taken == -1 && errno == EINTR)
			continue;
		if (taken == -1)
			return (errno == EAGAIN ? 0 : -1);
		if (taken == 0)
			return (0);
		n -= (size_t)taken;
	}
	return (0);
}

/* Takes what was read of the shown bytes; nothing more is shown. */
static int
settle(struct feed *f)
{
	int unread = 0;
	size_t shown = f->shown;

	if (f->out == -1)
		return (0);
	f->shown = 0;
	int rc = shown > 0 ? ioctl(f->out, FIONREAD, &unread) : 0;
	io_close(&f->out);
	if (rc == -1)
		return (-1);
	if (unread < 0 || (size_t)unread >= shown)
		return (0);
	return (take_all(f, shown - (size_t)unread));
}

/* Shows the next bytes in the empty pipe.  is_ready: there are some. */
static int
show(struct feed *f, bool is_ready)
{
	struct pollfd room = {.fd = f->out, .events = POLLOUT};
	ssize_t n = f->source->show(f);

	if (n > 0) {
		f->shown = (size_t)n;
		return (0);
	}
	if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
		f->is_full = is_ready && poll(&room, 1, 0) == 0;
		return (0);
	}
	int err = n == -1 && errno != EPIPE ? errno : 0;
	io_close(&f->out);
	errno = err;
	return (err != 0 ? -1 : 1);
}

int
feed_step(struct feed *f, const struct pollfd *fds, unsigned int n)
{
	short ready = 0, from = 0;

	if (f->out == -1)
		return (1);
	for (unsigned int i = 0; i < n; i++)
		if (fds[i].fd == f->out)
			ready = fds[i].revents;
		else
			from = fds[i].revents;
	if ((ready & POLLERR) != 0) /* the job has closed its stdin */
		return (settle(f) == -1 ? -1 : 1);
	if ((f->shown > 0 || f->is_full) && (ready & POLLOUT) == 0)
		return (0);
	size_t shown = f->shown;
	f->shown = 0;
	f->is_full = false;
	if (take_all(f, shown) == -1)
		return (-1);
	return (show(f, from != 0));
}

int
feed_finish(struct feed *f)
{
	return (settle(f));
}
