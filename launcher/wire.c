/*
 * wire.c - datagrams between launcher, init and the held job.
 *
 * Knows descriptors and credentials in control messages, nothing of what the
 * words mean.  Receives without blocking: hold.c and watch.c poll.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "io.h"
#include "wire.h"

union control_buf {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
};

int
wire_send(int sock, const struct wire *w, int pass_fd)
{
	union control_buf control = {0};
	struct wire copy = *w;
	struct iovec iov = {&copy, sizeof(copy)};
	struct msghdr head = {.msg_iov = &iov, .msg_iovlen = 1};

	if (pass_fd != -1) {
		head.msg_control = control.bytes;
		head.msg_controllen = CMSG_SPACE(sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &pass_fd, sizeof(int));
	}
	if (sendmsg(sock, &head, MSG_NOSIGNAL | MSG_DONTWAIT) !=
	    (ssize_t)sizeof(copy))
		return (-1);
	return (0);
}

/* Copies the first control message of that type; false when there is none. */
static bool
control_take(struct msghdr *head, int type, void *out, size_t size)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(head); c != NULL; c = CMSG_NXTHDR(head, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == type &&
		    c->cmsg_len >= CMSG_LEN(size)) {
			memcpy(out, CMSG_DATA(c), size);
			return (true);
		}
	}
	return (false);
}

/* As recvmsg(2), but exactly size bytes are a message. */
static int
recv_exactly(int sock, struct msghdr *head, void *buf, size_t size)
{
	struct iovec iov = {buf, size};
	ssize_t n;

	head->msg_iov = &iov;
	head->msg_iovlen = 1;
	n = recvmsg(sock, head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	head->msg_iov = NULL;
	if (n == -1)
		return (-1);
	if (n != 0 &&
	    ((size_t)n != size || (head->msg_flags & MSG_TRUNC) != 0)) {
		errno = EPROTO;
		return (-1);
	}
	return (n == 0 ? 0 : 1);
}

int
wire_recv(int sock, struct wire *w, int *fd)
{
	union control_buf control;
	struct msghdr head = {.msg_control = control.bytes,
	    .msg_controllen = CMSG_SPACE(sizeof(int))};
	int r;

	*fd = -1;
	memset(w, 0, sizeof(*w));
	r = recv_exactly(sock, &head, w, sizeof(*w));
	if (r != -1)
		(void)control_take(&head, SCM_RIGHTS, fd, sizeof(*fd));
	return (r);
}

int
gate_recv(int gate, int32_t *word, pid_t *pid)
{
	union control_buf control;
	struct msghdr head = {.msg_control = control.bytes,
	    .msg_controllen = CMSG_SPACE(sizeof(struct ucred))};
	struct ucred cred;
	int r = recv_exactly(gate, &head, word, sizeof(*word));

	if (r != 1)
		return (r);
	if (!control_take(&head, SCM_CREDENTIALS, &cred, sizeof(cred))) {
		errno = EPROTO;
		return (-1);
	}
	*pid = cred.pid;
	return (1);
}
