/*
 * control.c - the rows of controls.def as one const table.
 *
 * Knows nothing of how a control is applied; holds no state.  Every layer
 * calls it.
 */
#include <sched.h>
#include <string.h>

#include "control.h"

/* What controls.def calls these. */
#define FLOOR CONTROL_FLOOR

#define CONTROL(id, symbol, clone, phase, proof, unit, flags, needs, token, \
    denies) \
	[CTL_##id] = {#symbol, clone, phase, proof, unit, flags, CTL_##needs, \
	    token, denies},
const struct control_info controls[CTL__MAX] = {
#include "controls.def"
};
#undef CONTROL

/* Rows are applied in order, so what a row needs must stand before it. */
#define CONTROL(id, symbol, clone, phase, proof, unit, flags, needs, token, \
    denies) \
	_Static_assert((int)CTL_##needs == (int)CTL_NONE || \
		(int)CTL_##needs < (int)CTL_##id, \
	    #symbol " stands before what it needs");
#include "controls.def"
#undef CONTROL

enum control
control_by_name(const char *name)
{
	for (unsigned int i = 0; i < CTL__MAX; i++) {
		if (strcmp(controls[i].name, name) == 0)
			return ((enum control)i);
	}
	return (CTL_NONE);
}

control_set
control_floor(void)
{
	control_set set = 0;

	for (unsigned int i = 0; i < CTL__MAX; i++) {
		if (!control_is_waivable((enum control)i))
			set |= CONTROL_BIT(i);
	}
	return (set);
}
