/*
 * control.c - the rows of controls.def as one const table, for every layer.
 */
#include <sched.h>

#include "control.h"

#define FLOOR true
const struct control_info controls[CTL__MAX] = {
#define CONTROL(id, symbol, clone, phase, proof, unit, floor, needs, ...) \
	[CTL_##id] = {#symbol, clone, AT_##phase, BY_##proof, UNIT_##unit, \
	    floor, CTL_##needs},
#include "controls.def"
#undef CONTROL
};

/* Rows are applied in order, so what a row needs must stand before it. */
#define CONTROL(id, symbol, clone, phase, proof, unit, floor, needs, ...) \
	_Static_assert((int)CTL_##needs < (int)CTL_##id || \
		(int)CTL_##needs == (int)CTL_NONE, \
	    #symbol " stands before what it needs");
#include "controls.def"
