/*
 * pump.c - one output stream of the job: from its pipe to our own stdout or
 * stderr, or into what --json keeps.  Counts and hashes the job's bytes as they
 * came.  Never blocks, and never changes the caller's open file description;
 * knows nothing of the job's processes.  Called by run.c after poll(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "sink.h"
#include "streams.h"

#define BUFFER_SIZE (64U * 1024)
/* Below this much room nothing is read: small reads cost as much as large. */
#define ROOM_MIN 4096U
/* visible_write() wants this much for n bytes. */
#define VISIBLE_PER_BYTE 12U
#define VISIBLE_EXTRA 64U
_Static_assert(ROOM_MIN >= VISIBLE_PER_BYTE + VISIBLE_EXTRA,
    "some room is always enough for one byte on a terminal");

struct pump {
	struct pump_options o;
	int source;
	struct sink sink;
	bool is_eof;
	bool is_over; /* the job wrote more than the limit */
	bool is_told; /* PUMP_LIMIT was returned */
	uint64_t seen;
	uint64_t passed; /* of seen, what went to the buffer */
	SHA2_CTX hash;
	struct kept *kept;
	struct visible visible;
	bool is_coloured; /* the terminal, at the end */
	size_t start;	  /* in out */
	size_t len;
	unsigned char in[BUFFER_SIZE];
	unsigned char out[BUFFER_SIZE];
};

static int
pump_init(struct pump *p, int *job_end)
{
	int ends[2];

	if (p->o.sink == -1) {
		p->kept = kept_new(p->o.limit);
		if (p->kept == NULL)
			return (-1);
	} else if (sink_open(&p->sink, p->o.sink) == -1) {
		return (-1);
	}
	if (pipe2(ends, O_CLOEXEC) == -1)
		return (-1);
	p->source = ends[0];
	if (fcntl(p->source, F_SETFL, O_NONBLOCK) == -1) {
		io_close(&ends[1]);
		return (-1);
	}
	*job_end = ends[1];
	return (0);
}

int
pump_open(struct pump **out, const struct pump_options *o, int *job_end,
    struct diag *d)
{
	struct pump *p = calloc(1, sizeof(*p));

	*out = NULL;
	*job_end = -1;
	if (p == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	p->o = *o;
	p->source = -1;
	p->sink.own_fd = -1;
	SHA256Init(&p->hash);
	if (pump_init(p, job_end) == -1) {
		int err = errno;
		pump_free(p);
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot pass on the job's output: %s", strerror(err)));
	}
	*out = p;
	return (0);
}

void
pump_free(struct pump *p)
{
	if (p == NULL)
		return;
	io_close(&p->source);
	sink_close(&p->sink);
	kept_free(p->kept);
	free(p);
}

static size_t
room(const struct pump *p)
{
	return (BUFFER_SIZE - p->len);
}

/* Nothing more is taken from the job once it is over its limit. */
static bool
wants_source(const struct pump *p)
{
	return (!p->is_eof && !p->is_over && room(p) >= ROOM_MIN);
}

unsigned int
pump_polls(const struct pump *p, struct pollfd fds[2])
{
	unsigned int n = 0;

	if (wants_source(p))
		fds[n++] = (struct pollfd){.fd = p->source, .events = POLLIN};
	if (p->len > 0)
		fds[n++] = (struct pollfd){.fd = p->sink.fd, .events = POLLOUT};
	else if (p->o.reader != -1) /* tells an error or a hang-up alone */
		fds[n++] = (struct pollfd){.fd = p->o.reader};
	return (n);
}

/* Puts job bytes into the buffer, which has room for what they become. */
static void
buffer_add(struct pump *p, size_t len, bool is_last)
{
	if (p->start > 0)
		memmove(p->out, p->out + p->start, p->len);
	p->start = 0;
	if (p->o.is_terminal) {
		char *to = (char *)p->out + p->len;
		p->len += visible_write(&p->visible, p->in, len, to, room(p),
		    is_last);
		return;
	}
	memcpy(p->out + p->len, p->in, len);
	p->len += len;
}

/* len bytes of the job are in p->in. */
static int
account(struct pump *p, size_t len)
{
	SHA256Update(&p->hash, p->in, len);
	p->seen += len;
	if (p->kept != NULL)
		return (kept_add(p->kept, p->in, len));
	if (len > p->o.limit - p->passed) {
		len = (size_t)(p->o.limit - p->passed);
		p->is_over = true;
	}
	p->passed += len;
	buffer_add(p, len, p->is_over);
	return (0);
}

static size_t
read_max(const struct pump *p)
{
	if (p->kept != NULL)
		return (sizeof(p->in));
	if (p->o.is_terminal)
		return ((room(p) - VISIBLE_EXTRA) / VISIBLE_PER_BYTE);
	return (room(p));
}

static int
take(struct pump *p)
{
	ssize_t n = read(p->source, p->in, read_max(p));

	if (n == -1)
		return (errno == EAGAIN || errno == EINTR ? 0 : -1);
	if (n > 0)
		return (account(p, (size_t)n));
	p->is_eof = true;
	if (p->kept == NULL)
		buffer_add(p, 0, true);
	return (0);
}

static enum pump_status
push(struct pump *p)
{
	while (p->len > 0) {
		ssize_t n = sink_write(&p->sink, p->out + p->start, p->len);
		if (n == -1 && (errno == EAGAIN || errno == EINTR))
			return (PUMP_OPEN);
		if (n == -1)
			return (sink_is_closed(&p->sink, errno) ? PUMP_CLOSED :
								  PUMP_FAILED);
		p->start += (size_t)n;
		p->len -= (size_t)n;
	}
	return (PUMP_OPEN);
}

/* What poll(2) said of fd; 0 where it was not asked. */
static int
revents_of(const struct pollfd *fds, unsigned int n, int fd)
{
	for (unsigned int i = 0; i < n; i++)
		if (fds[i].fd == fd)
			return (fds[i].revents);
	return (0);
}

enum pump_status
pump_step(struct pump *p, const struct pollfd *fds, unsigned int n)
{
	if (wants_source(p) && revents_of(fds, n, p->source) != 0 &&
	    take(p) == -1)
		return (PUMP_FAILED);
	enum pump_status status = push(p);
	if (p->is_over && !p->is_told) {
		p->is_told = true;
		return (PUMP_LIMIT);
	}
	if (status != PUMP_OPEN || p->len > 0)
		return (status);
	if (p->is_eof || p->is_over)
		return (PUMP_EOF);
	int reader = revents_of(fds, n, p->o.reader);
	if ((reader & POLLNVAL) != 0) /* O_PATH: would be told for ever */
		p->o.reader = -1;
	return ((reader & (POLLERR | POLLHUP)) != 0 ? PUMP_CLOSED : PUMP_OPEN);
}

/* A stream that is given up may leave its terminal coloured, or concealed.  The
 * reset is not waited for either. */
static void
put_reset(struct pump *p)
{
	char reset[] = "\033[0m";
	size_t len = sizeof(reset) - 1;

	p->is_coloured = p->o.is_terminal &&
	    (p->len > 0 || p->visible.is_coloured) &&
	    sink_write(&p->sink, reset, len) != (ssize_t)len;
}

bool
pump_is_coloured(const struct pump *p)
{
	return (p != NULL && p->is_coloured);
}

int
pump_finish(struct pump *p, struct job_stream *s)
{
	uint64_t kept = p->passed;

	/* What is still here was given up; on a terminal it cannot be said how
	 * many of the job's bytes that is. */
	if (!p->o.is_terminal)
		kept -= p->len;
	put_reset(p);
	s->bytes_seen = (int64_t)p->seen;
	s->is_truncated = p->is_over || p->len > 0;
	(void)SHA256End(&p->hash, s->sha256); /* cannot fail with a buffer */
	if (p->kept != NULL) {
		s->text =
		    kept_text(p->kept, &s->encoding, &kept, &s->is_truncated);
		if (s->text == NULL)
			return (-1);
	}
	s->bytes_kept = (int64_t)kept;
	return (0);
}
