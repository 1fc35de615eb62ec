/*
 * policy_plan_fixture.h - the plan of a fixture's policy, for the tests that
 * look into plans.  Include <cmocka.h> before it.
 */
#ifndef TESTS_UNIT_POLICY_PLAN_FIXTURE_H
#define TESTS_UNIT_POLICY_PLAN_FIXTURE_H

#include "policy_fixture.h"

static struct plan plan;
static const char *const argv_true[] = {"/bin/true", "-x", NULL};
static const struct job_command command = {argv_true, NULL, 0};

static inline void
make_plan(struct fixture *f, control_set set)
{
	memset(&plan, 0xff, sizeof(plan));
	if (policy_plan(f->policy, &command, set, &plan, &f->diag) == -1)
		fail_msg("%s", f->diag.message);
}

static inline const struct plan_entry *
entry(const char *path)
{
	uint32_t i;

	for (i = 0; i < plan.entry_count; i++) {
		if (strcmp(plan.entries[i].path, path) == 0)
			return (&plan.entries[i]);
	}
	return (NULL);
}

#endif
