/*
 * records.h - what jobs and recover do before they open the ledger, and its
 * options.  Owner: records.c.
 */
#ifndef BROKER_RECORDS_H
#define BROKER_RECORDS_H

#include "diag.h"

/*
 * The state directory (flag: --state-dir or NULL), after root became who its
 * jobs run as.  Malloced, or NULL with d.  Makes nothing.
 */
char *records_dir(const char *flag, struct diag *d);
/* Says on stderr that dir holds no ledger: it may be a mistyped one. */
void records_tell_absent(const char *dir);

#endif
