/*
 * scope.h - agsbx executes itself anew in a scope of the systemd user manager,
 * where a cgroup subtree is delegated to it.  Owner: scope.c.
 */
#ifndef BROKER_SCOPE_H
#define BROKER_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

/* Set by the agsbx that executes itself, so that the next one does not. */
#define SCOPE_GUARD "AGSBX_SCOPE"

struct scope {
	const char *systemd_run; /* path of the program */
	bool is_allowed;	 /* [cgroup] systemd = auto */
	bool has_manager;	 /* its socket is there */
	int keep_fd;		 /* must survive, or -1 */
	char **argv;		 /* of this agsbx, program name included */
};
#define SCOPE_SYSTEMD_RUN "/usr/bin/systemd-run"

/*
 * Tries the manager with a scope for true(1) first: one that gives none must
 * not take the place of agsbx.  Does not return where agsbx was executed anew:
 * with the same process id, arguments, descriptors and directory.  Else text
 * tells why not.
 */
void scope_enter(const struct scope *scope, char *text, size_t size);

#endif
