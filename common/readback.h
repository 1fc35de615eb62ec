/*
 * readback.h - what became of each control: the rows of HELD and REFUSED.
 */
#ifndef COMMON_READBACK_H
#define COMMON_READBACK_H

#include <stdint.h>

#include "control.h"

enum readback_state {
	READBACK_OFF,	  /* not in the plan */
	READBACK_PENDING, /* not reached: never sent in a HELD */
	READBACK_APPLIED, /* set, not read back yet: never sent in a HELD */
	READBACK_HELD,	  /* set and read back */
	READBACK_FAULT,	  /* step, err and class (fault.h) say why not */
	READBACK_BLOCKED, /* what it needs (table column) failed */
	READBACK__MAX
};

struct readback {
	uint8_t state; /* enum readback_state */
	uint8_t class; /* these three only in state FAULT */
	uint16_t step;
	int32_t err;
	uint64_t want; /* in the unit of the control's row */
	uint64_t got;
};
_Static_assert(sizeof(struct readback) == 24, "no padding on the wire");

#endif
