/*
 * readback.h - what became of a launch, as numbers: faults, captured at the
 * failing call, and one row for each control.  Prose is the broker's.
 */
#ifndef COMMON_READBACK_H
#define COMMON_READBACK_H

#include <stdint.h>

#include "control.h"

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

enum readback_state {
	READBACK_OFF,	  /* not in the plan */
	READBACK_PENDING, /* not reached: never sent in a HELD */
	READBACK_APPLIED, /* set, not read back yet: never sent in a HELD */
	READBACK_HELD,	  /* set and read back */
	READBACK_FAULT,	  /* class, step and err say why not */
	READBACK_BLOCKED, /* what it needs (table column) failed */
	READBACK__MAX
};

struct readback {
	uint8_t state; /* enum readback_state */
	uint8_t class; /* as in struct fault, when state is FAULT */
	uint16_t step;
	int32_t err;
	uint64_t want; /* in the unit of the control's row */
	uint64_t got;
};
_Static_assert(sizeof(struct readback) == 24, "no padding on the wire");

#endif
