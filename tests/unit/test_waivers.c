/* test_waivers.c - the LIST of --allow-degraded, and its suggestions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "policy.h"
#include "suggest.h"
#include "words.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WAIVABLE \
	"memory, cpushare, cgroupns, timens, procfs, nscounts, processes, " \
	"landlock"

static const struct {
	const char *list;
	control_set want;
} good[] = {
    {"memory", CONTROL_BIT(CTL_MEMORY)},
    {"memory,landlock", CONTROL_BIT(CTL_MEMORY) | CONTROL_BIT(CTL_LANDLOCK)},
    {" memory ,\tprocfs ", CONTROL_BIT(CTL_MEMORY) | CONTROL_BIT(CTL_PROCFS)},
    {"memory,memory", CONTROL_BIT(CTL_MEMORY)},
};

static const struct {
	const char *list;
	const char *message;
} bad[] = {
    {"memroy",
	"unknown control \"memroy\" (did you mean \"memory\"?); those that "
	"can be waived are " WAIVABLE},
    {"everything",
	"unknown control \"everything\"; those that can be waived are " WAIVABLE},
    {"", "unknown control \"\"; those that can be waived are " WAIVABLE},
    {"memory,", "unknown control \"\"; those that can be waived are " WAIVABLE},
    {"memory,,landlock",
	"unknown control \"\"; those that can be waived are " WAIVABLE},
    {"netns",
	"netns belongs to the floor and can never be waived; those that can "
	"are " WAIVABLE},
    {"memory,plan_filter",
	"plan_filter belongs to the floor and can never be waived; those that "
	"can are " WAIVABLE},
    {"memory landlock", "\"memory\" is not followed by a comma"},
    {"MEMORY",
	"unknown control \"MEMORY\"; those that can be waived are " WAIVABLE},
    {"memorymemorymemorymemorymemorymemorymemory",
	"unknown control \"memorymemorymemorymemorymemorym\"; those that can "
	"be waived are " WAIVABLE},
};

static void
lists_become_sets(void **state)
{
	struct diag d = {0};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++) {
		control_set set = 0;

		assert_int_equal(waivers_parse(good[i].list, &set, &d), 0);
		assert_true(set == good[i].want);
	}
}

static void
bad_lists_say_what_is_possible(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		control_set set = 42;
		struct diag d = {0};

		assert_int_equal(waivers_parse(bad[i].list, &set, &d), -1);
		assert_string_equal(d.message, bad[i].message);
		assert_int_equal(d.code, DIAG_USAGE);
		assert_true(set == 42);
	}
}

static void
no_list_is_all_but_the_floor(void **state)
{
	struct diag d = {0};
	control_set set = 0;

	(void)state;
	assert_int_equal(waivers_parse(NULL, &set, &d), 0);
	assert_true((set & control_floor()) == 0);
	assert_true((set | control_floor()) == CONTROL_ALL);
}

static void
suggestions_are_near(void **state)
{
	static const struct {
		const char *word;
		const char *want; /* NULL: none */
	} rows[] = {{"memroy", "memory"}, {"memory-mb", "memory"},
	    {"wal", "wall"}, {"walll", "wall"}, {"scracth", "scratch"},
	    {"x", NULL}, {"", NULL}, {"noflie", "nofile"},
	    {"completely-different", NULL},
	    {"a-word-that-is-too-long-to-be-measured", NULL}};
	static const char *const known[] = {"memory", "wall", "scratch",
	    "scratch-inodes", "nofile"};
	char buf[64];
	char want[64];
	size_t i;
	size_t k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		struct suggestion s = {.word = rows[i].word};

		for (k = 0; k < COUNT(known); k++)
			suggest_offer(&s, known[k]);
		want[0] = '\0';
		if (rows[i].want != NULL)
			(void)snprintf(want, sizeof(want),
			    " (did you mean \"%s\"?)", rows[i].want);
		assert_string_equal(suggest_text(&s, buf, sizeof(buf)), want);
		assert_string_equal(suggest_text(&s, buf, 3), "");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists_become_sets),
	    cmocka_unit_test(bad_lists_say_what_is_possible),
	    cmocka_unit_test(no_list_is_all_but_the_floor),
	    cmocka_unit_test(suggestions_are_near),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
