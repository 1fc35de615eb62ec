/*
 * wire.h - what the launcher and init say to each other, once a launch.
 * Owner: wire.c.  Both run the same program; one message is one datagram.
 */
#ifndef LAUNCHER_WIRE_H
#define LAUNCHER_WIRE_H

#include <sys/types.h>

#include <stdint.h>

#include "msg.h"

enum wire_word {
	WIRE_SEALED, /* init: all rows are done; carries the job's pidfd */
	WIRE_ARM,    /* launcher: start the clocks */
	WIRE_ARMED,  /* init: they run; the gate may be opened */
	WIRE_KILL,   /* launcher: end the job after grace_ms */
	WIRE_STATUS, /* init: the job is over; init exits */
};

struct wire {
	uint32_t word; /* enum wire_word */
	uint32_t grace_ms;
	struct msg_exited status; /* exec_errno is the launcher's to fill */
};

/* Never blocks; pass_fd is -1 for none and stays the caller's.  0, or -1. */
int wire_send(int sock, const struct wire *w, int pass_fd);
/*
 * Never blocks.  1: a message, *fd what came with it or -1; 0: closed;
 * -1 with errno, EAGAIN when there is none, EPROTO when it is malformed.
 */
int wire_recv(int sock, struct wire *w, int *fd);

/*
 * What the job says through its gate, a SOCK_SEQPACKET pair as well: one int32.
 * HELD first; after GO either nothing (the gate is closed by exec) or the
 * errno of the exec that failed.
 */
#define GATE_HELD 0
#define GATE_GO 0
/* Receives one word and the sender's pid.  1, 0 (closed) or -1 as above. */
int gate_recv(int gate, int32_t *word, pid_t *pid);

#endif
