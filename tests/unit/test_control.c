/* test_control.c - the control table, and the texts of the steps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <string.h>

#include "words.h"

static void
names_lead_back_to_their_rows(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < CTL__MAX; i++) {
		assert_int_equal(control_by_name(controls[i].name), i);
		assert_int_equal(strlen(controls[i].name),
		    strspn(controls[i].name, "abcdefghijklmnopqrstuvwxyz_"));
		assert_non_null(control_words[i].token);
		assert_string_not_equal(control_words[i].token, "");
		assert_non_null(control_words[i].denies);
		assert_string_not_equal(control_words[i].denies, "");
	}
}

static void
an_unknown_name_is_none(void **state)
{
	static const char *const names[] = {"", "memroy", "memor", "memoryx",
	    "MEMORY", "none", " memory"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(control_by_name(names[i]), CTL_NONE);
}

/* The promise that no operator can waive; written out, not computed. */
static void
the_floor_is_what_was_promised(void **state)
{
	static const char *const waivable[] = {"memory", "cpushare", "cgroupns",
	    "timens", "procfs", "nscounts", "processes", "landlock"};
	control_set floor = CONTROL_ALL;

	(void)state;
	for (size_t i = 0; i < sizeof(waivable) / sizeof(waivable[0]); i++)
		floor &= ~CONTROL_BIT(control_by_name(waivable[i]));
	assert_int_equal(control_floor(), floor);
	for (unsigned int i = 0; i < CTL__MAX; i++)
		assert_int_equal(control_is_waivable((enum control)i),
		    (floor & CONTROL_BIT(i)) == 0);
}

static void
namespaces_are_the_kernels(void **state)
{
	uint64_t flags = 0;

	(void)state;
	for (unsigned int i = 0; i < CTL__MAX; i++)
		flags |= controls[i].clone_flag;
	assert_int_equal(flags,
	    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
		CLONE_NEWCGROUP | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWTIME);
}

static void
needs_are_rows_above(void **state)
{
	(void)state;
	assert_int_equal(controls[CTL_USERNS].needs, CTL_NONE);
	assert_int_equal(controls[CTL_LOCKED].needs, CTL_ROOT);
	for (unsigned int i = 0; i < CTL__MAX; i++) {
		if (controls[i].needs != CTL_NONE)
			assert_true(controls[i].needs < i);
	}
}

static void
every_step_has_a_text_of_its_own(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < STEP__MAX; i++) {
		assert_string_not_equal(step_text(i), "");
		assert_string_not_equal(step_text(i), step_text(STEP__MAX));
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(step_text(i), step_text(j));
	}
	assert_string_equal(step_text(STEP_UID_MAP), "write uid_map");
	assert_string_equal(step_text(STEP__MAX), "take an unknown step");
	assert_string_equal(step_text(UINT16_MAX), "take an unknown step");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_lead_back_to_their_rows),
	    cmocka_unit_test(an_unknown_name_is_none),
	    cmocka_unit_test(the_floor_is_what_was_promised),
	    cmocka_unit_test(namespaces_are_the_kernels),
	    cmocka_unit_test(needs_are_rows_above),
	    cmocka_unit_test(every_step_has_a_text_of_its_own),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
