/*
 * guard.h - no job is shown the ledger that its own row is in, or writes what
 * confines the next one.  Owner: guard.c.
 */
#ifndef BROKER_GUARD_H
#define BROKER_GUARD_H

#include "diag.h"
#include "plan.h"
#include "policy.h"

/*
 * Judges the binds of plan, made from p, against the state directory, which
 * may not exist yet: 0, or -1 with d naming both.
 */
int guard_ledger(const struct policy *p, const struct plan *plan,
    const char *state_dir, struct diag *d);

/* False: there is no writable bind, which guard_next() could refuse. */
bool guard_has_work(const struct policy *p);

enum guard {
	GUARD_POLICY,	  /* of all */
	GUARD_OWN_POLICY, /* of the caller */
	GUARD_PROGRAMS,
	GUARD_LIBEXEC,
	GUARD__MAX
};
/*
 * Judges the writable binds of p against these directories, of which any may
 * not exist; NULL: there is none.  A file that --policy names is not among
 * them: who names it knows of it.  0, or -1 with d.
 */
int guard_next(const struct policy *p, const char *const dirs[GUARD__MAX],
    struct diag *d);

#endif
