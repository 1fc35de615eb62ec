/*
 * recover.h - closing the rows of jobs whose broker died.  Owner: recover.c.
 * Never signals a process by its number, which may by now be somebody else's:
 * a dead broker's job died with it, and what a leaf holds dies with the leaf.
 */
#ifndef BROKER_RECOVER_H
#define BROKER_RECOVER_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "doc.h"
#include "ledger.h"

/*
 * Judges every open row.  A process that still dies is waited for, up to
 * patience_ms in all.  *out is malloced.  0, or -1 with d.
 */
int recover_all(struct ledger *l, const char *dir, int64_t patience_ms,
    struct recovered **out, size_t *count, struct diag *d);

/* What run does at its start: the same, without waiting and without words.  A
 * row that cannot be closed yet is no error.  0, or -1 with d. */
int recover_lazily(struct ledger *l, const char *dir, struct diag *d);

/* The pid namespace in which this process sees /proc, or JOB_UNKNOWN. */
int64_t recover_pidns(void);

#endif
