/*
 * anchor.h - anchors of the ledger in the system log.  Owner: anchor.c.
 */
#ifndef BROKER_ANCHOR_H
#define BROKER_ANCHOR_H

#include "diag.h"
#include "ledger.h"
#include "policy.h"

#define ANCHOR_LOG "/dev/log"

/* A descriptor of the log at path, or -1 with d, which blames o. */
int anchor_open(const char *path, const struct origin *o, struct diag *d);

/* One line: "anchor SEQ:HASH job ID ledger DIR".  0, or -1 with errno; waits
 * at most a second. */
int anchor_write(int fd, const char *dir, const char *job,
    const struct ledger_anchor *head);

#endif
