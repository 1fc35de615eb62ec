/*
 * verdict.h - the one reason for a job's end.  Owners: verdict.c, usage.c.
 * From counters and flags, never from guesses.
 */
#ifndef BROKER_VERDICT_H
#define BROKER_VERDICT_H

#include "diag.h"
#include "job.h"
#include "leaf.h"
#include "msg.h"
#include "policy.h"

/* Why the broker itself ended the job; the first one counts. */
enum kill_cause {
	KILL_NONE,
	KILL_WALL,   /* the soft deadline */
	KILL_OUTPUT, /* a stream passed its ceiling */
	KILL_SIGNAL, /* INT, TERM or HUP */
	KILL_PIPE,   /* our stdout or stderr was closed */
	KILL_OURS,   /* something failed in agsbx */
};

struct ending {
	enum kill_cause cause;
	int signal;	 /* of KILL_SIGNAL */
	bool has_exited; /* EXITED came: exited is valid */
	struct msg_exited exited;
	int64_t wall_ms; /* from GO to the end, as the broker saw it */
	struct leaf_counters counters; /* of the job; all unknown: no leaf */
	const struct policy *policy;
	const struct diag *failure; /* of KILL_OURS or a lost launcher */
	const char *command;	    /* argv[0], for reason exec */
	const char *hint;	    /* of the command; NULL */
};

/* Fills state, reason, detail, limits_hit, exit_code, signal and usage of j.
 * 0, or -1 (out of memory). */
int verdict_find(struct job *j, const struct ending *e);

/* usage.c: the usage of j alone. */
void usage_fill(struct job *j, const struct ending *e);

/* "KILL", "SEGV", ...; "?" for none. */
const char *verdict_signal_name(int sig);

#endif
