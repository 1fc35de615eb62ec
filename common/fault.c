/*
 * fault.c - the texts of faults.def.
 *
 * Prose for the broker's messages and the tests; nothing branches on it.
 */
#include "fault.h"

#define STEP(id, text) [STEP_##id] = (text),
static const char *const texts[STEP__MAX] = {
#include "faults.def"
};
#undef STEP

const char *
step_text(unsigned int step)
{
	return (step < STEP__MAX ? texts[step] : "take an unknown step");
}
