/*
 * plan_wire.h - the plan's bytes: which members follow each other, and how
 * each is written.  Owners: plan_wire.c (the tables), plan_encode.c and
 * plan_decode.c, which both walk them and so cannot diverge.
 *
 * A member is found by its offset in struct plan or struct plan_entry.
 */
#ifndef COMMON_PLAN_WIRE_H
#define COMMON_PLAN_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "plan.h"

enum wire_kind {
	WIRE_UINT,    /* an unsigned integer of size bytes */
	WIRE_BOOL,    /* one byte, 0 or 1 */
	WIRE_STRING,  /* u32 length, bytes, NUL; no NUL among the bytes */
	WIRE_BYTES,   /* u32 length, bytes; the length is a member */
	WIRE_STRINGS, /* u32 count, strings; the array ends with NULL */
	WIRE_ENTRIES, /* u32 count, entries by wire_entry[] */
	WIRE_INSNS,   /* u32 count, BPF instructions of 8 bytes */
	WIRE__MAX
};

struct wire_field {
	enum wire_kind kind;
	size_t offset;
	size_t size;	     /* UINT and BOOL */
	size_t count_offset; /* BYTES and lists: a uint32_t */
	uint32_t max;	     /* lists: the highest count */
};

#define WIRE_PLAN_FIELDS 20U
#define WIRE_ENTRY_FIELDS 8U
extern const struct wire_field wire_plan[WIRE_PLAN_FIELDS];
extern const struct wire_field wire_entry[WIRE_ENTRY_FIELDS];

#endif
