/*
 * control.h - the control table as C (plan.c), and what became of a launch
 * as numbers: a row for each control, with the step and errno that failed.
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
	AT_START,
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

/* A bit for each control: what plans and waivers are made of. */
typedef uint64_t control_set;
#define CONTROL_BIT(ctl) ((control_set)1 << (ctl))
#define CONTROL_ALL (CONTROL_BIT(CTL__MAX) - 1)
_Static_assert(CTL__MAX < 64, "control_set has one bit a control");

enum step {
#define STEP(id) STEP_##id,
#include "faults.def"
#undef STEP
	STEP__MAX
};

enum readback_state {
	READBACK_OFF,	  /* not in the plan */
	READBACK_PENDING, /* not reached: never sent in a HELD */
	READBACK_APPLIED, /* set, not read back yet: never sent in a HELD */
	READBACK_HELD,	  /* set and read back */
	READBACK_FAULT,	  /* step and err say why not */
	READBACK_BLOCKED, /* the broker's word: what it needs failed */
	READBACK__MAX
};

struct readback {
	uint8_t state; /* enum readback_state */
	uint8_t class; /* the broker's: enum fault_class, of a FAULT */
	uint16_t step; /* enum step */
	int32_t err;   /* errno, or 0 where the kernel gave none */
	uint64_t want; /* in the unit of the control's row */
	uint64_t got;
};
_Static_assert(sizeof(struct readback) == 24, "no padding on the wire");

#endif
