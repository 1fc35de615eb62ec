/*
 * rootdrop.h - agsbx that was started as root becomes somebody else before
 * anything of a job exists.  Owner: rootdrop.c.
 */
#ifndef BROKER_ROOTDROP_H
#define BROKER_ROOTDROP_H

#include <sys/types.h>

#include <stdbool.h>

#include "diag.h"

struct rootdrop {
	bool is_root;	/* started as root, and there is somebody to become */
	bool is_lonely; /* root of a user namespace that maps one id only */
	uid_t uid;
	gid_t gid;
	char name[32];
};

/* Who is to be run as: nothing changes yet.  0, or -1 with d. */
int rootdrop_plan(struct rootdrop *r, struct diag *d);

/*
 * Makes dir (0700) and gives it to the account that agsbx will run as.  A
 * directory that exists is taken over only if it is STATEDIR_ROOT, root's, and
 * closed to others; any other must already be that account's.
 */
int
rootdrop_give_dir(const struct rootdrop *r, const char *dir, struct diag *d);

/* Drops for good, reads the drop back, and says so on stderr.  Nothing at all
 * for a caller who is not root. */
int rootdrop_drop(const struct rootdrop *r, struct diag *d);

/* True when the text of a uid_map maps a single id. */
bool uid_map_is_single(const char *text);

#endif
