/*
 * confine.h - the broker's own confinement.  Owner: confine.c.
 *
 * After HELLO and before the first untrusted byte: no exec, no new socket, no
 * file outside the state directory and the job's cgroup leaf.  Never signal
 * scoping: the broker must be able to signal the launcher.  Read back through a
 * /proc/self/status that was opened before.
 */
#ifndef BROKER_CONFINE_H
#define BROKER_CONFINE_H

#include <stdbool.h>

#include "diag.h"

struct confine_paths {
	const char *state_dir; /* NULL: doctor, no file at all */
	int leaf_parent; /* a cgroup whose empty children can be removed; -1 */
};

/*
 *  *has_landlock is false where the
 * kernel has none: the launcher then reports that gap of the job as well, so
 * nothing runs unless landlock was waived; without is_landlock_waived it is an
 * error here.  0, or -1 with d.
 */
int confine_self(const struct confine_paths *paths, bool is_landlock_waived,
    bool *has_landlock, struct diag *d);

#endif
