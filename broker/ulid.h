/*
 * ulid.h - job ids: 48 bits of time and 80 random bits, as 26 characters of
 * Crockford's base 32, so that ids sort by the time of admission.
 * Owner: ulid.c.
 */
#ifndef BROKER_ULID_H
#define BROKER_ULID_H

#include <stdbool.h>
#include <stdint.h>

#include "job.h"

#define ULID_RANDOM_BYTES 10

/* The id of a time (Unix, ms, 0 to 2^48 - 1) and of random bytes. */
void ulid_encode(int64_t ms, const uint8_t random[ULID_RANDOM_BYTES],
    char out[JOB_ID_SIZE]);

/* A new id for that time; 0, or -1 with errno of getrandom(2). */
int ulid_new(int64_t ms, char out[JOB_ID_SIZE]);

/* True for a whole id as ulid_encode() writes it; *ms is its time. */
bool ulid_time(const char *id, int64_t *ms);

/* True for 1 to 26 characters that can begin an id, in either case. */
bool ulid_is_prefix(const char *text);

#endif
