/*
 * control.h - the control table as C.  Owner: control.c, const throughout.
 */
#ifndef COMMON_CONTROL_H
#define COMMON_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum control {
#define CONTROL(id, ...) CTL_##id,
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
	UNIT_ABI, /* a Landlock ABI */
	UNIT_BITS /* a bit mask, printed in hex */
};

extern const struct control_info {
	const char *name;
	uint64_t clone_flag; /* 0: no namespace of its own */
	enum control_phase phase;
	enum control_proof proof;
	enum control_unit unit;
	bool is_floor;
	enum control needs; /* CTL_NONE: nothing */
} controls[CTL__MAX];

/* One bit for each control: the sets that plans and waivers are made of. */
typedef uint64_t control_set;
#define CONTROL_BIT(ctl) ((control_set)1 << (ctl))
#define CONTROL_ALL (CONTROL_BIT(CTL__MAX) - 1)
_Static_assert(CTL__MAX < 64, "control_set has one bit a control");

#endif
