/*
 * From fault rows to gaps: which become one, how a waiver marks it, and that
 * each known cause has its own words.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "gap.h"
#include "words.h"

static const struct host quiet_host = {.max_user_namespaces = 1000,
    .unprivileged_userns_clone = HOST_UNKNOWN,
    .apparmor_restrict_userns = HOST_UNKNOWN,
    .leaf = {.cause = "no delegated cgroup v2: /x belongs to root"}};

static void
set_fault(struct job *j, enum control ctl, enum step step, int err,
    enum fault_class class)
{
	j->rows[ctl] = (struct readback){.state = READBACK_FAULT,
	    .class = (uint8_t) class,
	    .step = (uint16_t)step,
	    .err = err};
}

static void
test_only_host_faults(void **state)
{
	struct job j;

	(void)state;
	job_init(&j);
	set_fault(&j, CTL_MEMORY, STEP_CGROUP_LEAF, ENOENT, FAULT_HOST);
	set_fault(&j, CTL_MNTNS, STEP_BIND_CHANGED, ESTALE, FAULT_USAGE);
	set_fault(&j, CTL_DEATH, STEP_PDEATHSIG, EPERM, FAULT_OURS);
	j.rows[CTL_LANDLOCK].state = READBACK_BLOCKED;
	assert_int_equal(gaps_from_rows(&j, &quiet_host, 0), 0);
	assert_int_equal(j.gap_count, 1);
	assert_int_equal(j.gaps[0].control, CTL_MEMORY);
	assert_false(j.gaps[0].is_waived);
	assert_false(j.is_degraded);
	assert_string_equal(j.gaps[0].token, "NO-MEMORY-CEILING");
	assert_string_equal(j.gaps[0].cause, quiet_host.leaf.cause);
	assert_null(j.gaps[0].fix);
	job_free(&j);
}

static void
test_waived(void **state)
{
	struct job j;

	(void)state;
	job_init(&j);
	assert_int_equal(gaps_add_waived(&j, &quiet_host, CTL_MEMORY,
			     STEP_CGROUP_LEAF, 0),
	    0);
	assert_string_equal(j.gaps[0].token, "NO-MEMORY-CEILING(rlimit)");
	assert_true(j.is_degraded && j.gaps[0].is_waived);
	/* A hostile name of a cgroup stays text. */
	job_free(&j);
	assert_int_equal(gaps_add_waived(&j,
			     &(struct host){.leaf = {.cause = "x\033[31m\n"}},
			     CTL_MEMORY, STEP_CGROUP_LEAF, 0),
	    0);
	assert_string_equal(j.gaps[0].cause, "x\\x1b[31m\\x0a");
	/* The same control again is no second gap. */
	set_fault(&j, CTL_MEMORY, STEP_CGROUP_LEAF, ENOENT, FAULT_HOST);
	set_fault(&j, CTL_PROCFS, STEP_MOUNT_PROC, EPERM, FAULT_HOST);
	assert_int_equal(gaps_from_rows(&j, &quiet_host, CONTROL_ALL), 0);
	assert_int_equal(j.gap_count, 2);
	assert_string_equal(j.gaps[1].token, "NO-PROCFS(empty)");
	job_free(&j);
}

static void
test_floor_is_never_waived(void **state)
{
	struct job j;

	(void)state;
	job_init(&j);
	set_fault(&j, CTL_USERNS, STEP_CLONE, EPERM, FAULT_HOST);
	assert_int_equal(gaps_from_rows(&j, &quiet_host, CONTROL_ALL), 0);
	assert_false(j.gaps[0].is_waived);
	assert_false(j.is_degraded);
	job_free(&j);
}

/* What the host says of itself, and words that must then be told. */
static void
test_causes(void **state)
{
	static const struct {
		struct host host;
		enum control ctl;
		enum step step;
		int err;
		const char *cause;
		const char *fix; /* NULL: none */
	} rows[] = {
	    {{.max_user_namespaces = 0}, CTL_USERNS, STEP_CLONE, ENOSPC,
		"user.max_user_namespaces is 0", "sysctl -w user.max"},
	    {{.max_user_namespaces = 9, .unprivileged_userns_clone = 0},
		CTL_USERNS, STEP_CLONE, EPERM, "unprivileged_userns_clone is 0",
		"sysctl -w kernel.unprivileged_userns_clone=1"},
	    {{.max_user_namespaces = 9,
		 .unprivileged_userns_clone = 1,
		 .apparmor_restrict_userns = 1},
		CTL_USERNS, STEP_UID_MAP, EPERM, "AppArmor", "profile"},
	    {{.max_user_namespaces = 9, .unprivileged_userns_clone = 1},
		CTL_USERNS, STEP_CLONE, EPERM, "seccomp profile", "--security"},
	    {{.max_user_namespaces = 9, .unprivileged_userns_clone = 1},
		CTL_USERNS, STEP_CLONE, ENOSPC, "depth", "sysctl"},
	    {{.machine = ""}, CTL_MNTNS, STEP_BIND_SOURCE, ENOSYS,
		"lacks a mount call", "Linux 5.19"},
	    {{.is_proc_masked = true}, CTL_PROCFS, STEP_MOUNT_PROC, EPERM,
		"/proc are masked", "unmask=ALL"},
	    {{.is_proc_masked = false}, CTL_PROCFS, STEP_MOUNT_PROC, EPERM,
		"not whole", "/proc"},
	    {{.is_proc_masked = true}, CTL_LOCKED, STEP_USERNS_MAX, EROFS,
		"sysctls are read-only", "unmask=ALL"},
	    {{.is_proc_hidepid = true}, CTL_SESSION, STEP_READ_PROC, ENOENT,
		"hidepid", "remount"},
	    {{.machine = ""}, CTL_LANDLOCK, STEP_LANDLOCK_RULESET, EOPNOTSUPP,
		"switched off", "lsm="},
	    {{.machine = ""}, CTL_LANDLOCK, STEP_LANDLOCK_ABI, ENOSYS,
		"without Landlock", NULL},
	    {{.machine = ""}, CTL_LANDLOCK, STEP_LANDLOCK_ABI, 0, "too old",
		NULL},
	    {{.leaf = {.cause = "no leaf", .fix = "systemd-run --user"}},
		CTL_MEMORY, STEP_CGROUP_LEAF, 0, "no leaf",
		"systemd-run --user"},
	    {{.leaf = {.controllers = LEAF_MEMORY}}, CTL_MEMORY,
		STEP_CGROUP_LEAF, ENOENT, "no memory.swap.max", "swapaccount"},
	    {{.leaf = {.controllers = LEAF_MEMORY}}, CTL_CPU, STEP_CGROUP_LEAF,
		ENOENT, "lacks the controller cpu", "echo +cpu"},
	    {{.leaf = {.cause = "no leaf"}}, CTL_CPU, STEP_CGROUP_LEAF, ENOENT,
		"no leaf", NULL},
	    {{.leaf = {.controllers = LEAF_MEMORY}}, CTL_MEMORY,
		STEP_CGROUP_LEAF, EPERM, "cannot make a cgroup leaf", NULL},
	    {{.machine = ""}, CTL_RLIMITS, STEP_SETRLIMIT, EPERM, "hard limit",
		"ulimit -H"},
	    {{.machine = ""}, CTL_DEV, STEP_MOUNT_DEVPTS, ENODEV,
		"cannot mount devpts: No such device", NULL},
	    {{.machine = ""}, CTL_DEV, STEP_MOUNT_DEVPTS, 0,
		"cannot mount devpts: no reason was given", NULL},
	};
	struct hint h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		hint_find(&h, &rows[i].host, rows[i].ctl, rows[i].step,
		    rows[i].err);
		if (strstr(h.cause, rows[i].cause) == NULL)
			fail_msg("row %zu: \"%s\"", i, h.cause);
		if (rows[i].fix == NULL)
			assert_string_equal(h.fix, "");
		else if (strstr(h.fix, rows[i].fix) == NULL)
			fail_msg("row %zu: fix \"%s\"", i, h.fix);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_only_host_faults),
	    cmocka_unit_test(test_waived),
	    cmocka_unit_test(test_floor_is_never_waived),
	    cmocka_unit_test(test_causes),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
