/*
 * test_cgroup.c - the rows that a cgroup leaf holds: memory, processes,
 * cpushare and cpu.
 *
 * What each denies is tried with the row and, to show that the attempt is one,
 * without it.  The leaf's own counters decide.  Leaves are made as the broker
 * makes them; where none can be, the host is asked nothing.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"
#include "leaf.h"
#include "ulid.h"

static struct drive d;
static struct plan p;
static struct leaf leaf;
static uint64_t cpu_ms = 120000; /* a guest is slow */

/* Runs what p asks for in a leaf of its own; its counters. */
static struct leaf_counters
run_in_leaf(control_set rows, const char *script)
{
	static struct leaf_place place;
	struct leaf_counters counters;
	char id[JOB_ID_SIZE];
	struct diag diag;

	leaf_init(&leaf);
	leaf_find(&place, &leaf_this_host);
	if (place.parent[0] == '\0' ||
	    place.controllers != (LEAF_MEMORY | LEAF_PIDS | LEAF_CPU)) {
		print_message("not on this host: %s\n", place.cause);
		leaf_place_leave(&place);
		skip();
	}
	assert_int_equal(ulid_new(1, id), 0);
	assert_int_equal(leaf_make(&leaf, &place, id, &diag), 0);
	drive_plan_shell(&p, script);
	p.has_cgroup = true;
	p.controls |= rows;
	p.memory_bytes = 32 << 20;
	p.max_procs = 16;
	p.cpu_quota_percent = 20;
	p.cpu_ms = cpu_ms;
	d.leaf = leaf.dir_fd;
	(void)drive_run(&d, &p);
	leaf_read(&leaf, &counters);
	assert_int_equal(leaf_end(&leaf, &diag), 0);
	leaf_close(&leaf);
	return (counters);
}

/* A tmpfs file: no limit of a process counts it.  The whole leaf dies, init with
 * it, so that the counter is all that tells why. */
static void
test_memory(void **state)
{
	static const char script[] =
	    "head -c 48M /dev/zero > /work/x && exit 7";
	struct leaf_counters c;

	(void)state;
	drive_skip_root();
	c = run_in_leaf(CONTROL_BIT(CTL_MEMORY), script);
	assert_int_equal(d.exited.flags, EXITED_INIT_LOST);
	assert_true(c.values[LEAF_OOM_KILLS] > 0);
	assert_int_equal(d.report.rows[CTL_MEMORY].got, 32 << 20);
	c = run_in_leaf(0, script);
	assert_int_equal(d.exited.wait_status, 7 << 8);
	assert_int_equal(c.values[LEAF_OOM_KILLS], 0);
}

/* The kernel counts what it refused: what stands in, RLIMIT_NPROC, does not. */
static void
test_processes(void **state)
{
	static const char script[] =
	    "for i in $(seq 20); do sleep 9 & done; exit 7";
	struct leaf_counters c;

	(void)state;
	drive_skip_root();
	c = run_in_leaf(0, script);
	assert_true(c.values[LEAF_PROCESSES_REFUSED] > 0);
	assert_int_equal(c.values[LEAF_PROCESSES_PEAK], 17);
	assert_int_equal(d.exited.wait_status, 2 << 8);
	assert_int_equal(d.report.rows[CTL_PROCESSES].got, 16);
}

static void
test_cpushare(void **state)
{
	static const char script[] = "(while :; do :; done) & sleep 3";

	(void)state;
	drive_skip_root();
	(void)run_in_leaf(CONTROL_BIT(CTL_CPUSHARE), script);
	assert_in_range(d.exited.cpu_us, 0, d.exited.wall_us * 40 / 100);
	assert_int_equal(d.report.rows[CTL_CPUSHARE].got, 20);
	(void)run_in_leaf(0, script);
	assert_in_range(d.exited.cpu_us, d.exited.wall_us * 50 / 100,
	    UINT64_MAX);
}

/* A parent that ignores SIGCHLD: getrusage(2) never hears of the children. */
static void
test_cpu_counts_the_forgotten(void **state)
{
	struct leaf_counters c;

	(void)state;
	drive_skip_root();
	cpu_ms = 4000;
	c = run_in_leaf(0,
	    "exec python3 -I -S -c 'import os, signal, time\n"
	    "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
	    "while True:\n"
	    " if os.fork() == 0:\n"
	    "  while time.process_time() < .3: pass\n"
	    "  os._exit(0)\n"
	    " time.sleep(.3)'");
	cpu_ms = 120000;
	assert_true(c.values[LEAF_CPU_US] > 0);
	assert_int_equal(d.exited.wait_status & 0x7f, SIGKILL);
	assert_int_equal(d.exited.flags, EXITED_BY_CPU);
}

/* No cgroup, or one that is not the job's: nothing falls back to less. */
static void
test_not_a_leaf(void **state)
{
	static const enum control rows[] = {CTL_MEMORY, CTL_CPUSHARE, CTL_CPU};

	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "true");
	p.has_cgroup = true;
	p.cpu_quota_percent = 50;
	p.controls |= CONTROL_BIT(CTL_MEMORY) | CONTROL_BIT(CTL_CPUSHARE);
	drive_start(&d);
	d.leaf = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_not_equal(d.leaf, -1);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(d.report.rows[rows[i]].state, READBACK_FAULT);
		assert_int_equal(d.report.rows[rows[i]].err, ENOENT);
	}
	assert_int_equal(d.report.rows[CTL_MEMORY].step, STEP_CGROUP_LEAF);
	assert_int_equal(d.report.rows[CTL_WALL].state, READBACK_HELD);
	(void)drive_end(&d);
	close(d.leaf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_processes),
	    cmocka_unit_test(test_cpushare),
	    cmocka_unit_test(test_cpu_counts_the_forgotten),
	    cmocka_unit_test(test_not_a_leaf),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
