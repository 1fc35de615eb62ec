/*
 * ledger.h - the job ledger.  Owners: ledger.c and ledger_*.c, with
 * ledger_int.h: the only users of sqlite3.
 *
 * A row is committed before any process of the job exists; what the kernel
 * enforces is committed before its first instruction.  Permitted changes
 * (transitions.def):
 *   admitted -> held -> running -> succeeded | failed | killed
 *   admitted -> refused | killed      any open state -> error | killed | reaped
 * Each change is one transaction and appends one event; events are append-only
 * by trigger and hash-chained with SHA-256.
 * Every function returns 0, or -1 with d (DIAG_LEDGER, one line that names the
 * file and the fix).
 */
#ifndef BROKER_LEDGER_H
#define BROKER_LEDGER_H

#include "diag.h"
#include "job.h"

struct ledger;

enum ledger_mode {
	LEDGER_WRITE,  /* for run: makes what is missing */
	LEDGER_CHANGE, /* for recover: writes, but makes no ledger */
	LEDGER_READ,   /* for jobs */
	LEDGER_AUDIT   /* for audit: also what is not ours or on a read-only
			  filesystem; nothing in the file is trusted */
};

/*
 * Opens dir/agsbx.db.  LEDGER_WRITE makes dir (0700), file and schema; for the
 * others a ledger that does not exist yet is an empty list, *out == NULL.  The
 * two that write bring an older schema to today's, after a copy was put beside
 * the file.  Refuses a network filesystem, a newer schema, a corrupt file.
 */
int ledger_open(const char *dir, enum ledger_mode mode, struct ledger **out,
    struct diag *d);
void ledger_close(struct ledger *l);

/*
 * How long this connection waits while others write (30 s where it is never
 * called).  signal_fd becomes readable: from then on only grace_ms more.
 */
struct ledger_patience {
	int64_t ms;
	int signal_fd; /* -1: none */
	int64_t grace_ms;
};
void ledger_set_patience(struct ledger *l, const struct ledger_patience *p);

/* Inserts j as admitted, or as refused (a quota, a control) with its reason;
 * j->state says which.  Fills id, created_ms and, refused, ended_ms where they
 * are still unknown. */
int ledger_admit(struct ledger *l, struct job *j, struct diag *d);
/* What a tenant may use at most, by enum quota; 0: no such quota. */
struct ledger_quotas {
	int64_t most[QUOTA__MAX];
};
/* Why a job was not admitted. */
struct ledger_denial {
	bool has_waiters; /* somebody who came before waits */
	bool is_late;	  /* has no place in the line any more */
	enum quota quota; /* that it would exceed; QUOTA__MAX: none.  One that
			   * never lets it in goes before the others */
	int64_t used;	  /* of that quota */
	int64_t asked;
};
/*
 * Inserts j as admitted if it came first and is within the quotas of its
 * tenant.  ticket: of ledger_queue(), which is then used up, or 0.  1, 0: no,
 * *out tells why, or -1.
 */
int ledger_admit_within(struct ledger *l, struct job *j,
    const struct ledger_quotas *most, int64_t ticket, struct ledger_denial *out,
    struct diag *d);
/* Joins the line of j's tenant, for as long as the byte of j is locked, and at
 * most until until_ms of CLOCK_MONOTONIC: then others go on without it. */
int ledger_queue(struct ledger *l, const struct job *j, int64_t until_ms,
    int64_t *ticket, struct diag *d);
int ledger_unqueue(struct ledger *l, const struct job *j, int64_t ticket,
    struct diag *d);
/* Inserts j as refused for its quota; past 100 of the last hour and tenant it
 * is counted in the newest of these rows instead: *has_row. */
int
ledger_refuse(struct ledger *l, struct job *j, bool *has_row, struct diag *d);

/* admitted -> held: stores j->rows, gaps, pids; then held -> running.  Sets
 * j->state, and started_ms where it is unknown; on failure neither. */
int ledger_start(struct ledger *l, struct job *j, struct diag *d);
/* To the closed state j->state: everything that j holds is written, rows and
 * gaps only if it was never held.  Fills ended_ms where it is unknown. */
int ledger_settle(struct ledger *l, struct job *j, struct diag *d);
/* For recover: closes the row as reaped if it is still open; *was_open tells.
 */
int ledger_reap(struct ledger *l, const char *id, const char *detail,
    bool *was_open, struct diag *d);

struct ledger_filter {
	const char *tenant;   /* NULL: any */
	enum job_state state; /* JOB__MAX: any */
	bool is_open;	      /* open states only */
	bool is_degraded;     /* degraded only */
	bool is_network;      /* jobs that shared the host's network */
	int64_t since_ms;     /* JOB_UNKNOWN: no bound */
	int64_t until_ms;
	int64_t limit;	       /* 0: all */
	const char *id_prefix; /* NULL: any */
};

/*
 * Calls fn for each row, newest first; fn returning nonzero stops.  fn may keep
 * the job: it copies *j and calls job_init(j).
 */
int ledger_each(struct ledger *l, const struct ledger_filter *f,
    int (*fn)(struct job *j, void *arg), void *arg, struct diag *d);

#define LEDGER_HASH_TEXT 65

/* One event, so that it is found again: the head of the chain, or an earlier
 * one that was written down somewhere else. */
struct ledger_anchor {
	int64_t seq; /* 0: none */
	char hash[LEDGER_HASH_TEXT];
};

struct ledger_audit {
	int64_t events; /* of the chain, as far as it holds */
	int64_t jobs;
	struct ledger_anchor head;
	int64_t anchored; /* the anchor's event, once it was found; 0: none */
	bool is_broken;
	int64_t broken_seq;	      /* JOB_UNKNOWN: no event in particular */
	char broken_job[JOB_ID_SIZE]; /* "": none; what a file says: hostile */
	char what[256];		      /* one line, hostile as well */
};

/* Verifies the chain, every row against its last event, and the anchor (NULL:
 * none).  -1 only when it could not be found out. */
int ledger_audit(struct ledger *l, const struct ledger_anchor *anchor,
    struct ledger_audit *out, struct diag *d);

/* The event that this connection appended last; seq 0: none yet. */
const struct ledger_anchor *ledger_head(const struct ledger *l);
/* From now on a closed row is on the disk, as an anchor that is written down
 * elsewhere needs: without, a power loss can undo the last ones. */
void ledger_be_durable(struct ledger *l);

/*
 * Liveness: a broker holds an OFD lock on a byte of its own in dir/agsbx.lock
 * for as long as it lives.  Owner: liveness.c.  The descriptor is kept open by
 * the caller and must survive nothing (O_CLOEXEC).
 */
/* Takes a free byte; returns the descriptor and *byte, or -1 with d. */
int liveness_take(const char *dir, int64_t *byte, struct diag *d);
/* 1 held by someone, 0 free, -1 with d. */
int liveness_probe(const char *dir, int64_t byte, struct diag *d);
/* Somebody took the file away: then a lock on it, which its holder still has,
 * is seen by nobody. */
bool liveness_is_lost(const char *dir);

#endif
