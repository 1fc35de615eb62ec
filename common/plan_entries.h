/*
 * plan_entries.h - the part of plan_check() that judges what the new root is
 * made of.  Owner: plan_entries.c; plan_check.c is its only caller.
 */
#ifndef COMMON_PLAN_ENTRIES_H
#define COMMON_PLAN_ENTRIES_H

#include "plan.h"

/* 0, or the errno of the first entry that no launcher may build: EINVAL
 * (malformed), EPERM (over what is not the plan's) or EEXIST (twice). */
int plan_entries_check(const struct plan *p);

#endif
