/*
 * msg.h - the messages between broker and launcher, each one datagram of a
 * SOCK_SEQPACKET pair.  Both sides keep a struct channel; msg_send() and
 * msg_recv() refuse whatever the tables in msg.c do not permit in its state,
 * before any handler sees a byte.  A violation is fatal to that job only.
 */
#ifndef COMMON_MSG_H
#define COMMON_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

#define PROTO_MAGIC 0x61675358U /* "agSX" */
#define PROTO_VERSION 5U	/* both sides must be equal */
#define MSG_BYTES_MAX (128U * 1024)
#define MSG_FDS_ROOM (PLAN_FD__MAX + 5) /* taken before they are judged */
#define MSG_PLANNED_DEADLINE_MS 10000

enum msg_type {
	MSG_HELLO,   /* launcher: here, and what I am */
	MSG_PLAN,    /* broker: build this */
	MSG_HELD,    /* launcher: built and read back */
	MSG_REFUSED, /* launcher: cannot; every fault */
	MSG_GO,	     /* broker: execute it */
	MSG_KILL,    /* broker: end it */
	MSG_EXITED,  /* launcher: it is over */
	MSG__MAX
};

enum channel_state {
	CH_NEW,	    /* nothing said yet */
	CH_IDLE,    /* HELLO was said */
	CH_PLANNED, /* a plan is being built */
	CH_HELD,    /* built; the job is stopped */
	CH_RUNNING, /* GO was said */
	CH_DONE,    /* nothing more may be said */
	CH__MAX
};

enum channel_side {
	SIDE_BROKER,
	SIDE_LAUNCHER
};

struct channel {
	int fd;
	enum channel_side side;
	enum channel_state state;
	unsigned int refusals; /* the second REFUSED ends the channel */
};

struct msg_header {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t length;   /* of the whole message, header included */
	uint32_t reserved; /* 0 */
};
_Static_assert(sizeof(struct msg_header) == 16, "no padding on the wire");

struct msg_hello {
	uint32_t control_count; /* CTL__MAX of the launcher */
	uint8_t floor_id[32];	/* SHA-256 of the floor filter's bytes */
	char build_id[40];	/* NUL-padded; must equal the broker's */
};

/* The payload of HELD and of REFUSED. */
struct msg_report {
	int32_t init_pid; /* host pids; 0 where there is none */
	int32_t job_pid;
	uint64_t count; /* CTL__MAX */
	struct readback rows[CTL__MAX];
};

struct msg_kill {
	uint32_t grace_ms; /* TERM now, KILL after this; 0: KILL now */
};

#define EXITED_BY_DEADLINE 0x1U /* init's own wall clock ended it */
#define EXITED_BY_CPU 0x2U	/* the CPU ceiling ended it */
#define EXITED_BY_KILL 0x4U	/* a KILL message ended it */
#define EXITED_INIT_LOST 0x8U	/* init died without a status: our fault */

struct msg_exited {
	int32_t wait_status;   /* of the job itself, as from waitpid(2) */
	int32_t exec_errno;    /* 0: executed; ELIBBAD: no interpreter for it */
	uint64_t flags;	       /* EXITED_* */
	uint64_t cpu_us;       /* of every process of the job */
	uint64_t maxrss_bytes; /* of its largest process */
	uint64_t wall_us;      /* from GO to the end, CLOCK_MONOTONIC */
};

/* A received message; body points into bytes. */
struct msg {
	enum msg_type type;
	const uint8_t *body;
	size_t body_len;
	int fds[MSG_FDS_ROOM]; /* owned by the receiver; -1 beyond fd_count */
	unsigned int fd_count;
	_Alignas(8) uint8_t bytes[MSG_BYTES_MAX + 1];
};

/* fds stay the caller's.  0, or -1 with errno: EPROTO (not permitted: a bug of
 * ours) or what sendmsg(2) gave; after EPIPE and ECONNRESET what the peer said
 * before it went can still be received. */
int msg_send(struct channel *ch, enum msg_type type, const void *body,
    size_t body_len, const int *fds, unsigned int fd_count);

/* 1: a message, and the channel has moved; 0: the peer has closed; -1 with
 * errno: EPROTO (not permitted), EBADMSG (cut), EPROTONOSUPPORT (version), or
 * what recvmsg(2) gave; m owns no descriptor then.  CH_DONE follows 0, a
 * violation, and a message that crossed ours: a handler looks at ch->state. */
int msg_recv(struct channel *ch, struct msg *m);

/* Closes the descriptors that m still holds and sets them to -1. */
void msg_close_fds(struct msg *m);

#endif
