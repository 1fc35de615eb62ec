/*
 * plan_wire.c - the order of the plan's members on the wire, as two tables.
 *
 * Read by plan_encode.c and plan_decode.c only.  A change of these rows is a
 * change of the protocol: it raises PROTO_VERSION.
 */
#include "plan_wire.h"

#define SIZE_OF(type, member) sizeof(((type *)0)->member)
#define UINT(type, member) \
	{ \
		.kind = WIRE_UINT, .offset = offsetof(type, member), \
		.size = SIZE_OF(type, member) \
	}
_Static_assert(sizeof(bool) == 1, "a bool is written as its byte");
#define BOOL(type, member) \
	{ \
		.kind = WIRE_BOOL, .offset = offsetof(type, member), .size = 1 \
	}
#define STRING(type, member) \
	{ \
		.kind = WIRE_STRING, .offset = offsetof(type, member) \
	}
#define LIST(wire, type, member, count, most) \
	{ \
		.kind = (wire), .offset = offsetof(type, member), \
		.count_offset = offsetof(type, count), .max = (most) \
	}

const struct wire_field wire_plan[WIRE_PLAN_FIELDS] = {
    UINT(struct plan, controls),
    BOOL(struct plan, has_program),
    BOOL(struct plan, network_host),
    UINT(struct plan, landlock_abi_min),
    UINT(struct plan, wall_ms),
    UINT(struct plan, grace_ms),
    UINT(struct plan, cpu_ms),
    UINT(struct plan, memory_bytes),
    UINT(struct plan, data_bytes),
    UINT(struct plan, max_procs),
    UINT(struct plan, nofile),
    UINT(struct plan, file_bytes),
    UINT(struct plan, stack_bytes),
    UINT(struct plan, scratch_bytes),
    UINT(struct plan, scratch_inodes),
    UINT(struct plan, program_bytes),
    LIST(WIRE_ENTRIES, struct plan, entries, entry_count, PLAN_ENTRIES_MAX),
    LIST(WIRE_STRINGS, struct plan, argv, argc, PLAN_ARGV_MAX),
    LIST(WIRE_STRINGS, struct plan, envp, envc, PLAN_ENVP_MAX),
    LIST(WIRE_INSNS, struct plan, filter, filter_len, PLAN_FILTER_MAX),
};

const struct wire_field wire_entry[WIRE_ENTRY_FIELDS] = {
    UINT(struct plan_entry, kind),
    UINT(struct plan_entry, flags),
    UINT(struct plan_entry, mode),
    STRING(struct plan_entry, path),
    STRING(struct plan_entry, source),
    LIST(WIRE_BYTES, struct plan_entry, content, content_len, PLAN_BYTES_MAX),
    UINT(struct plan_entry, dev),
    UINT(struct plan_entry, ino),
};
