/*
 * proc.h - the held job as the host's /proc shows it.  Owner: proc.c.
 * For the verify functions that run in the launcher; each returns 0, or -1
 * after fault_at().
 */
#ifndef LAUNCHER_PROC_H
#define LAUNCHER_PROC_H

#include "launcher.h"

#define PROC_TEXT_MAX 3584 /* fits a frame of 4 KiB */

/* Reads /proc/JOB/name whole; text holds PROC_TEXT_MAX bytes. */
int proc_text(struct launch *l, const char *name, char *text);
/* /proc/JOB/status, until the next call; NULL after fault_at(). */
const char *proc_status(struct launch *l);
/* A number of /proc/JOB/status. */
int proc_status_u64(struct launch *l, const char *key, int base, uint64_t *out);
/* Field n (from 3 on, as in proc(5)) of /proc/JOB/stat. */
int proc_stat_field(struct launch *l, unsigned int n, int64_t *out);
/* The namespace link ("ns/net") is another one than the launcher's own. */
int proc_ns_is_own(struct launch *l, const char *link);
/* The fault of a value that was read back and is not what was set. */
int proc_mismatch(struct launch *l);

#endif
