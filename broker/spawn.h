/*
 * spawn.h - finding the launcher and starting it.  Owner: spawn.c.
 */
#ifndef BROKER_SPAWN_H
#define BROKER_SPAWN_H

#include <sys/types.h>

#include <stdbool.h>

#include "diag.h"

/* Where the launcher finds its end of the socketpair. */
#define SPAWN_SOCKET_FD 3

/* The directory of our own file, as the kernel knows it.  0, or -1 with
 * errno. */
int own_directory(char *dir, size_t size);
/* The other place for the launcher, fixed at build time. */
const char *libexec_directory(void);

/*
 * Opens (O_PATH) the launcher that stands beside agsbx, else the one in the
 * libexec directory fixed at build time: never one from the environment or
 * PATH.  It must be a regular file of root's or of agsbx's own owner that
 * nobody else can write.  The descriptor, or -1 with d.
 */
int launcher_open(struct diag *d);
/* The same in a given directory; owner_ok is the second permitted owner.
 * -1 without d: there is none.  For launcher_open() and its test. */
int launcher_open_in(const char *dir, uid_t owner_ok, struct diag *d);

/* The same for agsbx-attack, to be read: it is a job's program, and never
 * executed outside of one. */
int attack_open(struct diag *d);

struct spawned {
	pid_t pid;
	int pidfd;
	int sock; /* our end */
	/* agsbx was exec'd by a process that already had children: they are
	 * not ours to wait for */
	bool has_other_children;
};

/*
 * Starts the launcher with a constant argv, no environment, the socket as
 * descriptor 3, /dev/null as 0, 1 and 2, and a session of its own, so that a
 * terminal's signals reach the broker alone.  Makes the broker a child
 * subreaper.  Must be called by the main thread: the launcher's parent-death
 * signal is tied to it.  0, or -1 with d.
 */
int spawn_launcher(int launcher_fd, struct spawned *out, struct diag *d);
/* Of a launcher that said nothing: the errno for which it was never executed,
 * or 0 when that is not why. */
int spawn_failure(const struct spawned *s);

#endif
