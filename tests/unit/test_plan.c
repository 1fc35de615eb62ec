/*
 * test_plan.c - one change to a good plan, and the fault it must give.
 * What entries may be is test_plan_entries.c; bytes: test_plan_decode.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "plan_fixture.h"
#include "words.h"

static struct plan plan;

static void
assert_good(void)
{
	enum step step = plan_check(&plan);

	if (step != STEP_NONE)
		fail_msg("cannot %s", step_text(step));
}

static void
assert_fault(enum step step)
{
	assert_int_equal(plan_check(&plan), step);
}

static void
the_fixture_is_good(void **state)
{
	(void)state;
	plan_fixture(&plan);
	assert_good();
}

static void
a_control_can_be_left_out_only_if_waivable(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < CTL__MAX; i++) {
		plan_fixture(&plan);
		plan.controls &= ~CONTROL_BIT(i);
		if (control_is_waivable((enum control)i))
			assert_good();
		else
			assert_fault(STEP_PLAN_FLOOR);
	}
	plan_fixture(&plan);
	plan.controls = control_floor();
	assert_good();
}

static void
unknown_bits_are_refused(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.controls |= CONTROL_BIT(CTL__MAX);
	assert_fault(STEP_PLAN_RANGE);
	plan_fixture(&plan);
	plan.has_program = 2;
	assert_fault(STEP_PLAN_RANGE);
	plan_fixture(&plan);
	plan.has_cgroup = 2;
	assert_fault(STEP_PLAN_RANGE);
	plan.has_cgroup = 1;
	assert_good();
	plan.network_host = 2;
	assert_fault(STEP_PLAN_RANGE);
}

static void
the_host_network_is_shared_only_on_request(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.network_host = true;
	assert_fault(STEP_PLAN_FLOOR);
	plan.controls &= ~CONTROL_BIT(CTL_NETNS);
	assert_good();
	plan.network_host = false;
	assert_fault(STEP_PLAN_FLOOR);
}

/* Each member with its lowest and highest good value. */
static const struct bounds {
	size_t offset;
	uint64_t min;
	uint64_t max;
} bounds[] = {
    {offsetof(struct plan, wall_ms), 1, 604800000},
    {offsetof(struct plan, grace_ms), 0, 60000},
    {offsetof(struct plan, cpu_ms), 1, 604800000},
    {offsetof(struct plan, cpu_quota_percent), 0, 409600},
    {offsetof(struct plan, memory_bytes), 1048576, 1ULL << 46},
    {offsetof(struct plan, data_bytes), 0, 1ULL << 47},
    {offsetof(struct plan, max_procs), 1, 4194304},
    {offsetof(struct plan, nofile), 8, 1048576},
    {offsetof(struct plan, file_bytes), 1, 1ULL << 46},
    {offsetof(struct plan, stack_bytes), 65536, 1ULL << 46},
    {offsetof(struct plan, scratch_bytes), 4096, 1ULL << 46},
    {offsetof(struct plan, scratch_inodes), 16, 1ULL << 31},
    {offsetof(struct plan, program_bytes), 0, 64ULL << 20},
};

static void
set_value(const struct bounds *b, uint64_t value)
{
	plan_fixture(&plan);
	memcpy((char *)&plan + b->offset, &value, sizeof(value));
}

static void
values_stay_within_their_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		set_value(&bounds[i], bounds[i].min);
		assert_good();
		set_value(&bounds[i], bounds[i].max);
		assert_good();
		set_value(&bounds[i], bounds[i].max + 1);
		assert_fault(STEP_PLAN_RANGE);
		set_value(&bounds[i], UINT64_MAX);
		assert_fault(STEP_PLAN_RANGE);
		if (bounds[i].min == 0)
			continue;
		set_value(&bounds[i], bounds[i].min - 1);
		assert_fault(STEP_PLAN_RANGE);
	}
}

static void
landlock_needs_at_least_abi_2(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.landlock_abi_min = 1;
	assert_fault(STEP_PLAN_RANGE);
	plan.controls &= ~CONTROL_BIT(CTL_LANDLOCK);
	assert_good();
}

static void
there_is_a_filter(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.filter_len = 0;
	assert_fault(STEP_PLAN_RANGE);
	plan.filter_len = PLAN_FILTER_MAX;
	assert_good();
	plan.filter_len = PLAN_FILTER_MAX + 1;
	assert_fault(STEP_PLAN_RANGE);
}

static void
a_program_travels_exactly_when_it_is_announced(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.has_program = false;
	assert_fault(STEP_PLAN_PATH);
	plan.entry_count--; /* the program is the last one */
	assert_good();
	plan.has_program = true;
	assert_fault(STEP_PLAN_PATH);
	plan.entry_count += 2;
	plan.entries[5] = plan.entries[4];
	assert_fault(STEP_PLAN_PATH);
	plan.entry_count--;
	assert_good();
}

static void
counts_are_bounded_before_anything_is_read(void **state)
{
	(void)state;
	plan_fixture(&plan);
	plan.argc = 0;
	assert_fault(STEP_PLAN_RANGE);
	plan.argc = PLAN_ARGV_MAX + 1;
	assert_fault(STEP_PLAN_RANGE);
	plan_fixture(&plan);
	plan.path_count = 0; /* nothing to execute */
	assert_fault(STEP_PLAN_RANGE);
	plan.path_count = plan.argc; /* no argument 0 */
	assert_fault(STEP_PLAN_RANGE);
	plan.path_count = UINT32_MAX;
	assert_fault(STEP_PLAN_RANGE);
	plan_fixture(&plan);
	plan.envc = PLAN_ENVP_MAX + 1;
	assert_fault(STEP_PLAN_RANGE);
	plan_fixture(&plan);
	plan.entry_count = PLAN_ENTRIES_MAX + 1;
	assert_fault(STEP_PLAN_RANGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_fixture_is_good),
	    cmocka_unit_test(a_control_can_be_left_out_only_if_waivable),
	    cmocka_unit_test(unknown_bits_are_refused),
	    cmocka_unit_test(the_host_network_is_shared_only_on_request),
	    cmocka_unit_test(values_stay_within_their_bounds),
	    cmocka_unit_test(landlock_needs_at_least_abi_2),
	    cmocka_unit_test(there_is_a_filter),
	    cmocka_unit_test(a_program_travels_exactly_when_it_is_announced),
	    cmocka_unit_test(counts_are_bounded_before_anything_is_read),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
