/*
 * test_times.c - moments as text and back, against libc's calendar.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <time.h>

#include <cmocka.h>

#include "times.h"

#define NOW INT64_C(1700000000000)

static void
prints_agree_with_libc(void **state)
{
	char ours[TIMES_SIZE], theirs[64];
	int64_t ms;

	(void)state;
	for (ms = -62167219200000; ms < 253402300800000; ms += 86399999777) {
		time_t seconds =
		    (time_t)((ms - (ms % 1000 + 1000) % 1000) / 1000);
		int64_t rest = (ms % 1000 + 1000) % 1000;
		size_t len;
		struct tm tm;

		assert_non_null(gmtime_r(&seconds, &tm));
		(void)snprintf(theirs, sizeof(theirs),
		    "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900,
		    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		    tm.tm_sec);
		len = strlen(theirs);
		(void)snprintf(theirs + len, sizeof(theirs) - len, ".%03dZ",
		    (int)rest);
		assert_string_equal(times_print(ms, ours), theirs);
	}
}

static void
ends_of_the_calendar_hold(void **state)
{
	char text[TIMES_SIZE];

	(void)state;
	assert_string_equal(times_print(INT64_MAX, text),
	    "9999-12-31T23:59:59.999Z");
	assert_string_equal(times_print(INT64_MIN, text),
	    "0000-01-01T00:00:00.000Z");
}

static void
what_is_printed_is_read(void **state)
{
	char text[TIMES_SIZE];
	int64_t ms, read;

	(void)state;
	for (ms = -62167219200000; ms < 253402300800000; ms += 977777777777) {
		assert_int_equal(times_parse(times_print(ms, text), NOW, &read),
		    0);
		assert_int_equal(read, ms);
	}
}

static void
good_times_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
	    {"1970-01-01", 0},
	    {"2024-02-29", 1709164800000},
	    {"2024-02-29T13:00:00Z", 1709211600000},
	    {"2024-02-29t13:00:00z", 1709211600000},
	    {"2024-02-29 13:00:00Z", 1709211600000},
	    {"2024-02-29T15:00:00+02:00", 1709211600000},
	    {"2024-02-29T07:30:00-05:30", 1709211600000},
	    {"2024-02-29T13:00:00.5Z", 1709211600500},
	    {"2024-02-29T13:00:00.123999Z", 1709211600123},
	    {"2016-12-31T23:59:60Z", 1483228800000},
	    {"0s", NOW},
	    {"90s", NOW - 90000},
	    {"30min", NOW - 1800000},
	    {"2h", NOW - 7200000},
	    {"7d", NOW - 604800000},
	    {"999999999d", NOW - INT64_C(999999999) * 86400000},
	};
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (times_parse(rows[i].text, NOW, &ms) == -1)
			fail_msg("%s", rows[i].text);
		assert_int_equal(ms, rows[i].ms);
	}
}

static void
bad_times_are_refused(void **state)
{
	static const char *const rows[] = {"", "yesterday", "2h ", " 2h", "-2h",
	    "2", "2m", "2H", "h", "1e3s", "9999999999d", "2023-02-29",
	    "2100-02-29", "2024-13-01", "2024-00-10", "2024-01-00",
	    "2024-04-31", "2024-1-01", "24-01-01", "2024-01-01T", "2024-01-01X",
	    "2024-01-01T10:00", "2024-01-01T10:00:00", "2024-01-01T24:00:00Z",
	    "2024-01-01T10:60:00Z", "2024-01-01T10:00:61Z",
	    "2024-01-01T10:00:00.Z", "2024-01-01T10:00:00+0200",
	    "2024-01-01T10:00:00+24:00", "2024-01-01T10:00:00+02:60",
	    "2024-01-01T10:00:00Zx", "1700000000"};
	int64_t ms = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		errno = 0;
		if (times_parse(rows[i], NOW, &ms) != -1)
			fail_msg("%s was read", rows[i]);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(ms, 1);
}

static void
now_is_now(void **state)
{
	(void)state;
	assert_true(llabs(times_now_ms() - (int64_t)time(NULL) * 1000) < 5000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(prints_agree_with_libc),
	    cmocka_unit_test(ends_of_the_calendar_hold),
	    cmocka_unit_test(what_is_printed_is_read),
	    cmocka_unit_test(good_times_are_read),
	    cmocka_unit_test(bad_times_are_refused),
	    cmocka_unit_test(now_is_now),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
