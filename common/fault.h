/*
 * fault.h - what went wrong in a launch, as numbers that are captured at the
 * failing call and cross the socketpair; prose exists only in the broker.
 */
#ifndef COMMON_FAULT_H
#define COMMON_FAULT_H

#include <stdint.h>

enum step {
#define STEP(id) STEP_##id,
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

#endif
