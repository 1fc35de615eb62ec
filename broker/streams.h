/*
 * streams.h - the job's standard streams.  Owners: pump.c (out and err),
 * feed.c (in), kept.c (what --json keeps), visible.c (terminals).
 *
 * Everything that passes here is hostile bytes.  Nothing blocks: run.c polls
 * the descriptors that these modules name and calls them when they are ready.
 * All descriptors are opened before the broker is confined.
 */
#ifndef BROKER_STREAMS_H
#define BROKER_STREAMS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "job.h"

/* ---- pump.c: one of the job's output streams ---- */
struct pump;

enum pump_status {
	PUMP_OPEN,
	PUMP_EOF,    /* the job's end is closed and all has been passed on */
	PUMP_LIMIT,  /* once: more than the limit, the job is to be killed */
	PUMP_CLOSED, /* the reader of our stdout or stderr is gone */
	PUMP_FAILED, /* errno tells */
};

struct pump_options {
	int sink;	  /* descriptor to pass bytes to; -1: keep (--json) */
	uint64_t limit;	  /* pass: kill beyond it; keep: keep that much */
	bool is_terminal; /* sink is a terminal: make controls visible */
	int reader;	  /* of our stdout: one that is gone is PUMP_CLOSED
			     before anything is written to it; -1: not watched */
};

/*
 * Makes the pipe.  *job_end is given to the launcher and closed by the caller
 * after that.  The sink is never set O_NONBLOCK (its open file description is
 * shared with the caller's shell): pump polls it for POLLOUT before a write of
 * at most PIPE_BUF bytes.  A blocked sink stops reading, never the clock.
 */
int pump_open(struct pump **out, const struct pump_options *o, int *job_end,
    struct diag *d);
/* Fills up to 2 pollfds (source; sink or reader); returns how many. */
unsigned int pump_polls(const struct pump *p, struct pollfd fds[2]);
/*
 * After poll (n may be 0): moves what can be moved.  After PUMP_LIMIT nothing
 * more is read; further steps pass on what the limit permits, then PUMP_EOF.
 */
enum pump_status
pump_step(struct pump *p, const struct pollfd *fds, unsigned int n);
/* Bytes, hash, kept text -> j's stream; once, at the end. */
int pump_finish(struct pump *p, struct job_stream *s);
/* After that: true if its terminal took no reset of the job's colours. */
bool pump_is_coloured(const struct pump *p);
void pump_free(struct pump *p);

/* ---- feed.c: the job's standard input ---- */
struct feed;
/*
 * from: our stdin, or -1 for an empty one.  Only what the job read is taken:
 * from a file by seeking back, from a pipe with tee(2) into a one-page pipe
 * and FIONREAD; a terminal is not read at all.  *job_end as above.
 */
int feed_open(struct feed **out, int from, int *job_end, struct diag *d);
unsigned int feed_polls(const struct feed *f, struct pollfd fds[2]);
/* 0 goes on, 1 nothing more will come, -1 errno. */
int feed_step(struct feed *f, const struct pollfd *fds, unsigned int n);
/* Takes what the job read last and no more; once, after it has ended. */
int feed_finish(struct feed *f);
void feed_free(struct feed *f);

/*
 * ---- kept.c: three quarters head, one quarter tail, cut on characters ----
 * The two are joined with nothing in between.  base64 when they are not UTF-8
 * or hold a NUL: then the kept bytes are given uncut.
 */
struct kept;
struct kept *kept_new(uint64_t limit); /* NULL: out of memory */
int kept_add(struct kept *k, const void *bytes, size_t len);
/* The text for JSON (malloced) and its encoding; NULL: out of memory. */
char *kept_text(const struct kept *k, const char **encoding, uint64_t *bytes,
    bool *is_truncated);
void kept_free(struct kept *k);

/* ---- visible.c: what may reach a terminal ---- */
/*
 * A decoder that remembers an unfinished character between calls.  Printable
 * characters, newline, tab and SGR colour pass; other controls, C1, bidi marks
 * and invalid bytes come out visible (\x1b, \u202e).  out needs 12 bytes for
 * each byte of in plus 64; returns the bytes written.
 */
struct visible {
	unsigned char pending[64];
	size_t pending_len;
	bool is_coloured; /* the last call then puts a reset */
};
size_t visible_write(struct visible *v, const void *in, size_t len, char *out,
    size_t size, bool is_last);
/* One malloced line of a hostile string, all controls escaped. */
char *visible_line(const char *s);

#endif
