/*
 * gap.h - from numbers to words: why a control cannot be held here, and the
 * exact fix.  Owners: hint.c (the table (control, step, errno) -> cause, fix),
 * gap.c (fills struct job's gaps from faults and waivers).
 */
#ifndef BROKER_GAP_H
#define BROKER_GAP_H

#include "host.h"
#include "job.h"

/* Adds to j->gaps one gap for every FAULT row of class HOST; those of a
 * control in waived are marked so.  0, -1 ENOMEM. */
int gaps_from_rows(struct job *j, const struct host *host, control_set waived);
/* Adds one gap that was known without a launch, waived. */
int gaps_add_waived(struct job *j, const struct host *host, enum control ctl,
    unsigned int step, int err);

struct hint {
	char cause[512];
	char fix[512]; /* "" none known */
};
void hint_find(struct hint *h, const struct host *host, enum control ctl,
    unsigned int step, int err);

#endif
