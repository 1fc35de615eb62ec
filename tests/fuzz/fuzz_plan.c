/*
 * fuzz_plan.c - the bytes of a plan as the launcher gets them: plan_decode()
 * must refuse them or give a plan that encodes to the same bytes, and what
 * plan_check() lets pass must be at the floor.
 */
#include "fuzz.h"
#include "plan.h"
#include "plan_encode.h"
#include "words.h"

static struct plan plan;
static const struct plan zeros;
static uint8_t again[PLAN_BYTES_MAX];

static void
must_be_at_the_floor(void)
{
	control_set floor = control_floor();
	const struct plan_entry *e;

	if (plan.network_host == 1)
		floor &= ~CONTROL_BIT(CTL_NETNS);
	MUST((plan.controls & floor) == floor);
	MUST((plan.controls & ~CONTROL_ALL) == 0);
	MUST((plan.controls & CONTROL_BIT(CTL_NETNS)) != 0 ||
	    plan.network_host == 1);
	MUST(plan.wall_ms > 0 && plan.max_procs > 0 && plan.memory_bytes > 0);
	MUST(plan.path_count > 0 && plan.argc > plan.path_count);
	MUST(plan.filter_len > 0);
	for (unsigned int i = 0; i < plan.entry_count; i++) {
		e = &plan.entries[i];
		MUST(e->kind < ENTRY__MAX && plan_path_is_clean(e->path));
		MUST((e->mode & ~0777U) == 0);
		if (e->kind == ENTRY_BIND)
			MUST(plan_path_is_clean(e->source) &&
			    plan_private_tree(e->source) == NULL);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum step step = plan_decode(&plan, data, size);
	long len;

	MUST(step == STEP_NONE || step == STEP_PLAN_DECODE ||
	    step == STEP_PLAN_RANGE);
	if (step != STEP_NONE) {
		MUST(memcmp(&plan, &zeros, sizeof(plan)) == 0);
		return (0);
	}
	len = plan_encode(&plan, again, sizeof(again));
	MUST(len >= 0 && (size_t)len == size);
	MUST(memcmp(again, data, size) == 0);
	if ((step = plan_check(&plan)) == STEP_NONE)
		must_be_at_the_floor();
	MUST(step == STEP_NONE || step == STEP_PLAN_RANGE ||
	    step == STEP_PLAN_FLOOR || step == STEP_PLAN_PATH);
	return (0);
}
