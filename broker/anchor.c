/*
 * anchor.c - the head of the ledger's chain, written to where the ledger's
 * owner cannot change it: the system log.  The socket is connected before the
 * broker is confined, and used with sendmsg(2), which its filter permits.
 * Called by admission.c and run.c.
 */
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "anchor.h"
#include "io.h"

/* RFC 3164: facility authpriv, severity notice. */
#define PRIORITY (10 * 8 + 5)
#define FULL_MS 1000 /* for a log that is behind to take one more line */

int
anchor_open(const char *path, const struct origin *o, struct diag *d)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const char *file = o->file != NULL ? o->file : path;
	int fd, err;

	if (strlcpy(addr.sun_path, path, sizeof(addr.sun_path)) >=
	    sizeof(addr.sun_path))
		return (diag_set(d, DIAG_INTERNAL, "path too long: %s", path));
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd != -1 &&
	    connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return (fd);
	err = errno;
	io_close(&fd);
	return (diag_at(d, DIAG_POLICY, file, o->line,
	    "anchor = syslog: no system log can be written: %s: %s", path,
	    strerror(err)));
}

int
anchor_write(int fd, const char *dir, const char *job,
    const struct ledger_anchor *head)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	char line[1024];
	struct iovec iov = {.iov_base = line};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	int len;

	/* The directory stands last: it alone may be long. */
	len = snprintf(line, sizeof(line),
	    "<%d>agsbx[%d]: anchor %lld:%s job %s ledger %s", PRIORITY,
	    (int)getpid(), (long long)head->seq, head->hash, job, dir);
	if (len < 0)
		return (-1);
	iov.iov_len =
	    (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1;
	if (poll(&ready, 1, FULL_MS) == 0) {
		errno = ETIMEDOUT;
		return (-1);
	}
	return (sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == -1 ? -1 : 0);
}
