/*
 * text.h - one job for a person: the closing line of run, the rows of jobs, a
 * job control by control, the report of doctor.  Owners: text.c (the closing
 * line, names and values), text_job.c (jobs), text_doctor.c and text_attack.c
 * (doctor).  Strings of a job leave through visible_line().
 */
#ifndef BROKER_TEXT_H
#define BROKER_TEXT_H

#include <stdio.h>

#include "host.h"
#include "job.h"
#include "policy.h"

#define TEXT_VALUE_SIZE 32
#define TEXT_SIGNAL_SIZE 24

/* "agsbx: job ID killed: wall clock 60s (--wall); wall 60.0s cpu 1.2s memory
 * 18M; confinement complete", malloced, no newline; NULL: out of memory. */
char *text_closing_line(const struct job *j, const struct policy *p);

/* "SIGKILL", "SIGRTMIN+3", "signal 99"; returns buf. */
const char *text_signal(int signal, char buf[TEXT_SIGNAL_SIZE]);

/* held, waived, refused or off: what became of a control of j. */
const char *text_control_state(const struct job *j, enum control ctl);

/* What was asked for and what was read back, by unit ("512M", "ABI 2"); NULL
 * where there is none: a control that is off, a read-back never reached. */
const char *text_want(enum control ctl, const struct readback *row,
    char buf[TEXT_VALUE_SIZE]);
const char *text_got(enum control ctl, const struct readback *row,
    char buf[TEXT_VALUE_SIZE]);

/* text_job.c: the listing, and everything of one job.  0, or -1 (ENOMEM or
 * what the stream gave). */
int text_jobs_header(FILE *f);
int text_jobs_row(FILE *f, const struct job *j);
int text_job(FILE *f, const struct job *j);

/* text_doctor.c: what was read back in a launch without a job.  The stream
 * remembers errors. */
void text_doctor(FILE *f, const struct host *h, const struct job *j,
    const struct policy *p, bool is_verbose);

/* text_attack.c: the attempts of doctor --attack; and the line of those that
 * escaped, if there is one. */
struct attack_report;
void text_attack(FILE *f, const struct attack_report *r);
void text_attack_alarm(FILE *f, const struct attack_report *r);

/* 18M, 1.5G, 900; 60.0s, 1h02m: rounded for a person; return buf. */
const char *text_bytes(int64_t bytes, char buf[TEXT_VALUE_SIZE]);
const char *text_seconds(int64_t ms, char buf[TEXT_VALUE_SIZE]);

#endif
