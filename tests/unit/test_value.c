/* test_value.c - TIME, SIZE and counts: text to number, and back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "policy.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WANT_TIME \
	" is not seconds (30, 2.5) or a number with ms, s, min or h, from " \
	"1ms to 7 days"
#define WANT_SIZE " is not bytes, or a number with K, M or G (1024), above 0"
#define WANT_MIB " is not a number of MiB above 0"
#define WANT_PERCENT " is not percent of one processor (50%, 200%), above 0"
#define WANT_COUNT " is not a whole number above 0"

static const struct {
	enum limit_kind kind;
	bool is_flag;
	const char *text;
	uint64_t want;
} good[] = {
    {KIND_TIME, true, "30", 30000},
    {KIND_TIME, true, "2.5", 2500},
    {KIND_TIME, true, "0.001", 1},
    {KIND_TIME, true, "0.25s", 250},
    {KIND_TIME, true, "1ms", 1},
    {KIND_TIME, true, "250ms", 250},
    {KIND_TIME, false, "10s", 10000},
    {KIND_TIME, false, "3min", 180000},
    {KIND_TIME, false, "1.5h", 5400000},
    {KIND_TIME, false, "168h", 604800000},
    {KIND_TIME, false, "604800", 604800000},
    {KIND_TIME, false, "007", 7000},
    {KIND_PERCENT, true, "50%", 50},
    {KIND_PERCENT, false, "409600%", 409600},
    {KIND_SIZE, true, "1", 1},
    {KIND_SIZE, true, "4096", 4096},
    {KIND_SIZE, true, "1K", 1024},
    {KIND_SIZE, false, "64M", 64ULL << 20},
    {KIND_SIZE, false, "3G", 3ULL << 30},
    {KIND_SIZE, false, "9223372036854775807", LLONG_MAX},
    {KIND_MIB, true, "512", 512ULL << 20},
    {KIND_MIB, false, "512M", 512ULL << 20},
    {KIND_MIB, false, "1048576", 1ULL << 20},
    {KIND_COUNT, true, "1", 1},
    {KIND_COUNT, false, "4194304", 4194304},
};

static const struct {
	enum limit_kind kind;
	bool is_flag;
	const char *text;
	const char *want; /* what follows the quoted value */
} bad[] = {
    {KIND_TIME, true, "", WANT_TIME},
    {KIND_TIME, true, "0", WANT_TIME},
    {KIND_TIME, true, "0.0", WANT_TIME},
    {KIND_TIME, true, "0ms", WANT_TIME},
    {KIND_TIME, true, "-1", WANT_TIME},
    {KIND_TIME, true, "+1", WANT_TIME},
    {KIND_TIME, true, " 1", WANT_TIME},
    {KIND_TIME, true, "1 ", WANT_TIME},
    {KIND_TIME, true, "1 s", WANT_TIME},
    {KIND_TIME, true, ".5", WANT_TIME},
    {KIND_TIME, true, "5.", WANT_TIME},
    {KIND_TIME, true, "1.2.3", WANT_TIME},
    {KIND_TIME, true, "0.0001", WANT_TIME},
    {KIND_TIME, true, "0.5ms", WANT_TIME},
    {KIND_TIME, true, "1.0000000000", WANT_TIME},
    {KIND_TIME, true, "1e3", WANT_TIME},
    {KIND_TIME, true, "0x10", WANT_TIME},
    {KIND_TIME, true, "infinity", WANT_TIME},
    {KIND_TIME, true, "inf", WANT_TIME},
    {KIND_TIME, true, "nan", WANT_TIME},
    {KIND_TIME, true, "60x", WANT_TIME},
    {KIND_TIME, true, "1m", WANT_TIME},
    {KIND_TIME, true, "1d", WANT_TIME},
    {KIND_TIME, true, "169h", WANT_TIME},
    {KIND_TIME, true, "604800.001", WANT_TIME},
    {KIND_TIME, true, "18446744073709551617", WANT_TIME},
    {KIND_TIME, true, "99999999999999999999999999999999999", WANT_TIME},
    {KIND_SIZE, true, "0", WANT_SIZE},
    {KIND_SIZE, true, "0G", WANT_SIZE},
    {KIND_SIZE, true, "1.5G", WANT_SIZE},
    {KIND_SIZE, true, "1g", WANT_SIZE},
    {KIND_SIZE, true, "1MB", WANT_SIZE},
    {KIND_SIZE, true, "1T", WANT_SIZE},
    {KIND_SIZE, true, "-5", WANT_SIZE},
    {KIND_SIZE, true, "infinity", WANT_SIZE},
    {KIND_SIZE, true, "9223372036854775808", WANT_SIZE},
    {KIND_SIZE, true, "9007199254740992K", WANT_SIZE},
    {KIND_SIZE, true, "M", WANT_SIZE},
    {KIND_MIB, true, "512M", WANT_MIB},
    {KIND_MIB, true, "0", WANT_MIB},
    {KIND_MIB, true, "9223372036854775807", WANT_MIB},
    {KIND_MIB, false, "512m", WANT_SIZE},
    {KIND_COUNT, true, "0", WANT_COUNT},
    {KIND_COUNT, true, "1K", WANT_COUNT},
    {KIND_COUNT, true, "1.0", WANT_COUNT},
    {KIND_COUNT, true, "-1", WANT_COUNT},
    {KIND_COUNT, true, "many", WANT_COUNT},
    {KIND_PERCENT, true, "50", WANT_PERCENT},
    {KIND_PERCENT, true, "0%", WANT_PERCENT},
    {KIND_PERCENT, true, "1.5%", WANT_PERCENT},
    {KIND_PERCENT, true, "50%%", WANT_PERCENT},
    {KIND_PERCENT, false, "50 %", WANT_PERCENT},
};

static void
good_values_are_numbers(void **state)
{
	struct diag d = {0};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++) {
		uint64_t got = 0;

		if (value_parse(good[i].kind, good[i].is_flag, good[i].text,
			&got, "--x", &d) != 0)
			fail_msg("%s: %s", good[i].text, d.message);
		if (got != good[i].want)
			fail_msg("%s is %llu", good[i].text,
			    (unsigned long long)got);
	}
	assert_int_equal(d.code, DIAG_NONE);
}

static void
bad_values_say_what_is_wanted(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		struct diag d = {0};
		char want[256];
		uint64_t got;

		(void)snprintf(want, sizeof(want), "--x: \"%s\"%s", bad[i].text,
		    bad[i].want);
		assert_int_equal(value_parse(bad[i].kind, bad[i].is_flag,
				     bad[i].text, &got, "--x", &d),
		    -1);
		assert_int_equal(d.code, DIAG_USAGE);
		assert_string_equal(d.message, want);
	}
}

static void
a_long_value_is_cut_in_the_message(void **state)
{
	struct diag d = {0};
	char text[400];
	uint64_t got;

	(void)state;
	memset(text, '7', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(value_parse(KIND_COUNT, true, text, &got, "--x", &d),
	    -1);
	assert_true(strlen(d.message) < 200);
}

static const struct {
	enum limit_kind kind;
	uint64_t value;
	const char *want;
} shown[] = {
    {KIND_TIME, 60000, "60s"},
    {KIND_TIME, 1500, "1500ms"},
    {KIND_TIME, 7200000, "2h"},
    {KIND_TIME, 90000, "90s"},
    {KIND_SIZE, 1, "1"},
    {KIND_SIZE, 1536, "1536"},
    {KIND_SIZE, 1024, "1K"},
    {KIND_SIZE, 64ULL << 20, "64M"},
    {KIND_MIB, 512ULL << 20, "512M"},
    {KIND_MIB, 1ULL << 30, "1G"},
    {KIND_COUNT, 1024, "1024"},
};

static void
numbers_are_shown_as_people_write_them(void **state)
{
	char buf[32];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(shown); i++)
		assert_string_equal(value_print(shown[i].kind, shown[i].value,
					buf, sizeof(buf)),
		    shown[i].want);
	assert_string_equal(value_print(KIND_COUNT, 123456, buf, 4), "?");
}

static void
what_is_shown_reads_back(void **state)
{
	static const enum limit_kind kinds[] = {KIND_TIME, KIND_SIZE, KIND_MIB,
	    KIND_COUNT};
	struct diag d = {0};
	char buf[32];
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(kinds); i++) {
		for (v = 1; v < 604800000; v = v * 3 + v % 7) {
			uint64_t got = 0;

			assert_int_equal(value_parse(kinds[i], false,
					     value_print(kinds[i], v, buf,
						 sizeof(buf)),
					     &got, "x", &d),
			    0);
			assert_int_equal(got, v);
		}
	}
}

static void
every_default_is_within_its_range(void **state)
{
	unsigned int l;

	(void)state;
	for (l = 0; l < LIMIT__MAX; l++) {
		const struct limit_info *i = &limit_infos[l];

		assert_true(i->min > 0 && i->min < i->max);
		if (i->def != 0)
			assert_in_range(i->def, i->min, i->max);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_values_are_numbers),
	    cmocka_unit_test(bad_values_say_what_is_wanted),
	    cmocka_unit_test(a_long_value_is_cut_in_the_message),
	    cmocka_unit_test(numbers_are_shown_as_people_write_them),
	    cmocka_unit_test(what_is_shown_reads_back),
	    cmocka_unit_test(every_default_is_within_its_range),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
