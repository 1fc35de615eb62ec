/*
 * words.h - what the tables of common/ are called for people.  Owner: words.c.
 */
#ifndef POLICY_WORDS_H
#define POLICY_WORDS_H

#include "control.h"

/* What completes "cannot ...", as in "write uid_map"; never NULL, also for an
 * unknown number.  Nothing branches on it. */
const char *step_text(unsigned int step);

/* Whose fault it is decides the exit code: HOST 3, the others 1. */
enum fault_class {
	FAULT_HOST,
	FAULT_USAGE,
	FAULT_OURS,
	FAULT__MAX
};
/* Of a fault at that step with that errno. */
enum fault_class step_class(unsigned int step, int err);

extern const struct control_words {
	const char *token;  /* on the ledger row when it was waived */
	const char *denies; /* what a job cannot do while it is held */
} control_words[CTL__MAX];

/* The control of that name, or CTL_NONE. */
enum control control_by_name(const char *name);

/* What a plan may not leave out; one that shares the host's network leaves
 * out netns, the one exception (plan_check). */
control_set control_floor(void);

static inline bool
control_is_waivable(enum control ctl)
{
	return (!controls[ctl].is_floor);
}

#endif
