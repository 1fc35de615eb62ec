/*
 * gap.h - from numbers to words: why a control cannot be held here, and the
 * exact fix.  Owners: hint.c (the table (control, step, errno) -> cause, fix),
 * gap.c (fills struct job's gaps from faults and waivers).
 */
#ifndef BROKER_GAP_H
#define BROKER_GAP_H

#include "job.h"

/* Adds to j->gaps one gap for every FAULT row of class HOST. 0, -1 ENOMEM. */
int gaps_from_rows(struct job *j);
/* Adds one waived gap; in_place is what stands in ("rlimit"), or NULL. */
int gaps_add_waived(struct job *j, enum control ctl, const struct readback *row,
    const char *in_place);

struct hint {
	char cause[512];
	char fix[512]; /* "" none known */
};
void hint_find(struct hint *h, enum control ctl, unsigned int step, int err);

#endif
