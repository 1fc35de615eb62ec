/*
 * test_launch.c - the launcher as a whole: held, run, refused, ended.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

static struct drive d;
static struct plan p;

static void
assert_fault(enum control ctl, enum step step, int err)
{
	assert_int_equal(d.report.rows[ctl].state, READBACK_FAULT);
	assert_int_equal(d.report.rows[ctl].step, step);
	assert_int_equal(d.report.rows[ctl].err, err);
}

static void
test_hello(void **state)
{
	(void)state;
	drive_start(&d);
	assert_int_equal(d.hello.control_count, CTL__MAX);
	assert_memory_equal(d.hello.floor_id, filter_floor_id, 32);
	assert_int_equal(drive_end(&d), 1 << 8); /* nothing was served */
}

static void
test_every_row_is_held(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "true");
	drive_start(&d);
	if (drive_send(&d, &p) != MSG_HELD)
		drive_print_rows(&d);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		assert_int_equal(d.report.rows[ctl].state,
		    ctl == CTL_MEMORY || ctl == CTL_CPUSHARE ? READBACK_OFF :
							       READBACK_HELD);
	assert_int_equal(d.report.rows[CTL_PROCESSES].got, 256);
	assert_int_equal(d.report.rows[CTL_CAPABILITIES].got, 0);
	assert_int_equal(d.report.rows[CTL_WALL].got, 61000);
	assert_int_equal(d.report.rows[CTL_DESCRIPTORS].got, 3);
	assert_true(d.report.job_pid > 0 && d.report.init_pid > 0);
	drive_kill(&d, 0);
	(void)drive_end(&d);
	/* Reaped by then: no process of that number, or another's. */
	assert_int_equal(kill(d.report.init_pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void
test_exact_status(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "echo hi; exit 7");
	assert_int_equal(drive_run(&d, &p), 7 << 8);
	assert_string_equal(d.output, "hi\n");
	assert_int_equal(d.exited.flags, 0);
	assert_int_equal(d.exited.exec_errno, 0);
	assert_true(d.exited.wall_us > 0 && d.exited.maxrss_bytes > 0);
	drive_plan_shell(&p, "kill -SEGV $$");
	assert_int_equal(drive_run(&d, &p) & 0x7f, SIGSEGV);
}

/* An orphan's exit reaches init, and must not be taken for the job's. */
static void
test_orphan_cannot_forge(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "( (exit 0) & ); sleep 0.2; exit 7");
	assert_int_equal(drive_run(&d, &p), 7 << 8);
	/* Nor does one that lives on keep anything waiting. */
	drive_plan_shell(&p, "(setsid sleep 60 &) ; exit 6");
	assert_int_equal(drive_run(&d, &p), 6 << 8);
	assert_true(d.exited.wall_us < 10 * 1000000);
}

static void
test_usage_counts_the_dead(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p,
	    "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'");
	assert_int_equal(drive_run(&d, &p), 0);
	assert_true(d.exited.cpu_us > 10000);
}

static void
test_second_plan(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "exit 3");
	p.controls |= CONTROL_BIT(CTL_MEMORY);
	drive_start(&d);
	if (drive_send(&d, &p) == MSG_HELD) {
		print_message("memory is held here: nothing to waive\n");
		(void)drive_end(&d);
		skip();
	}
	assert_int_equal(d.report.rows[CTL_MEMORY].state, READBACK_FAULT);
	p.controls &= ~CONTROL_BIT(CTL_MEMORY);
	assert_int_equal(drive_send(&d, &p), MSG_HELD);
	drive_go(&d);
	assert_int_equal(drive_finish(&d), 3 << 8);
	assert_int_equal(drive_end(&d), 0);
}

/* A second refusal is the end: there is nothing to send a third plan to. */
static void
test_no_third_plan(void **state)
{
	(void)state;
	drive_plan_shell(&p, "true");
	p.controls &= ~CONTROL_BIT(CTL_ROOT);
	drive_start(&d);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
		assert_fault(CTL_USERNS, STEP_PLAN_FLOOR, EPERM);
	}
	assert_int_equal(d.ch.state, CH_DONE);
	assert_int_equal(drive_end(&d), 0);
}

static void
test_hostile_plans(void **state)
{
	static const char junk[] = "this is no plan";
	int fds[PLAN_FD__MAX];

	(void)state;
	for (int i = 0; i < PLAN_FD__MAX; i++)
		fds[i] = STDIN_FILENO;
	drive_start(&d);
	assert_int_equal(drive_send_bytes(&d, junk, sizeof(junk), fds, 3),
	    MSG_REFUSED);
	assert_fault(CTL_USERNS, STEP_PLAN_DECODE, EPERM);
	drive_plan_shell(&p, "true");
	p.entries[0].path = "/proc";
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_fault(CTL_USERNS, STEP_PLAN_PATH, EPERM);
	(void)drive_end(&d);
}

static void
test_descriptors_must_match(void **state)
{
	static uint8_t bytes[PLAN_BYTES_MAX];
	int fds[] = {0, 0, 0, 0};
	long len;

	(void)state;
	drive_plan_shell(&p, "true");
	len = drive_encode(&p, bytes, sizeof(bytes));
	drive_start(&d);
	assert_int_equal(drive_send_bytes(&d, bytes, (size_t)len, fds, 4),
	    MSG_REFUSED);
	assert_fault(CTL_USERNS, STEP_PLAN_FDS, EPERM);
	p.has_cgroup = true;
	assert_true(drive_encode(&p, bytes, sizeof(bytes)) == len);
	(void)drive_end(&d);
	drive_start(&d);
	assert_int_equal(drive_send_bytes(&d, bytes, (size_t)len, fds, 3),
	    MSG_REFUSED);
	assert_fault(CTL_USERNS, STEP_PLAN_FDS, EPERM);
	p.has_cgroup = false;
	assert_true(drive_encode(&p, bytes, sizeof(bytes)) == len);
	/* Three of them, and no pipes: seen by the job itself. */
	if (geteuid() != 0) {
		assert_int_equal(drive_send_bytes(&d, bytes, (size_t)len, fds,
				     3),
		    MSG_REFUSED);
		assert_fault(CTL_OUTPUT, STEP_STDIO, EINVAL);
	}
	(void)drive_end(&d);
}

/* GO before HELD, and a reply of the launcher's: the channel is dead. */
static void
test_violations(void **state)
{
	struct msg_header go = {.magic = PROTO_MAGIC,
	    .version = PROTO_VERSION,
	    .type = MSG_GO,
	    .length = sizeof(go)};

	(void)state;
	for (uint16_t type = 0; type <= MSG__MAX; type++) {
		go.type = type;
		if (type == MSG_KILL)
			continue;
		drive_start(&d);
		assert_int_equal(write(d.ch.fd, &go, sizeof(go)), sizeof(go));
		assert_int_equal(drive_end(&d), 1 << 8);
	}
}

static void
test_host_root_is_refused(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("only root can try\n");
		skip();
	}
	drive_plan_shell(&p, "true");
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_fault(CTL_USERNS, STEP_HOST_ROOT, EPERM);
	(void)drive_end(&d);
}

/* A bind source that is not the one that was judged. */
static void
test_changed_source(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "true");
	p.entries[0].ino++;
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_int_equal(d.report.rows[CTL_MNTNS].step, STEP_BIND_CHANGED);
	/* One cause: what needs it is blocked, the rest was still tried. */
	assert_int_equal(d.report.rows[CTL_LOCKED].state, READBACK_PENDING);
	assert_int_equal(d.report.rows[CTL_SESSION].state, READBACK_HELD);
	(void)drive_end(&d);
}

/* No link may lead to a source: the policy judged where it says it is. */
static void
test_linked_source(void **state)
{
	static const char *const rest[] = {"", "/bin"};
	char dir[] = "/tmp/agsbx-link.XXXXXX", link[64], source[128];
	struct stat st;

	(void)state;
	drive_skip_root();
	assert_non_null(mkdtemp(dir));
	(void)snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink("/usr", link), 0);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
		(void)snprintf(source, sizeof(source), "%s%s", link, rest[i]);
		assert_int_equal(stat(source, &st), 0);
		drive_plan_shell(&p, "true");
		p.entries[p.entry_count++] =
		    (struct plan_entry){.kind = ENTRY_BIND,
			.path = "/mnt",
			.source = source,
			.dev = st.st_dev,
			.ino = st.st_ino};
		drive_start(&d);
		assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
		assert_fault(CTL_MNTNS, STEP_BIND_SOURCE, ELOOP);
		(void)drive_end(&d);
	}
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hello),
	    cmocka_unit_test(test_every_row_is_held),
	    cmocka_unit_test(test_exact_status),
	    cmocka_unit_test(test_orphan_cannot_forge),
	    cmocka_unit_test(test_usage_counts_the_dead),
	    cmocka_unit_test(test_second_plan),
	    cmocka_unit_test(test_no_third_plan),
	    cmocka_unit_test(test_hostile_plans),
	    cmocka_unit_test(test_descriptors_must_match),
	    cmocka_unit_test(test_violations),
	    cmocka_unit_test(test_host_root_is_refused),
	    cmocka_unit_test(test_changed_source),
	    cmocka_unit_test(test_linked_source),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
