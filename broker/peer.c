/*
 * Talks with the launcher and judges each of its answers against the plan.
 * Knows the protocol, not what a job is; never believes a number that it could
 * check.  Called by launch.c and supervise.c.
 */
#include <sys/pidfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build_id.h"
#include "io.h"
#include "peer.h"
#include "plan_encode.h"
#include "times.h"

#define HELLO_DEADLINE_MS 10000
#define REAP_POLL_MS 2

void
peer_init(struct peer *p)
{
	*p = (struct peer){.ch = {.fd = -1, .side = SIDE_BROKER},
	    .proc = {.pid = -1, .pidfd = -1, .sock = -1}};
}

int
peer_start(struct peer *p, int launcher_fd, struct diag *d)
{
	p->msg = malloc(sizeof(*p->msg));
	if (p->msg == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	if (spawn_launcher(launcher_fd, &p->proc, d) == -1)
		return (-1);
	p->ch = (struct channel){.fd = p->proc.sock,
	    .side = SIDE_BROKER,
	    .state = CH_NEW};
	return (0);
}

int
peer_violation(struct diag *d, const char *what)
{
	return (diag_set(d, DIAG_INTERNAL,
	    "the launcher broke the protocol: %s", what));
}

enum peer_event
peer_receive(struct peer *p, struct diag *d)
{
	int n = msg_recv(&p->ch, p->msg);

	if (n == 0 || (n == -1 && errno == ECONNRESET))
		return (PEER_CLOSED);
	if (n == -1) {
		(void)peer_violation(d,
		    errno == EPROTONOSUPPORT ?
			"another protocol version; install agsbx and "
			"agsbx-launcher together" :
			strerror(errno));
		return (PEER_VIOLATION);
	}
	/* No message to the broker carries a descriptor in this version. */
	msg_close_fds(p->msg);
	return (PEER_MESSAGE);
}

static int
left_ms(int64_t deadline)
{
	int64_t left = deadline - monotonic_ms();

	return (left > 0 ? (int)left : 0);
}

enum peer_event
peer_wait(struct peer *p, int signal_fd, int timeout_ms, struct diag *d)
{
	struct pollfd fds[2] = {{.fd = p->ch.fd, .events = POLLIN},
	    {.fd = signal_fd, .events = POLLIN}};
	int64_t deadline = monotonic_ms() + timeout_ms;
	int n;

	do
		n = poll(fds, 2, left_ms(deadline));
	while (n == -1 && errno == EINTR);
	if (n == -1) {
		(void)diag_set(d, DIAG_INTERNAL, "poll: %s", strerror(errno));
		return (PEER_VIOLATION);
	}
	if (n == 0)
		return (PEER_TIMEOUT);
	if (fds[1].revents != 0)
		return (PEER_SIGNAL);
	return (peer_receive(p, d));
}

static int
judge_hello(const struct msg *m, struct diag *d)
{
	static const char build_id[sizeof(((struct msg_hello *)0)->build_id)] =
	    AGSBX_BUILD_ID;
	struct msg_hello hello;

	if (m->type != MSG_HELLO || m->body_len != sizeof(hello))
		return (peer_violation(d, "no HELLO"));
	memcpy(&hello, m->body, sizeof(hello));
	if (memcmp(hello.build_id, build_id, sizeof(build_id)) != 0)
		return (diag_set(d, DIAG_INTERNAL,
		    "agsbx-launcher is of another build than agsbx; install "
		    "both together"));
	if (hello.control_count != CTL__MAX ||
	    memcmp(hello.floor_id, filter_floor_id, sizeof(filter_floor_id)) !=
		0)
		return (
		    peer_violation(d, "another control table or floor filter"));
	return (0);
}

/* Nothing came, and the socket is closed. */
static void
tell_no_hello(const struct peer *p, struct diag *d)
{
	int err = p->proc.pidfd != -1 ? spawn_failure(&p->proc) : 0;

	if (err != 0)
		(void)diag_set(d, DIAG_INTERNAL,
		    "cannot execute agsbx-launcher: %s", strerror(err));
	else
		(void)diag_set(d, DIAG_INTERNAL,
		    "agsbx-launcher ended before it said anything");
}

enum peer_event
peer_hello(struct peer *p, int signal_fd, struct diag *d)
{
	enum peer_event event = peer_wait(p, signal_fd, HELLO_DEADLINE_MS, d);

	if (event == PEER_MESSAGE && judge_hello(p->msg, d) == -1)
		event = PEER_VIOLATION;
	else if (event == PEER_TIMEOUT)
		(void)diag_set(d, DIAG_INTERNAL,
		    "agsbx-launcher did not answer in %d s",
		    HELLO_DEADLINE_MS / 1000);
	else if (event == PEER_CLOSED)
		tell_no_hello(p, d);
	return (event);
}

int
peer_send_plan(struct peer *p, const struct plan *plan, const int *fds,
    unsigned int fd_count, struct diag *d)
{
	uint8_t *bytes = malloc(PLAN_BYTES_MAX);
	long len;
	int rc;

	if (bytes == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	len = plan_encode(plan, bytes, PLAN_BYTES_MAX);
	if (len < 0)
		rc = diag_set(d, DIAG_USAGE,
		    "the arguments and files of this job are too long for "
		    "one plan");
	else if (msg_send(&p->ch, MSG_PLAN, bytes, (size_t)len, fds,
		     fd_count) == -1)
		rc = diag_set(d, DIAG_INTERNAL, "cannot send the plan: %s%s",
		    strerror(errno),
		    errno == ETOOMANYREFS ?
			"; sockets of this account hold more descriptors than "
			"the hard limit of open files (ulimit -H -n)" :
			"");
	else
		rc = 0;
	free(bytes);
	return (rc);
}

int
peer_send_go(struct peer *p, struct diag *d)
{
	if (msg_send(&p->ch, MSG_GO, NULL, 0, NULL, 0) == -1)
		return (diag_set(d, DIAG_INTERNAL, "cannot open the gate: %s",
		    strerror(errno)));
	return (0);
}

int
peer_send_kill(struct peer *p, uint32_t grace_ms)
{
	struct msg_kill kill = {.grace_ms = grace_ms};

	return (msg_send(&p->ch, MSG_KILL, &kill, sizeof(kill), NULL, 0));
}

void
peer_kill(struct peer *p)
{
	/* ESRCH: it is dead already, which is what is wanted. */
	if (p->proc.pidfd != -1 && !p->is_reaped)
		(void)pidfd_send_signal(p->proc.pidfd, SIGKILL, NULL, 0);
}

/*
 * Children that are not ours to wait for hide the end of all children: then
 * the launcher must be reaped, and init, which it left to us, be none of them.
 */
static bool
is_init_gone(const struct peer *p)
{
	return (p->init_pid <= 0 ||
	    waitpid(p->init_pid, NULL, WNOHANG | __WALL) != 0);
}

/* Reaps what has ended.  True when everything that was ours is gone. */
static bool
reap(struct peer *p)
{
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, NULL, WNOHANG | __WALL);
		if (pid == p->proc.pid)
			p->is_reaped = true;
		if (pid == -1 && errno == EINTR)
			continue;
		if (pid <= 0)
			break;
	}
	return (pid == -1 ||
	    (p->proc.has_other_children && p->is_reaped && is_init_gone(p)));
}

int
peer_end(struct peer *p, int timeout_ms, struct diag *d)
{
	int64_t kill_at = monotonic_ms() + timeout_ms;
	int64_t give_up_at = kill_at + 2000;
	struct timespec pause = {.tv_nsec = REAP_POLL_MS * 1000000L};
	struct pollfd launcher = {.fd = p->proc.pidfd, .events = POLLIN};

	if (p->proc.pid == -1)
		return (0);
	io_close(&p->proc.sock);
	p->ch.fd = -1;
	(void)poll(&launcher, 1, timeout_ms); /* the loop decides */
	while (!reap(p)) {
		if (monotonic_ms() >= kill_at)
			peer_kill(p);
		if (monotonic_ms() >= give_up_at)
			return (diag_set(d, DIAG_INTERNAL,
			    "a process of the job is still there"));
		(void)nanosleep(&pause, NULL); /* EINTR: only looks sooner */
	}
	p->proc.pid = -1;
	return (0);
}

void
peer_free(struct peer *p)
{
	io_close(&p->proc.sock);
	io_close(&p->proc.pidfd);
	free(p->msg);
	p->msg = NULL;
}
