/*
 * What a job used, and by whose word: the leaf's where it has all of it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdict.h"

static const struct msg_exited exited = {.cpu_us = 5000,
    .wall_us = 9000,
    .maxrss_bytes = 4096};

static void
want(const struct msg_exited *x, struct leaf_counters c, int64_t wall_ms,
    int64_t cpu_ms, int64_t bytes, int64_t processes, const char *source)
{
	static struct job j;

	job_init(&j);
	usage_fill(&j,
	    &(struct ending){.has_exited = x != NULL,
		.exited = x != NULL ? *x : (struct msg_exited){.flags = 0},
		.wall_ms = 77,
		.counters = c});
	assert_int_equal(j.wall_ms, wall_ms);
	assert_int_equal(j.cpu_ms, cpu_ms);
	assert_int_equal(j.memory_peak_bytes, bytes);
	assert_int_equal(j.processes_peak, processes);
	if (source == NULL)
		assert_null(j.usage_source);
	else
		assert_string_equal(j.usage_source, source);
	job_free(&j);
}

#define COUNTERS(memory, processes, cpu) \
	(struct leaf_counters) \
	{ \
		.values = \
		{ [LEAF_MEMORY_PEAK] = (memory), \
			[LEAF_PROCESSES_PEAK] = (processes), \
			[LEAF_CPU_US] = (cpu) } \
	}

static void
test_sources(void **state)
{
	(void)state;
	want(&exited, COUNTERS(-1, -1, -1), 9, 5, 4096, JOB_UNKNOWN, "rusage");
	want(&exited, COUNTERS(1 << 20, 4, 7999), 9, 7, 1 << 20, 3, "cgroup");
	/* No controller of processes in the leaf, or nobody who counts. */
	want(&exited, COUNTERS(1 << 20, -1, 7999), 9, 7, 1 << 20, JOB_UNKNOWN,
	    "cgroup");
	/* No controller of memory: one source for all of it. */
	want(&exited, COUNTERS(-1, 4, 7999), 9, 5, 4096, JOB_UNKNOWN, "rusage");
	/* A leaf that nothing was put into. */
	want(&exited, COUNTERS(0, 0, 0), 9, 5, 4096, JOB_UNKNOWN, "rusage");
	/* EXITED never came. */
	want(NULL, COUNTERS(1 << 20, 4, 7999), 77, 7, 1 << 20, 3, "cgroup");
	want(NULL, COUNTERS(-1, -1, -1), 77, JOB_UNKNOWN, JOB_UNKNOWN,
	    JOB_UNKNOWN, NULL);
	/* Init was killed with the leaf, and what it would say is zeros. */
	want(&(struct msg_exited){.flags = EXITED_INIT_LOST},
	    COUNTERS(1 << 20, 4, 7999), 77, 7, 1 << 20, 3, "cgroup");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sources),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
