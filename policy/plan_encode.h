/*
 * plan_encode.h - the plan as the bytes that plan_decode() takes.  Owner:
 * plan_encode.c, which the launcher does not link.
 */
#ifndef POLICY_PLAN_ENCODE_H
#define POLICY_PLAN_ENCODE_H

#include "plan.h"

/* The number of bytes put into buf, or -1 with errno E2BIG (more than size or
 * PLAN_BYTES_MAX) or EINVAL (a count above its maximum, a string missing). */
long plan_encode(const struct plan *p, uint8_t *buf, size_t size);

#endif
