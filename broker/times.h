/*
 * times.h - moments as agsbx stores and prints them: Unix time in
 * milliseconds, RFC 3339 in UTC; and the clock of deadlines.  Owner: times.c.  No time zone data is ever
 * read, so that it works in a confined process.
 */
#ifndef BROKER_TIMES_H
#define BROKER_TIMES_H

#include <stddef.h>
#include <stdint.h>

#define TIMES_SIZE 32 /* "2024-02-29T23:59:59.999Z" and its NUL */

/* The wall clock, which may be stepped: a stamp, never a deadline. */
int64_t times_now_ms(void);
/* Milliseconds of CLOCK_MONOTONIC, for every deadline of the broker. */
int64_t monotonic_ms(void);

/* RFC 3339, UTC, milliseconds; returns buf.  ms is in years 0 to 9999. */
const char *times_print(int64_t ms, char buf[TIMES_SIZE]);

/*
 * A moment as --since and --until name it: RFC 3339 (date alone, or date and
 * time with Z or an offset), or so long before now: 90s, 30min, 2h, 7d.
 * 0, or -1 with errno EINVAL.
 */
int times_parse(const char *text, int64_t now_ms, int64_t *out);

#endif
