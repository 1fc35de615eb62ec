/*
 * words.h - what the tables of common/ are called for people.  Owner: words.c.
 */
#ifndef POLICY_WORDS_H
#define POLICY_WORDS_H

#include "control.h"
#include "fault.h"

/* What completes "cannot ...", as in "write uid_map"; never NULL, also for an
 * unknown number.  Nothing branches on it. */
const char *step_text(unsigned int step);

/* The control of that name, or CTL_NONE. */
enum control control_by_name(const char *name);

#endif
