/*
 * peer.h - the broker's end of the conversation with the launcher.  Owners:
 * peer.c (what is said), peer_judge.c (what is believed).  The launcher's
 * messages are hostile bytes: whatever is not exactly what may be said now is
 * a violation, and ends the launch.
 */
#ifndef BROKER_PEER_H
#define BROKER_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "diag.h"
#include "msg.h"
#include "spawn.h"

struct peer {
	struct channel ch;
	struct spawned proc;
	struct msg *msg; /* the last one received; malloced */
	bool is_reaped;
	pid_t init_pid; /* of the last report; 0: unknown */
};

enum peer_event {
	PEER_MESSAGE,
	PEER_SIGNAL, /* signal_fd is readable */
	PEER_TIMEOUT,
	PEER_CLOSED,
	PEER_VIOLATION, /* d tells */
};

void peer_init(struct peer *p);
/* Starts the launcher.  0, or -1 with d. */
int peer_start(struct peer *p, int launcher_fd, struct diag *d);
/* Waits for HELLO and judges it: MESSAGE means the same table, floor filter and
 * build.  d tells of all else but a signal. */
enum peer_event peer_hello(struct peer *p, int signal_fd, struct diag *d);
/* Waits for one message; signal_fd -1: for no signal.  timeout_ms from now. */
enum peer_event
peer_wait(struct peer *p, int signal_fd, int timeout_ms, struct diag *d);
/* Reads one message that poll announced: MESSAGE, CLOSED or VIOLATION. */
enum peer_event peer_receive(struct peer *p, struct diag *d);

int peer_send_plan(struct peer *p, const struct plan *plan, const int *fds,
    unsigned int fd_count, struct diag *d);
int peer_send_go(struct peer *p, struct diag *d);
/* TERM now and KILL after grace_ms.  0, or -1 with errno: the caller then
 * kills the launcher, by which the job dies. */
int peer_send_kill(struct peer *p, uint32_t grace_ms);

/* The report in p->msg; judged: 0, or -1 with d (a violation). */
int peer_take_report(const struct peer *p, struct msg_report *r,
    const struct plan *plan, struct diag *d);
/* The body of EXITED in p->msg: 0, or -1 with d where it is no end that a
 * process can have: nothing of that may pass for exit status 0. */
int
peer_take_exited(const struct peer *p, struct msg_exited *x, struct diag *d);

/* SIGKILL to the launcher; its init and the job die with it. */
void peer_kill(struct peer *p);
/*
 * Closes the channel, reaps the launcher and, as subreaper, what it left,
 * until the kernel says that there is no child: the pid namespace is gone.
 * Kills what is still there after timeout_ms.  0, or -1 with d.
 */
int peer_end(struct peer *p, int timeout_ms, struct diag *d);
void peer_free(struct peer *p);

/* d says that the launcher broke the protocol by what; -1. */
int peer_violation(struct diag *d, const char *what);

#endif
