/*
 * watch.c - from GO to EXITED.
 *
 * The launcher opens the gate once init's clocks run, passes KILL on and
 * waits for init's end, which is the end of its whole pid namespace.  What
 * became of the job is init's word; when init dies without one, that is said.
 */
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "io.h"
#include "launcher.h"
#include "wire.h"

enum watch_fd {
	WATCH_BROKER,
	WATCH_INIT,
	WATCH_GATE,
	WATCH_DEATH, /* init's pidfd */
	WATCH__MAX
};

struct watch {
	struct launch *l;
	struct channel *ch;
	struct msg_exited exited;
	int32_t exec_errno;
	bool has_status;
};

/* Each returns 0 to go on, or -1: end the job at once. */
typedef int watch_fn(struct watch *w);

static int
broker_heard(struct watch *w)
{
	static struct msg m;
	struct wire order = {.word = WIRE_KILL};
	const struct msg_kill *kill;

	if (msg_recv(w->ch, &m) != 1 || m.type != MSG_KILL)
		return (-1);
	kill = (const void *)m.body;
	order.grace_ms = kill->grace_ms;
	/* Init is gone, or does not read: it is ended by force. */
	if (wire_send(w->l->init_sock, &order, -1) == -1)
		return (errno == EPIPE ? 0 : -1);
	return (0);
}

static int
init_heard(struct watch *w)
{
	struct launch *l = w->l;
	int32_t go = GATE_GO;
	struct wire word;
	int fd;
	int r = wire_recv(l->init_sock, &word, &fd);

	io_close(&fd);
	if (r == -1 && errno == EAGAIN)
		return (0);
	if (r != 1) {
		io_close(&l->init_sock); /* its pidfd tells the rest */
		return (0);
	}
	if (word.word == WIRE_ARMED) {
		/* EPIPE: the job was killed meanwhile; its status comes. */
		(void)send(l->gate, &go, sizeof(go), MSG_NOSIGNAL);
		return (0);
	}
	if (word.word != WIRE_STATUS)
		return (-1);
	w->exited = word.status;
	w->has_status = true;
	return (0);
}

static int
gate_heard(struct watch *w)
{
	int32_t word = 0;
	pid_t pid = 0;
	int r = gate_recv(w->l->gate, &word, &pid);

	if (r == -1 && errno == EAGAIN)
		return (0);
	if (r == 1 && word > 0)
		w->exec_errno = word;
	else
		io_close(&w->l->gate); /* exec closed it */
	return (0);
}

static watch_fn *const handlers[WATCH__MAX] = {
    [WATCH_BROKER] = broker_heard,
    [WATCH_INIT] = init_heard,
    [WATCH_GATE] = gate_heard,
};

/* 1: init is dead; 0: go on; -1: end it. */
static int
watch_step(struct watch *w)
{
	struct launch *l = w->l;
	struct pollfd fds[WATCH__MAX] = {[WATCH_BROKER] = {.fd = w->ch->fd,
					     .events = POLLIN},
	    [WATCH_INIT] = {.fd = l->init_sock, .events = POLLIN},
	    [WATCH_GATE] = {.fd = l->gate, .events = POLLIN},
	    [WATCH_DEATH] = {.fd = l->init_pidfd, .events = POLLIN}};

	if (poll(fds, WATCH__MAX, -1) == -1)
		return (errno == EINTR ? 0 : -1);
	for (int i = 0; i < WATCH_DEATH; i++) {
		if (fds[i].revents != 0 && handlers[i](w) == -1)
			return (-1);
	}
	/* Only when the words that it left behind have been read. */
	return (fds[WATCH_DEATH].revents != 0 && fds[WATCH_INIT].revents == 0 &&
	    fds[WATCH_GATE].revents == 0);
}

int
launch_watch(struct launch *l, struct channel *ch)
{
	struct watch w = {.l = l, .ch = ch};
	struct wire arm = {.word = WIRE_ARM};
	int r = 0;

	/* EPIPE: init is dead already, which the loop sees at once. */
	if (wire_send(l->init_sock, &arm, -1) == -1 && errno != EPIPE)
		return (-1);
	while (r == 0)
		r = watch_step(&w);
	if (r == -1)
		return (-1);
	launch_end(l);
	if (!w.has_status)
		w.exited = (struct msg_exited){.flags = EXITED_INIT_LOST};
	w.exited.exec_errno = w.exec_errno;
	return (msg_send(ch, MSG_EXITED, &w.exited, sizeof(w.exited), NULL, 0));
}
