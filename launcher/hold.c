/*
 * hold.c - waits until init and the job have set their rows, then reads back.
 *
 * Runs in the launcher between PLAN and HELD or REFUSED.  Nothing that init
 * or the job do (die, hang, say something else) can delay it past its
 * deadline or end in HELD: a row that was not set and read back stays what it
 * is, and rows_are_held() decides.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "io.h"
#include "launcher.h"
#include "wire.h"

enum hold_fd {
	HOLD_BROKER,
	HOLD_INIT,
	HOLD_GATE,
	HOLD__MAX
};

/* True once there is nothing more to wait for from that side. */
struct hold {
	bool is_sealed;
	bool is_gated;
	bool is_lost;
};

static void
init_heard(struct launch *l, struct hold *h)
{
	struct wire w;
	int fd;
	int r = wire_recv(l->init_sock, &w, &fd);

	if (r == -1 && errno == EAGAIN)
		return;
	if (r != 1) {
		rows_lost(l, STEP_INIT_LOST, r == 0 ? 0 : errno);
		h->is_lost = true;
	} else if (w.word != WIRE_SEALED || h->is_sealed) {
		rows_lost(l, STEP_JOB_LOST, 0);
		h->is_lost = true;
		io_close(&fd);
	} else {
		h->is_sealed = true;
		h->is_gated |= fd == -1; /* there is no job: rows say why */
		l->job_pidfd = fd;
	}
}

static void
gate_heard(struct launch *l, struct hold *h)
{
	int32_t word = 0;
	int r = gate_recv(l->gate, &word, &l->job_pid);

	if (r == -1 && errno == EAGAIN)
		return;
	if (r == 1 && word == GATE_HELD && !h->is_gated) {
		h->is_gated = true;
		return;
	}
	rows_lost(l, STEP_JOB_LOST, r == -1 ? errno : 0);
	h->is_lost = true;
}

static int
remaining_ms(const struct timespec *since)
{
	struct timespec now;
	long ms;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (now.tv_sec - since->tv_sec) * 1000 +
	    (now.tv_nsec - since->tv_nsec) / 1000000;
	return (ms >= MSG_PLANNED_DEADLINE_MS ?
		0 :
		(int)(MSG_PLANNED_DEADLINE_MS - ms));
}

/* 0, or -1 when the broker has ended it: EOF, KILL or a violation. */
static int
rows_await(struct launch *l, struct channel *ch, struct hold *h)
{
	struct timespec since;

	(void)clock_gettime(CLOCK_MONOTONIC, &since);
	while (!h->is_lost && !(h->is_sealed && h->is_gated)) {
		struct pollfd fds[HOLD__MAX] = {[HOLD_BROKER] = {.fd = ch->fd,
						    .events = POLLIN},
		    [HOLD_INIT] = {.fd = l->init_sock, .events = POLLIN},
		    [HOLD_GATE] = {.fd = l->gate, .events = POLLIN}};
		int n = poll(fds, HOLD__MAX, remaining_ms(&since));

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1 || n == 0) {
			rows_lost(l, STEP_INIT_LOST,
			    n == 0 ? ETIMEDOUT : errno);
			return (0);
		}
		/* Whatever a broker says here is KILL, EOF or a violation. */
		if (fds[HOLD_BROKER].revents != 0)
			return (-1);
		/* Init first: it knows when the job could not be made. */
		if (fds[HOLD_INIT].revents != 0)
			init_heard(l, h);
		else if (fds[HOLD_GATE].revents != 0)
			gate_heard(l, h);
	}
	return (0);
}

/* The pid behind the job's pidfd is the one whose credentials came. */
static int
job_identify(struct launch *l)
{
	char path[sizeof("/proc/self/fdinfo/") + IO_DECIMAL_MAX];
	char digits[IO_DECIMAL_MAX], text[512];
	uint64_t pid;

	(void)stpcpy(stpcpy(path, "/proc/self/fdinfo/"),
	    io_format_u64(digits, (uint64_t)l->job_pidfd));
	if (io_read_file(AT_FDCWD, path, text, sizeof(text)) == -1 ||
	    io_field_u64(text, "Pid", 10, &pid) == -1)
		return (-1);
	if (pid != (uint64_t)l->job_pid) {
		errno = ESRCH;
		return (-1);
	}
	(void)stpcpy(stpcpy(path, "/proc/"), io_format_u64(digits, pid));
	l->job_proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return (l->job_proc == -1 ? -1 : 0);
}

/* A pidfd is readable once its process is dead: all reads were of the job. */
static bool
job_is_alive(const struct launch *l)
{
	struct pollfd fd = {.fd = l->job_pidfd, .events = POLLIN};

	return (poll(&fd, 1, 0) == 0);
}

int
launch_hold(struct launch *l, struct channel *ch)
{
	struct hold h = {0};

	if (l->init_pid == 0)
		return (0);
	if (rows_await(l, ch, &h) == -1)
		return (-1);
	if (h.is_lost || l->job_pidfd == -1)
		return (0);
	if (job_identify(l) == -1) {
		l->current = CTL_PIDNS;
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST), 0);
	}
	rows_verify(l);
	if (!job_is_alive(l))
		rows_lost(l, STEP_JOB_LOST, ESRCH);
	return (0);
}
