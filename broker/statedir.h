/*
 * statedir.h - where the ledger lives.  Owner: statedir.c.  Reads the
 * environment and HOME; must be called before the broker is confined.
 */
#ifndef BROKER_STATEDIR_H
#define BROKER_STATEDIR_H

#include <stdbool.h>

#include "diag.h"

#define STATEDIR_ROOT "/var/lib/agsbx"

/*
 * --state-dir (NULL: not given), $AGSBX_STATE_DIR, for root STATEDIR_ROOT,
 * $XDG_STATE_HOME/agsbx, ~/.local/state/agsbx.  Relative XDG values are
 * ignored; the other two are made absolute.  Malloced, or NULL with d.
 * Makes nothing.
 */
char *statedir_find(const char *flag, bool is_root, struct diag *d);

/* Makes the missing parents of dir (0700; root's: 0711), never dir itself.
 * 0, or -1. */
int statedir_make_parents(const char *dir, bool is_root, struct diag *d);

/* $XDG_CONFIG_HOME/agsbx/policy.conf or ~/.config/...; NULL with d unset when
 * there is neither, or with d on error.  Malloced. */
char *statedir_policy_file(struct diag *d);

#endif
