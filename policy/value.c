/*
 * value.c - TIME, SIZE and counts, as text and back.
 *
 * A value is digits (TIME may have a fraction) and at most one unit, whole and
 * exact: what cannot be held to the last unit is an error, never rounded.
 * Pure.  Called by policy_set() and whoever prints a limit.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy.h"

#define SECOND_MS 1000U
#define HOUR_MS (3600U * SECOND_MS)
#define TIME_MAX_MS (7ULL * 24 * HOUR_MS)
#define DIGITS "0123456789"
#define FRACTION_DIGITS_MAX 9U

struct unit {
	const char *name;
	uint64_t factor;
};
static const struct unit time_units[] = {{"", SECOND_MS}, {"ms", 1},
    {"s", SECOND_MS}, {"min", 60U * SECOND_MS}, {"h", HOUR_MS}, {NULL, 0}};
static const struct unit size_units[] = {{"", 1}, {"K", 1U << 10},
    {"M", 1U << 20}, {"G", 1U << 30}, {NULL, 0}};
static const struct unit mib_units[] = {{"", 1U << 20}, {NULL, 0}};
static const struct unit count_units[] = {{"", 1}, {NULL, 0}};
static const struct unit percent_units[] = {{"%", 1}, {NULL, 0}};

/* How values of one kind are read; a flag of KIND_MIB has its own row. */
struct reader {
	const struct unit *units;
	uint64_t max;
	bool has_fraction;
	const char *wanted;
};
enum {
	READ_TIME,
	READ_SIZE,
	READ_MIB,
	READ_COUNT,
	READ_PERCENT
};
static const struct reader readers[] = {
    [READ_TIME] = {time_units, TIME_MAX_MS, true,
	"seconds (30, 2.5) or a number with ms, s, min or h, from 1ms to "
	"7 days"},
    [READ_SIZE] = {size_units, LLONG_MAX, false,
	"bytes, or a number with K, M or G (1024), above 0"},
    [READ_MIB] = {mib_units, LLONG_MAX, false, "a number of MiB above 0"},
    [READ_COUNT] = {count_units, LLONG_MAX, false, "a whole number above 0"},
    [READ_PERCENT] = {percent_units, LLONG_MAX, false,
	"percent of one processor (50%, 200%), above 0"},
};

static const struct reader *
reader_of(enum limit_kind kind, bool is_flag)
{
	switch (kind) {
	case KIND_TIME:
		return (&readers[READ_TIME]);
	case KIND_SIZE:
		return (&readers[READ_SIZE]);
	case KIND_MIB:
		return (&readers[is_flag ? READ_MIB : READ_SIZE]);
	case KIND_PERCENT:
		return (&readers[READ_PERCENT]);
	case KIND_COUNT:
		break;
	}
	return (&readers[READ_COUNT]);
}

/* len digits; 0 and the number, or -1 where it overflows or len is 0. */
static int
parse_digits(const char *text, size_t len, uint64_t *out)
{
	char digits[32];
	const char *error;

	if (len == 0 || len >= sizeof(digits))
		return (-1);
	memcpy(digits, text, len);
	digits[len] = '\0';
	*out = (uint64_t)strtonum(digits, 0, LLONG_MAX, &error);
	return (error == NULL ? 0 : -1);
}

static const struct unit *
find_unit(const struct unit *units, const char *name)
{
	for (; units->name != NULL; units++) {
		if (strcmp(units->name, name) == 0)
			return (units);
	}
	return (NULL);
}

/* digits of a fraction, times factor; -1 unless the result is whole. */
static int
parse_fraction(const char *text, size_t len, uint64_t factor, uint64_t *out)
{
	uint64_t divisor = 1;
	uint64_t digits;
	size_t i;

	if (len > FRACTION_DIGITS_MAX || parse_digits(text, len, &digits) == -1)
		return (-1);
	for (i = 0; i < len; i++)
		divisor *= 10;
	if (digits * factor % divisor != 0)
		return (-1);
	*out = digits * factor / divisor;
	return (0);
}

static int
parse(const struct reader *r, const char *text, uint64_t *out)
{
	size_t whole_len = strspn(text, DIGITS);
	const char *fraction = NULL;
	const char *end = text + whole_len;
	size_t fraction_len = 0;
	const struct unit *unit;
	uint64_t rest = 0;
	uint64_t whole;

	if (r->has_fraction && *end == '.') {
		fraction = end + 1;
		fraction_len = strspn(fraction, DIGITS);
		end = fraction + fraction_len;
	}
	if ((unit = find_unit(r->units, end)) == NULL ||
	    parse_digits(text, whole_len, &whole) == -1 ||
	    whole > r->max / unit->factor)
		return (-1);
	if (fraction != NULL &&
	    parse_fraction(fraction, fraction_len, unit->factor, &rest) == -1)
		return (-1);
	*out = whole * unit->factor + rest;
	return (*out > 0 && *out <= r->max ? 0 : -1);
}

int
value_parse(enum limit_kind kind, bool is_flag, const char *text, uint64_t *out,
    const char *what, struct diag *d)
{
	const struct reader *r = reader_of(kind, is_flag);

	if (parse(r, text, out) == -1)
		return (diag_set(d, DIAG_USAGE, "%s: \"%.64s\" is not %s", what,
		    text, r->wanted));
	return (0);
}

static const char *
print_unit(const struct unit *units, uint64_t value, char *buf, size_t size)
{
	const struct unit *best = &units[0];
	int n;

	for (; units->name != NULL; units++) {
		if (value % units->factor == 0 && units->factor >= best->factor)
			best = units;
	}
	n = snprintf(buf, size, "%llu%s",
	    (unsigned long long)(value / best->factor), best->name);
	return (n >= 0 && (size_t)n < size ? buf : "?");
}

const char *
value_print(enum limit_kind kind, uint64_t value, char *buf, size_t size)
{
	/* No minutes: 60s is how people write a time limit. */
	static const struct unit time_shown[] = {{"ms", 1}, {"s", SECOND_MS},
	    {"h", HOUR_MS}, {NULL, 0}};

	switch (kind) {
	case KIND_TIME:
		return (print_unit(time_shown, value, buf, size));
	case KIND_SIZE:
	case KIND_MIB:
		return (print_unit(size_units, value, buf, size));
	case KIND_PERCENT:
		return (print_unit(percent_units, value, buf, size));
	case KIND_COUNT:
		break;
	}
	return (print_unit(count_units, value, buf, size));
}
