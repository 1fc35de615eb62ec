/*
 * drive.h - plays the broker against the real agsbx-launcher.  Owner: drive.c.
 *
 * The launcher is $B/agsbx-launcher, unless drive_program says otherwise.
 * Whatever the driver itself cannot do (no launcher, no pipe) fails the test at
 * once, with its place.
 */
#ifndef TESTS_DRIVE_H
#define TESTS_DRIVE_H

#include <sys/types.h>

#include <stdbool.h>

#include "msg.h"
#include "plan.h"

struct drive {
	pid_t launcher;
	struct channel ch;
	int in;	 /* our ends of the job's standard streams */
	int out; /* stdout and stderr both */
	bool has_plan;
	int leaf; /* sent with a plan that has_cgroup; stays the caller's */
	struct msg_hello hello;
	struct msg_report report;
	struct msg_exited exited;
	char output[8192]; /* after drive_finish() */
};

extern const char *drive_program;
/* Called in the child that becomes the launcher; NULL: nothing. */
extern void (*drive_before_exec)(void);

/* A plan: all controls but memory and cpushare, a root of /usr, this command. */
void drive_plan(struct plan *p, const char *const argv[]);
/* "sh -c script". */
void drive_plan_shell(struct plan *p, const char *script);

/* Where launchers start from now on. */
enum drive_host {
	HOST_PLAIN,
	HOST_CONTAINER, /* root of a user namespace, /proc partly covered */
	HOST_NO_USERNS, /* user.max_user_namespaces = 0 */
	HOST_NO_NETNS,
	HOST__MAX
};
/* Skips the test, saying why, where this host does not permit it. */
void drive_host(enum drive_host host);

/* Starts a launcher and hears its HELLO. */
void drive_start(struct drive *d);
/* plan_encode() of p with a directory for each parent that it lacks. */
long drive_encode(const struct plan *p, uint8_t *bytes, size_t size);
/* Sends p with fresh pipes; the type of the answer, or -1 when it closed. */
int drive_send(struct drive *d, const struct plan *p);
/* As above, any bytes and any number of descriptors. */
int drive_send_bytes(struct drive *d, const void *bytes, size_t len,
    const int *fds, unsigned int fd_count);
void drive_go(struct drive *d);
void drive_kill(struct drive *d, uint32_t grace_ms);
/* Waits for EXITED and all output; the job's wait status, -1 when it closed. */
int drive_finish(struct drive *d);
/* Closes the socket, waits for the launcher; its wait status. */
int drive_end(struct drive *d);

/* All of it, for a plan that is held: the job's wait status. */
int drive_run(struct drive *d, const struct plan *p);

/* Ends a test that this account or host cannot run, saying why. */
void drive_skip_root(void);
/* Prints each row that is neither held nor off. */
void drive_print_rows(const struct drive *d);

#endif
