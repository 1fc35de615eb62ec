/*
 * limits.c - the rows of limits.def as one const table.  Knows nothing else;
 * every layer above reads it.
 */
#include <stddef.h>

#include "policy.h"

const struct limit_info limit_infos[LIMIT__MAX] = {
#define LIMIT(id, key, flag, json, kind, def, min, max, what) \
	[LIMIT_##id] = {key, flag, json, kind, def, min, max, what},
#include "limits.def"
#undef LIMIT
};
