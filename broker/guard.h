/*
 * guard.h - no job is shown the ledger that its own row is in.  Owner:
 * guard.c.
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

#endif
