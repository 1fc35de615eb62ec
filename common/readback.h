/*
 * readback.h - what became of each control, as fixed binary rows.
 *
 * The launcher fills one row a control and sends all of them in HELD or
 * REFUSED; the broker compares them with its plan, and prints and stores
 * them.  want and got are in the unit of the control's row of the table.
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
	READBACK_FAULT,	  /* step, err and class say why not */
	READBACK_BLOCKED, /* what it needs (table column) failed */
	READBACK__MAX
};

struct readback {
	uint8_t state; /* enum readback_state */
	uint8_t class; /* enum fault_class, when state is FAULT */
	uint16_t step; /* enum step, when state is FAULT */
	int32_t err;   /* errno, when state is FAULT */
	uint64_t want;
	uint64_t got;
};
_Static_assert(sizeof(struct readback) == 24, "no padding on the wire");

#endif
