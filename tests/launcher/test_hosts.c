/*
 * test_hosts.c - hosts that refuse something, and plans that leave it out.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

static struct drive d;
static struct plan p;

static void
plan_without_procfs(const char *script)
{
	drive_plan_shell(&p, script);
	p.controls &= ~CONTROL_BIT(CTL_PROCFS);
}

static void
test_without_procfs(void **state)
{
	(void)state;
	drive_skip_root();
	plan_without_procfs("echo /proc/*; exit 4");
	assert_int_equal(drive_run(&d, &p), 4 << 8);
	assert_string_equal(d.output, "/proc/*\n");
	assert_int_equal(d.report.rows[CTL_CPU].got, p.cpu_ms);
}

/*
 * Where no procfs can be mounted, that row alone is a gap; all others are
 * held without it, and the CPU row says what is left to it.
 */
static void
test_in_container(void **state)
{
	(void)state;
	drive_skip_root();
	drive_host(HOST_CONTAINER);
	drive_plan_shell(&p, "true");
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if (ctl == CTL_PROCFS) {
			assert_int_equal(d.report.rows[ctl].step,
			    STEP_MOUNT_PROC);
			/* what the hint goes by */
			assert_int_equal(d.report.rows[ctl].err, EPERM);
		} else if (ctl != CTL_MEMORY && ctl != CTL_CPUSHARE) {
			assert_int_equal(d.report.rows[ctl].state,
			    READBACK_HELD);
		}
	}
	(void)drive_end(&d);
	plan_without_procfs("echo /proc/*; while :; do :; done");
	p.cpu_ms = 1000;
	assert_int_equal(drive_run(&d, &p) & 0x7f, SIGKILL);
	assert_string_equal(d.output, "/proc/*\n");
	assert_int_equal(d.exited.flags, 0); /* RLIMIT_CPU did it */
	assert_true(d.exited.cpu_us > 1000000);
	assert_int_equal(d.report.rows[CTL_CPU].want, 1000);
	assert_int_equal(d.report.rows[CTL_CPU].got, 2000);
}

static int
back_to_plain(void **state)
{
	(void)state;
	drive_host(HOST_PLAIN);
	return (0);
}

/* One namespace is refused: its row says so, and the others are still tried. */
static void
test_no_netns(void **state)
{
	(void)state;
	drive_skip_root();
	drive_host(HOST_NO_NETNS);
	drive_plan_shell(&p, "true");
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if (ctl != CTL_NETNS && ctl != CTL_MEMORY &&
		    ctl != CTL_CPUSHARE)
			assert_int_equal(d.report.rows[ctl].state,
			    READBACK_HELD);
	}
	assert_int_equal(d.report.rows[CTL_NETNS].step, STEP_CLONE);
	assert_int_equal(d.report.rows[CTL_NETNS].err, ENOSPC);
	(void)drive_end(&d);
}

static void
test_no_userns(void **state)
{
	(void)state;
	drive_skip_root();
	drive_host(HOST_NO_USERNS);
	drive_plan_shell(&p, "true");
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_int_equal(d.report.rows[CTL_USERNS].step, STEP_CLONE);
	assert_int_equal(d.report.rows[CTL_USERNS].err, ENOSPC);
	for (enum control ctl = CTL_USERNS + 1; ctl < CTL__MAX; ctl++)
		assert_int_not_equal(d.report.rows[ctl].state, READBACK_FAULT);
	assert_int_equal(d.report.rows[CTL_DEATH].state, READBACK_PENDING);
	assert_int_equal(d.report.init_pid, 0);
	(void)drive_end(&d);
}

static void
test_host_network(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "true");
	p.controls &= ~CONTROL_BIT(CTL_NETNS);
	p.network_host = true;
	assert_int_equal(drive_run(&d, &p), 0);
	assert_int_equal(d.report.rows[CTL_NETNS].state, READBACK_OFF);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_without_procfs),
	    cmocka_unit_test_teardown(test_in_container, back_to_plain),
	    cmocka_unit_test_teardown(test_no_netns, back_to_plain),
	    cmocka_unit_test_teardown(test_no_userns, back_to_plain),
	    cmocka_unit_test(test_host_network),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
