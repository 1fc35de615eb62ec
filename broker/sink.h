/*
 * sink.h - our own stdout or stderr, written to without ever waiting.
 * Owner: sink.c; for pump.c only.
 */
#ifndef BROKER_SINK_H
#define BROKER_SINK_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>

struct sink {
	int fd;		  /* to poll; the caller's, or own_fd */
	int own_fd;	  /* a description of our own, O_NONBLOCK; -1: none */
	bool is_socket;	  /* takes MSG_DONTWAIT */
	bool is_tty;	  /* a hang-up is EIO */
	bool must_poll;	  /* a write could block: POLLOUT first */
	size_t write_max; /* bytes in one write */
};

/* fd stays the caller's and its description unchanged.  0, or -1 errno. */
int sink_open(struct sink *s, int fd);
/* Bytes written, or -1: EAGAIN when it would have to wait, or errno. */
ssize_t sink_write(struct sink *s, void *bytes, size_t len);
/* True for the errors of a reader that went away. */
bool sink_is_closed(const struct sink *s, int err);
void sink_close(struct sink *s);

#endif
