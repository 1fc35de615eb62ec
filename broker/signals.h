/*
 * signals.h - INT, TERM and HUP as a descriptor, and the end of agsbx by the
 * signal that ended the job.  Owner: signals.c.
 */
#ifndef BROKER_SIGNALS_H
#define BROKER_SIGNALS_H

#include "diag.h"

/* Blocks the three and returns a signalfd for those that the caller of agsbx
 * did not ignore (nohup, background jobs); or -1 with d. */
int signals_open(struct diag *d);
/* The signal that arrived, 0 for none, -1 with errno. */
int signals_read(int fd);
/* From now on INT, TERM and HUP end this process at once: nothing of a job is
 * left, and who does not read what we write must not keep us. */
void signals_release(void);
/* Ends this process by sig with its default action; returns only when that
 * could not be done: the exit code to use then. */
int signals_reraise(int sig);

#endif
