/*
 * control.h - the control table as C.  Owner: control.c.
 *
 * Knows what controls.def says and nothing of how a control is applied.
 * Used by every layer; the rows are const and never change at run time.
 */
#ifndef COMMON_CONTROL_H
#define COMMON_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum control {
#define CONTROL(id, symbol, clone, phase, proof, unit, flags, needs, token, \
    denies) \
	CTL_##id,
#include "controls.def"
#undef CONTROL
	CTL__MAX,
	CTL_NONE = 0xff
};

enum control_phase {
	AT_INIT,
	AT_JOB,
	AT_SEAL
};
enum control_proof {
	BY_LAUNCHER,
	BY_INIT,
	BY_JOB
};
enum control_unit {
	UNIT_FLAG,  /* 1: in force */
	UNIT_COUNT, /* a plain number */
	UNIT_BYTES,
	UNIT_MS,
	UNIT_ABI,  /* a Landlock ABI */
	UNIT_BITS, /* a bit mask, printed in hex */
};

#define CONTROL_FLOOR 0x1U /* never waivable */

struct control_info {
	const char *name;
	uint64_t clone_flag; /* 0: no namespace of its own */
	enum control_phase phase;
	enum control_proof proof;
	enum control_unit unit;
	unsigned int flags;
	enum control needs; /* CTL_NONE: nothing */
	const char *token;
	const char *denies;
};

/* One bit for each control: the sets that plans and waivers are made of. */
typedef uint64_t control_set;
#define CONTROL_BIT(ctl) ((control_set)1 << (ctl))
#define CONTROL_ALL (CONTROL_BIT(CTL__MAX) - 1)
_Static_assert(CTL__MAX < 64, "control_set has one bit a control");

extern const struct control_info controls[CTL__MAX];

/* The control of that name, or CTL_NONE. */
enum control control_by_name(const char *name);

/* Every control that a plan may not leave out.  netns is among them; a plan
 * that shares the host's network is the one exception (plan_check). */
control_set control_floor(void);

static inline bool
control_is_waivable(enum control ctl)
{
	return ((controls[ctl].flags & CONTROL_FLOOR) == 0);
}

#endif
