/*
 * residual.h - what stays open although every control is held.  Owner:
 * residual.c (residuals.def).
 */
#ifndef BROKER_RESIDUAL_H
#define BROKER_RESIDUAL_H

#include "job.h"

struct residual {
	enum control closed_by; /* where it is held; CTL_NONE: nothing does */
	const char *names;
	const char *possible;
	const char *why;
};

/* The n-th of those that are open in j, a launch that was read back; NULL: no
 * more. */
const struct residual *residual_open(const struct job *j, size_t n);

#endif
