/*
 * test_text_doctor.c - the report of doctor for launches that end in every
 * kind of row: all held, gaps of either kind, a blocked row, a waiver.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text.h"

struct launched {
	struct host host;
	struct job job;
	struct policy *policy;
	char *text;
};

static int
setup(void **state)
{
	struct launched *l = calloc(1, sizeof(*l));

	*state = l;
	if (l == NULL || (l->policy = policy_new()) == NULL)
		return (-1);
	(void)strlcpy(l->host.sysname, "Linux", sizeof(l->host.sysname));
	(void)strlcpy(l->host.release, "6.1", sizeof(l->host.release));
	(void)strlcpy(l->host.machine, "x86_64", sizeof(l->host.machine));
	job_init(&l->job);
	l->job.has_rows = true;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		l->job.rows[ctl].state = READBACK_HELD;
	l->job.rows[CTL_LANDLOCK].want = 2;
	l->job.rows[CTL_LANDLOCK].got = 7;
	return (0);
}

static int
teardown(void **state)
{
	struct launched *l = *state;

	job_free(&l->job);
	policy_free(l->policy);
	free(l->text);
	free(l);
	return (0);
}

static void
gap(struct launched *l, enum control ctl, const char *cause, const char *fix)
{
	struct job_gap *g = &l->job.gaps[l->job.gap_count++];

	g->control = ctl;
	g->cause = strdup(cause);
	g->fix = fix != NULL ? strdup(fix) : NULL;
	assert_non_null(g->cause);
	l->job.rows[ctl].state = READBACK_FAULT;
}

static void
report(struct launched *l, bool is_verbose)
{
	size_t size;
	FILE *f = open_memstream(&l->text, &size);

	assert_non_null(f);
	text_doctor(f, &l->host, &l->job, l->policy, is_verbose);
	assert_int_equal(fclose(f), 0);
}

#define assert_has(l, part) assert_non_null(strstr((l)->text, part))
#define assert_lacks(l, part) assert_null(strstr((l)->text, part))

static void
all_held(void **state)
{
	struct launched *l = *state;

	report(l, false);
	assert_has(l, "platform          : Linux 6.1 x86_64\n");
	assert_has(l,
	    "kernel mediation  : held   (seccomp, Landlock ABI 7, "
	    "no_new_privs, capabilities)\n");
	assert_has(l, "memory ceiling    : held\n");
	assert_lacks(l, "RLIMIT_DATA");
	assert_lacks(l, "cgroup leaf");
	assert_has(l, "netns             : held\n");
	assert_has(l, "settable rlimits  : as core cpu data fsize ");
	assert_has(l, "\nNo isolation gap on this host.\n");
	assert_lacks(l, "ISOLATION GAPS");
	assert_lacks(l, "want");
}

static void
values(void **state)
{
	struct launched *l = *state;

	l->job.rows[CTL_NETNS].state = READBACK_OFF;
	report(l, true);
	assert_has(l, "landlock          : held   want ABI 2, got ABI 7\n");
	assert_has(l, "netns             : off\n");
}

static void
waivable_gap(void **state)
{
	struct launched *l = *state;

	gap(l, CTL_MEMORY, "no cgroup here", "ask for one");
	report(l, false);
	assert_has(l,
	    "memory ceiling    : GAP    no cgroup here\n"
	    "                    fix    ask for one\n");
	assert_has(l,
	    "\nISOLATION GAPS on this host:\n"
	    "  - memory (no cgroup here)\n"
	    "Jobs needing these controls are refused unless "
	    "--allow-degraded is given.\n");
}

/* What is left without a cgroup, and where a leaf was looked for. */
static void
without_cgroup(void **state)
{
	struct launched *l = *state;

	gap(l, CTL_MEMORY, "no cgroup here", NULL);
	l->host.socket_bytes = 1 << 20;
	(void)strlcpy(l->host.leaf.steps[LEAF_STEP_OWN], "belongs to \033root",
	    sizeof(l->host.leaf.steps[0]));
	(void)strlcpy(l->host.leaf.steps[LEAF_STEP_MANAGER], "none",
	    sizeof(l->host.leaf.steps[0]));
	report(l, false);
	/* 256 x (2 x 512 + 1024 x 1) + 256 */
	assert_has(l,
	    "waived RLIMIT_DATA 1.0G of each of 256 processes (RLIMIT_NPROC), "
	    "scratch 256M (tmpfs size),\n"
	    "                           1024 descriptors of each process "
	    "with 1.0M of socket buffers:\n"
	    "                           up to 524544 MiB for this policy, "
	    "and shared memory, which nothing counts\n");
	assert_has(l,
	    "cgroup leaf       : own cgroup     belongs to \\x1broot\n"
	    "                    user manager   none\n");
}

static void
whole_host(void **state)
{
	struct launched *l = *state;

	gap(l, CTL_MEMORY, "no cgroup here", NULL);
	l->host.memory_bytes = 4096ULL << 20;
	report(l, false);
	assert_has(l,
	    "up to 4096 MiB for this policy, all that this host has\n");
}

static void
waived_gap(void **state)
{
	struct launched *l = *state;

	gap(l, CTL_MEMORY, "no cgroup here", NULL);
	l->policy->waived = CONTROL_BIT(CTL_MEMORY);
	report(l, false);
	assert_has(l, "This policy waives them: jobs run, and their rows ");
	assert_lacks(l, "fix");
}

static void
no_landlock(void **state)
{
	struct launched *l = *state;

	gap(l, CTL_LANDLOCK, "this kernel has none", NULL);
	report(l, false);
	assert_has(l,
	    "kernel mediation  : GAP    (seccomp, no Landlock, no_new_privs, ");
}

static void
floor_gap(void **state)
{
	struct launched *l = *state;

	gap(l, CTL_USERNS, "user namespaces are forbidden", NULL);
	l->job.rows[CTL_PIDNS].state = READBACK_BLOCKED;
	l->job.rows[CTL_LANDLOCK].state = READBACK_PENDING;
	l->policy->waived = CONTROL_ALL;
	report(l, false);
	assert_has(l, "userns            : GAP    user namespaces are ");
	assert_has(l, "pidns             : blocked  needs userns\n");
	assert_has(l, "kernel mediation  : not proven (seccomp, no_new_privs");
	assert_has(l, "No job can run here until they are closed.\n");
	assert_lacks(l, "refused unless");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(all_held, setup, teardown),
	    cmocka_unit_test_setup_teardown(values, setup, teardown),
	    cmocka_unit_test_setup_teardown(waivable_gap, setup, teardown),
	    cmocka_unit_test_setup_teardown(without_cgroup, setup, teardown),
	    cmocka_unit_test_setup_teardown(whole_host, setup, teardown),
	    cmocka_unit_test_setup_teardown(waived_gap, setup, teardown),
	    cmocka_unit_test_setup_teardown(no_landlock, setup, teardown),
	    cmocka_unit_test_setup_teardown(floor_gap, setup, teardown),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
