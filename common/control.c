/*
 * control.c - the rows of controls.def as one const table, for every layer.
 */
#include <sched.h>

#include "control.h"

#define FLOOR true
#define CONTROL(id, symbol, clone, phase, proof, unit, floor, needs, token, \
    denies) \
	[CTL_##id] = {#symbol, clone, AT_##phase, BY_##proof, UNIT_##unit, \
	    floor, CTL_##needs, token, denies},
const struct control_info controls[CTL__MAX] = {
#include "controls.def"
};
#undef CONTROL

/* Rows are applied in order, so what a row needs must stand before it. */
#define CONTROL(id, symbol, clone, phase, proof, unit, floor, needs, token, \
    denies) \
	_Static_assert((int)CTL_##needs == (int)CTL_NONE || \
		(int)CTL_##needs < (int)CTL_##id, \
	    #symbol " stands before what it needs");
#include "controls.def"
#undef CONTROL

control_set
control_floor(void)
{
	control_set set = 0;

	for (unsigned int i = 0; i < CTL__MAX; i++)
		if (controls[i].is_floor)
			set |= CONTROL_BIT(i);
	return (set);
}
