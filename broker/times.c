/*
 * times.c - moments as text and back.  Calendar arithmetic is done here and
 * not by libc, because localtime(3) and strptime(3) read time zone and locale
 * files.  Called by ledger_ops.c, jobs.c, text.c and the documents.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "times.h"

#define DAY_MS INT64_C(86400000)
#define YEAR_MAX_MS INT64_C(253402300799999) /* 9999-12-31T23:59:59.999Z */
#define YEAR_MIN_MS INT64_C(-62167219200000) /* 0000-01-01T00:00:00.000Z */

int64_t
times_now_ms(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_REALTIME, &ts) == -1)
		return (0);
	return ((int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

int64_t
monotonic_ms(void)
{
	struct timespec ts;

	/* Fails for a bad clock id only. */
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

/* Days since 1970-01-01 of a proleptic Gregorian date. */
static int64_t
days_from_date(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year =
	    (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return (era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
	    of_year - 719468);
}

static void
date_from_days(int64_t days, int *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;

	*day = (int)(doy - (153 * mp + 2) / 5 + 1);
	*month = (int)(mp < 10 ? mp + 3 : mp - 9);
	*year = (int)(yoe + era * 400 + (*month <= 2 ? 1 : 0));
}

const char *
times_print(int64_t ms, char buf[TIMES_SIZE])
{
	int64_t days, rest;
	int year, month, day, len;

	if (ms > YEAR_MAX_MS)
		ms = YEAR_MAX_MS;
	if (ms < YEAR_MIN_MS)
		ms = YEAR_MIN_MS;
	days = ms / DAY_MS;
	rest = ms % DAY_MS;
	if (rest < 0) {
		rest += DAY_MS;
		days--;
	}
	date_from_days(days, &year, &month, &day);
	len = snprintf(buf, TIMES_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
	    year % 10000, month % 100, day % 100, (int)(rest / 3600000) % 100,
	    (int)(rest / 60000 % 60), (int)(rest / 1000 % 60),
	    (int)(rest % 1000));
	if (len < 0 || len >= TIMES_SIZE)
		buf[0] = '\0';
	return (buf);
}

/* Exactly count digits; moves *p past them. */
static int
take_digits(const char **p, int count, int64_t *out)
{
	int64_t value = 0;

	for (int i = 0; i < count; i++, (*p)++) {
		if (**p < '0' || **p > '9')
			return (-1);
		value = value * 10 + (**p - '0');
	}
	*out = value;
	return (0);
}

static int
take_char(const char **p, char c)
{
	if (**p != c)
		return (-1);
	(*p)++;
	return (0);
}

static bool
date_exists(int64_t year, int64_t month, int64_t day)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
	    30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	if (month < 1 || month > 12 || day < 1)
		return (false);
	return (day <= lengths[month - 1] + (month == 2 && is_leap ? 1 : 0));
}

/* ".5", ".123456": milliseconds, the rest cut off. */
static int
take_fraction(const char **p, int64_t *ms)
{
	int64_t scale = 100;

	*ms = 0;
	if (**p != '.')
		return (0);
	(*p)++;
	if (**p < '0' || **p > '9')
		return (-1);
	for (; **p >= '0' && **p <= '9'; (*p)++, scale /= 10)
		*ms += (**p - '0') * scale;
	return (0);
}

/* "Z", "+02:00", "-05:30": milliseconds east of Greenwich. */
static int
take_offset(const char **p, int64_t *ms)
{
	int64_t hours, minutes, sign = **p == '-' ? -1 : 1;

	*ms = 0;
	if (**p == 'Z' || **p == 'z') {
		(*p)++;
		return (0);
	}
	if (**p != '+' && **p != '-')
		return (-1);
	(*p)++;
	if (take_digits(p, 2, &hours) == -1 || take_char(p, ':') == -1 ||
	    take_digits(p, 2, &minutes) == -1 || hours > 23 || minutes > 59)
		return (-1);
	*ms = sign * (hours * 60 + minutes) * 60000;
	return (0);
}

static int
parse_absolute(const char *p, int64_t *out)
{
	int64_t year, month, day, hour, minute, second, fraction, offset;

	if (take_digits(&p, 4, &year) == -1 || take_char(&p, '-') == -1 ||
	    take_digits(&p, 2, &month) == -1 || take_char(&p, '-') == -1 ||
	    take_digits(&p, 2, &day) == -1 || !date_exists(year, month, day))
		return (-1);
	*out = days_from_date(year, month, day) * DAY_MS;
	if (*p == '\0')
		return (0);
	if (*p != 'T' && *p != 't' && *p != ' ')
		return (-1);
	p++;
	if (take_digits(&p, 2, &hour) == -1 || take_char(&p, ':') == -1 ||
	    take_digits(&p, 2, &minute) == -1 || take_char(&p, ':') == -1 ||
	    take_digits(&p, 2, &second) == -1 || hour > 23 || minute > 59 ||
	    second > 60 || take_fraction(&p, &fraction) == -1 ||
	    take_offset(&p, &offset) == -1 || *p != '\0')
		return (-1);
	*out += ((hour * 60 + minute) * 60 + second) * 1000 + fraction - offset;
	return (0);
}

static int
parse_relative(const char *p, int64_t now_ms, int64_t *out)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {
	    {"s", 1000},
	    {"min", 60000},
	    {"h", 3600000},
	    {"d", DAY_MS},
	};
	int64_t value = 0;
	size_t digits = strspn(p, "0123456789");

	/* Nine digits of days still fit an int64_t of milliseconds. */
	if (digits == 0 || digits > 9 || take_digits(&p, (int)digits, &value))
		return (-1);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(p, units[i].unit) == 0) {
			*out = now_ms - value * units[i].ms;
			return (0);
		}
	return (-1);
}

int
times_parse(const char *text, int64_t now_ms, int64_t *out)
{
	int64_t ms;

	if (parse_absolute(text, &ms) == -1 &&
	    parse_relative(text, now_ms, &ms) == -1) {
		errno = EINVAL;
		return (-1);
	}
	*out = ms;
	return (0);
}
