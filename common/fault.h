/*
 * fault.h - what went wrong in a launch, as numbers.  Owner: fault.c.
 *
 * A fault is captured at the failing call and crosses the socketpair as
 * these few integers; prose exists only in the broker (hint.c).
 */
#ifndef COMMON_FAULT_H
#define COMMON_FAULT_H

#include <stdint.h>

enum step {
#define STEP(id, text) STEP_##id,
#include "faults.def"
#undef STEP
	STEP__MAX
};

/* Whose fault it is decides the exit code: HOST 3, the others 1. */
enum fault_class {
	FAULT_HOST,
	FAULT_USAGE,
	FAULT_OURS,
	FAULT__MAX
};

struct fault {
	uint8_t control; /* enum control, or CTL_NONE */
	uint8_t class;	 /* enum fault_class */
	uint16_t step;	 /* enum step */
	int32_t err;	 /* errno, or 0 where the kernel gave none */
};

/* "write uid_map" and so on; never NULL, also for an unknown number. */
const char *step_text(unsigned int step);

#endif
