/*
 * filter.h - the floor filter: what no job may do, whatever its policy says.
 *
 * The array is generated when agsbx is built (policy/genfilter.c) and linked
 * into both programs: the launcher loads it, the broker compares its id.
 */
#ifndef COMMON_FILTER_H
#define COMMON_FILTER_H

#include <linux/filter.h>

#include <stdint.h>

struct filter {
	const struct sock_filter *insns;
	uint32_t len;
};

extern const struct filter filter_floor;
extern const uint8_t filter_floor_id[32]; /* SHA-256 of its instructions */

#endif
