/*
 * admission.c - from an open ledger to the row of a job: at once, after a wait
 * in its tenant's line, or refused for a quota.  Nothing of the job exists
 * before it, and a refused one never does.  Called by run.c.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "recover.h"
#include "session.h"
#include "times.h"

#define LEDGER_WAIT_MS 30000
#define FIRST_PAUSE_MS 20   /* the head of the line looks again after it */
#define BEHIND_PAUSE_MS 100 /* who has others ahead */
#define RECOVER_EVERY_MS 1000

/* One admission. */
struct admission {
	struct session *s;
	struct ledger_quotas most;
	struct origin origins[QUOTA__MAX];
	struct ledger_denial denial;
	bool has_waited;
};

static bool
read_quotas(struct admission *a)
{
	bool has_one = false;

	for (enum quota q = 0; q < QUOTA__MAX; q++) {
		a->most.most[q] = (int64_t)policy_quota(a->s->policy,
		    a->s->job.tenant, q, &a->origins[q]);
		has_one = has_one || a->most.most[q] != 0;
	}
	return (has_one);
}

/* ---- refusals ---- */
/* Writes the row, or counts it, and fills d: from where, why, which row. */
static int
refuse(struct session *s, const struct origin *o, const char *why,
    struct diag *d)
{
	const char *id = s->job.id;
	bool has_row = false;

	if ((s->job.detail = strdup(why)) == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	if (ledger_refuse(s->ledger, &s->job, &has_row, d) == -1 ||
	    (has_row && session_anchor(s, d) == -1))
		return (-1);
	if (!has_row)
		id = "counted in an earlier row";
	if (o == NULL || o->file == NULL)
		return (diag_set(d, DIAG_QUOTA, "%s; the job did not run (%s)",
		    why, id));
	return (diag_at(d, DIAG_QUOTA, o->file, o->line,
	    "%s; the job did not run (%s)", why, id));
}

static int
refuse_waivers(struct session *s, struct diag *d)
{
	const struct policy *p = s->policy;
	char names[256] = "", why[512];

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if ((p->forbidden & CONTROL_BIT(ctl)) != 0) {
			(void)strlcat(names, names[0] != '\0' ? "," : "",
			    sizeof(names)); /* fits, as all names do */
			(void)strlcat(names, controls[ctl].name, sizeof(names));
		}
	(void)snprintf(why, sizeof(why),
	    "tenant %s may not waive %s (degraded)", s->job.tenant, names);
	return (refuse(s, &p->forbidden_origin, why, d));
}

static const char *
shown(enum quota q, int64_t value, char buf[32])
{
	return (value != 0 ?
		value_print(quota_infos[q].kind, (uint64_t)value, buf, 32) :
		"nothing");
}

static int
refuse_quota(struct admission *a, struct diag *d)
{
	const struct ledger_denial *n = &a->denial;
	char most[32], used[32], asked[32], why[512];
	const char *tenant = a->s->job.tenant;
	enum quota q = n->quota;
	const char *after = a->has_waited ? ", also after --wait" : "";

	if (q == QUOTA__MAX && n->is_late) {
		(void)snprintf(why, sizeof(why),
		    "tenant %s: the time of --wait was over before its turn",
		    tenant);
		return (refuse(a->s, NULL, why, d));
	}
	if (q == QUOTA__MAX) {
		(void)snprintf(why, sizeof(why),
		    "tenant %s: other jobs wait for its quota%s%s", tenant,
		    after,
		    after[0] != '\0' ? "" : " already; --wait joins them");
		return (refuse(a->s, NULL, why, d));
	}
	(void)snprintf(why, sizeof(why),
	    "tenant %s: quota %s %s: %s in use and %s asked for%s", tenant,
	    quota_infos[q].key, shown(q, a->most.most[q], most),
	    shown(q, n->used, used), shown(q, n->asked, asked), after);
	return (refuse(a->s, &a->origins[q], why, d));
}

/* ---- the wait ---- */
/* More than all of a quota never becomes free; it would only block the line,
 * and is denied first, also where another quota is used up as well. */
static bool
can_become_free(const struct admission *a)
{
	enum quota q = a->denial.quota;

	return (q == QUOTA__MAX || a->denial.asked <= a->most.most[q]);
}

/* 1: time is up; 0: look again; -1 with d: a signal. */
static int
pause_a_while(struct admission *a, int64_t until_ms, struct diag *d)
{
	struct pollfd fd = {.fd = a->s->signal_fd, .events = POLLIN};
	int64_t left = until_ms - monotonic_ms();
	int pause = a->denial.has_waiters ? BEHIND_PAUSE_MS : FIRST_PAUSE_MS;

	if (left <= 0)
		return (1);
	if (poll(&fd, 1, left < pause ? (int)left : pause) > 0)
		return (diag_set(d, DIAG_QUOTA,
		    "a signal ended the wait for the quota of tenant %s; the "
		    "job did not run",
		    a->s->job.tenant));
	return (0);
}

/* The line is left by whoever is not admitted. */
static int
stand_in_line(struct admission *a, int64_t until_ms, int64_t ticket,
    struct diag *d)
{
	struct session *s = a->s;
	int64_t now, recover_ms = monotonic_ms() + RECOVER_EVERY_MS;
	int rc = 0;

	do {
		if ((now = monotonic_ms()) >= recover_ms) {
			/* A job whose broker died frees what it used. */
			if (recover_lazily(s->ledger, s->state_dir, d) == -1)
				return (-1);
			recover_ms = now + RECOVER_EVERY_MS;
		}
		rc = ledger_admit_within(s->ledger, &s->job, &a->most, ticket,
		    &a->denial, d);
		if (rc != 0 || a->denial.is_late)
			return (rc);
	} while ((rc = pause_a_while(a, until_ms, d)) == 0);
	return (rc == 1 ? 0 : -1);
}

static int
wait_in_line(struct admission *a, struct diag *d)
{
	struct session *s = a->s;
	struct diag ignored = {0};
	int64_t until_ms = monotonic_ms() + s->wait_ms, ticket = 0;
	int rc;

	if (ledger_queue(s->ledger, &s->job, until_ms, &ticket, d) == -1)
		return (-1);
	a->has_waited = true;
	rc = stand_in_line(a, until_ms, ticket, d);
	/* If this fails, whoever comes next finds us dead. */
	if (rc != 1)
		(void)ledger_unqueue(s->ledger, &s->job, ticket, &ignored);
	return (rc);
}

/* Inserts the row, within the quotas. */
static int
take(struct session *s, struct diag *d)
{
	struct admission a = {.s = s};
	int rc;

	if (s->policy->forbidden != 0)
		return (refuse_waivers(s, d));
	if (!read_quotas(&a))
		return (ledger_admit(s->ledger, &s->job, d));
	rc = ledger_admit_within(s->ledger, &s->job, &a.most, 0, &a.denial, d);
	if (rc == 0 && s->wait_ms != 0 && can_become_free(&a))
		rc = wait_in_line(&a, d);
	if (rc == 0)
		return (refuse_quota(&a, d));
	return (rc == 1 ? 0 : -1);
}

static int
open_anchor(struct session *s, struct diag *d)
{
	if (!s->policy->has_anchor)
		return (0);
	s->anchor_fd = anchor_open(ANCHOR_LOG, &s->policy->anchor_origin, d);
	if (s->anchor_fd == -1)
		return (-1);
	ledger_be_durable(s->ledger);
	return (0);
}

int
session_admit(struct session *s, struct diag *d)
{
	if (ledger_open(s->state_dir, LEDGER_WRITE, &s->ledger, d) == -1)
		return (-1);
	s->lock_fd = liveness_take(s->state_dir, &s->job.lock_byte, d);
	if (s->lock_fd == -1 || open_anchor(s, d) == -1)
		return (-1);
	/* Nothing runs yet: a signal ends the wait for another's lock. */
	ledger_set_patience(s->ledger,
	    &(struct ledger_patience){.ms = LEDGER_WAIT_MS,
		.signal_fd = s->signal_fd});
	if (recover_lazily(s->ledger, s->state_dir, d) == -1 ||
	    take(s, d) == -1)
		return (-1);
	s->is_admitted = true;
	return (0);
}
