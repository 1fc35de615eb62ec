/*
 * doc.h - the JSON documents (agsbx.job/1, error/1, doctor/1, jobs/1,
 * recover/1, audit/1, policy/1).  Owners: doc_job.c, doc_misc.c, doc_doctor.c
 * and doc_policy.c, with doc_int.h: the only users of jansson.  Keys are
 * exactly those of the manual, always all of them, null when unknown.  Each
 * returns malloced text with a newline at its end, or NULL (out of memory).
 */
#ifndef BROKER_DOC_H
#define BROKER_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "host.h"
#include "job.h"
#include "ledger.h"
#include "policy.h"

#define AGSBX_VERSION "0.1.0"

char *doc_job(const struct job *j);
char *doc_error(const struct diag *d);
/* has_more: the list was cut, and the document says so. */
char *doc_jobs(const struct job *const *jobs, size_t count, bool has_more);
/* j carries the rows and gaps of the launch without a job; attacks is NULL
 * unless they were asked for. */
struct attack_report;
char *doc_doctor(const struct host *h, const struct job *j,
    const struct policy *p, const struct attack_report *attacks);
char *doc_policy(const struct policy *p);
/* anchor: what was given, or NULL. */
char *doc_audit(const char *path, const struct ledger_audit *a,
    const struct ledger_anchor *anchor);
struct recovered {
	char id[JOB_ID_SIZE];
	char text[256]; /* "host rebooted; no process touched" */
	enum {
		RECOVER_REAPED,
		RECOVER_LIVE,
		RECOVER_FAILED
	} outcome;
};
char *doc_recover(const struct recovered *r, size_t count);

#endif
