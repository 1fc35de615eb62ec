/*
 * One reason for each way a job can end: rows of what was counted and what the
 * verdict must then be.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "verdict.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EXITS(code) ((code) << 8) /* as waitpid(2) has it */

struct row {
	const char *name;
	enum kill_cause cause;
	bool has_exited;
	int status;
	int exec_errno;
	uint32_t flags;
	uint64_t cpu_us;
	int64_t oom_kills; /* of the leaf */
	int64_t refused;   /* forks */
	enum job_state state;
	enum reason reason;
	const char *detail; /* a part of it */
};

static const struct row rows[] = {
    {.name = "0",
	.has_exited = true,
	.state = JOB_SUCCEEDED,
	.reason = REASON_EXITED,
	.detail = "exit status 0"},
    {.name = "137 is a status and no signal",
	.has_exited = true,
	.status = EXITS(137),
	.state = JOB_FAILED,
	.reason = REASON_EXITED,
	.detail = "exit status 137"},
    {.name = "its own SIGKILL is no limit",
	.has_exited = true,
	.status = SIGKILL,
	.state = JOB_FAILED,
	.reason = REASON_SIGNAL,
	.detail = "signal 9 (KILL)"},
    {.name = "SIGSYS",
	.has_exited = true,
	.status = SIGSYS,
	.state = JOB_FAILED,
	.reason = REASON_SYSCALL,
	.detail = "signal SYS: a system call of another architecture"},
    {.name = "init's deadline",
	.has_exited = true,
	.status = SIGKILL,
	.flags = EXITED_BY_DEADLINE,
	.state = JOB_KILLED,
	.reason = REASON_WALL,
	.detail = "wall clock 60s"},
    {.name = "our KILL at the deadline",
	.cause = KILL_WALL,
	.has_exited = true,
	.status = SIGTERM,
	.flags = EXITED_BY_KILL,
	.state = JOB_KILLED,
	.reason = REASON_WALL},
    {.name = "a stopped launcher, killed at the deadline",
	.cause = KILL_WALL,
	.state = JOB_KILLED,
	.reason = REASON_WALL},
    {.name = "ended by itself while our KILL was on its way",
	.cause = KILL_WALL,
	.has_exited = true,
	.state = JOB_SUCCEEDED,
	.reason = REASON_EXITED},
    {.name = "init counted the CPU time",
	.has_exited = true,
	.status = SIGKILL,
	.flags = EXITED_BY_CPU,
	.state = JOB_KILLED,
	.reason = REASON_CPU,
	.detail = "CPU time"},
    {.name = "RLIMIT_CPU of one process",
	.has_exited = true,
	.status = SIGKILL,
	.cpu_us = 120000000,
	.state = JOB_KILLED,
	.reason = REASON_CPU},
    {.name = "XCPU without the time is just a signal",
	.has_exited = true,
	.status = SIGXCPU,
	.cpu_us = 1000,
	.state = JOB_FAILED,
	.reason = REASON_SIGNAL},
    {.name = "too much output, though it ended with 0",
	.cause = KILL_OUTPUT,
	.has_exited = true,
	.state = JOB_KILLED,
	.reason = REASON_OUTPUT,
	.detail = "bytes of each output stream 64M"},
    {.name = "interrupted",
	.cause = KILL_SIGNAL,
	.has_exited = true,
	.status = SIGTERM,
	.flags = EXITED_BY_KILL,
	.state = JOB_KILLED,
	.reason = REASON_INTERRUPTED,
	.detail = "SIGINT"},
    {.name = "interrupted before GO",
	.cause = KILL_SIGNAL,
	.state = JOB_KILLED,
	.reason = REASON_INTERRUPTED},
    {.name = "closed stdout",
	.cause = KILL_PIPE,
	.has_exited = true,
	.flags = EXITED_BY_KILL,
	.status = SIGTERM,
	.state = JOB_KILLED,
	.reason = REASON_INTERRUPTED,
	.detail = "reader"},
    {.name = "no such command",
	.has_exited = true,
	.exec_errno = ENOENT,
	.state = JOB_FAILED,
	.reason = REASON_EXEC,
	.detail = "prog: not found inside the sandbox"},
    {.name = "no such interpreter",
	.has_exited = true,
	.exec_errno = ELIBBAD,
	.state = JOB_FAILED,
	.reason = REASON_EXEC,
	.detail = "prog: its interpreter is missing"},
    {.name = "another exec error",
	.has_exited = true,
	.exec_errno = ELOOP,
	.state = JOB_FAILED,
	.reason = REASON_EXEC,
	.detail = "Too many levels"},
    {.name = "init lost",
	.has_exited = true,
	.flags = EXITED_INIT_LOST,
	.state = JOB_ERROR,
	.reason = REASON_ERROR,
	.detail = "not reported"},
    {.name = "launcher lost", .state = JOB_ERROR, .reason = REASON_ERROR},
    {.name = "ours, whatever the job did",
	.cause = KILL_OURS,
	.has_exited = true,
	.state = JOB_ERROR,
	.reason = REASON_ERROR,
	.detail = "disk full"},
    {.name = "the whole leaf is killed, init with it",
	.has_exited = true,
	.flags = EXITED_INIT_LOST,
	.oom_kills = 3,
	.state = JOB_KILLED,
	.reason = REASON_MEMORY,
	.detail = "memory"},
    {.name = "a killed process, and the job ended by itself",
	.has_exited = true,
	.status = EXITS(4),
	.oom_kills = 1,
	.state = JOB_FAILED,
	.reason = REASON_EXITED},
    {.name = "the wall clock ends a job that fills its memory",
	.cause = KILL_WALL,
	.has_exited = true,
	.status = SIGTERM,
	.flags = EXITED_BY_KILL,
	.oom_kills = 1,
	.state = JOB_KILLED,
	.reason = REASON_WALL},
    {.name = "no process could be made, and it gave up",
	.has_exited = true,
	.status = EXITS(254),
	.refused = 9,
	.state = JOB_FAILED,
	.reason = REASON_PROCESSES,
	.detail = "processes and threads"},
    {.name = "no process could be made, and it could do without",
	.has_exited = true,
	.refused = 9,
	.state = JOB_SUCCEEDED,
	.reason = REASON_EXITED},
    {.name = "a fork bomb that the clock ends",
	.has_exited = true,
	.status = SIGKILL,
	.flags = EXITED_BY_DEADLINE,
	.refused = 9,
	.state = JOB_KILLED,
	.reason = REASON_WALL},
};

static void
judge(struct job *j, const struct row *row, struct policy *p, const char *hint)
{
	struct diag failure = {.code = DIAG_INTERNAL, .message = "disk full"};
	struct ending e = {.cause = row->cause,
	    .signal = SIGINT,
	    .has_exited = row->has_exited,
	    .exited = {.wait_status = row->status,
		.exec_errno = row->exec_errno,
		.flags = row->flags,
		.cpu_us = row->cpu_us + 5000,
		.wall_us = 1500000,
		.maxrss_bytes = 4096},
	    .counters = {.values = {[LEAF_OOM_KILLS] = row->oom_kills,
			     [LEAF_PROCESSES_REFUSED] = row->refused}},
	    .policy = p,
	    .failure = row->cause == KILL_OURS ? &failure : NULL,
	    .command = "prog",
	    .hint = hint};

	job_init(j);
	assert_int_equal(verdict_find(j, &e), 0);
}

static void
test_rows(void **state)
{
	struct policy *p = policy_new();
	struct job j;

	(void)state;
	assert_non_null(p);
	p->limits[LIMIT_MAX_OUTPUT] = 64 << 20;
	for (size_t i = 0; i < COUNT(rows); i++) {
		judge(&j, &rows[i], p, NULL);
		if (j.state != rows[i].state || j.reason != rows[i].reason)
			fail_msg("%s: %s, %s", rows[i].name,
			    job_state_name(j.state), reason_name(j.reason));
		if (rows[i].detail != NULL &&
		    strstr(j.detail, rows[i].detail) == NULL)
			fail_msg("%s: detail \"%s\"", rows[i].name, j.detail);
		assert_int_equal(j.limits_hit[REASON_MEMORY],
		    rows[i].oom_kills > 0);
		assert_int_equal(j.limits_hit[REASON_PROCESSES],
		    rows[i].refused > 0);
		job_free(&j);
	}
	policy_free(p);
}

static void
test_status_and_usage(void **state)
{
	struct policy *p = policy_new();
	struct job j;

	(void)state;
	assert_non_null(p);
	judge(&j, &rows[1], p, NULL);
	assert_int_equal(j.exit_code, 137);
	assert_int_equal(j.signal, JOB_UNKNOWN);
	assert_int_equal(j.wall_ms, 1500);
	assert_int_equal(j.cpu_ms, 5);
	assert_int_equal(j.memory_peak_bytes, 4096);
	assert_string_equal(j.usage_source, "rusage");
	job_free(&j);
	judge(&j, &rows[2], p, NULL);
	assert_int_equal(j.exit_code, JOB_UNKNOWN);
	assert_int_equal(j.signal, SIGKILL);
	job_free(&j);
	/* Over the ceiling between two looks, and ended by itself. */
	p->limits[LIMIT_CPU] = 1;
	judge(&j, &rows[0], p, NULL);
	assert_int_equal(j.state, JOB_SUCCEEDED);
	assert_true(j.limits_hit[REASON_CPU]);
	job_free(&j);
	p->limits[LIMIT_CPU] = 120000;
	judge(&j, &rows[6], p, NULL);
	assert_int_equal(j.wall_ms, JOB_UNKNOWN);
	assert_true(j.limits_hit[REASON_WALL]);
	assert_false(j.limits_hit[REASON_CPU]);
	job_free(&j);
	policy_free(p);
}

static void
test_hint_and_origin(void **state)
{
	struct policy *p = policy_new();
	struct job j;

	(void)state;
	assert_non_null(p);
	judge(&j, &rows[15], p, "./prog is a file of the host");
	assert_non_null(
	    strstr(j.detail, "not found inside the sandbox; ./prog"));
	job_free(&j);
	p->limit_origins[LIMIT_WALL].flag = "--wall";
	judge(&j, &rows[4], p, NULL);
	assert_string_equal(j.detail, "wall clock 60s (--wall)");
	job_free(&j);
	p->limit_origins[LIMIT_WALL] =
	    (struct origin){.file = "/etc/p.conf", .line = 3};
	judge(&j, &rows[4], p, NULL);
	assert_string_equal(j.detail, "wall clock 60s (/etc/p.conf:3)");
	job_free(&j);
	p->limit_origins[LIMIT_WALL] = (struct origin){0};
	policy_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_status_and_usage),
	    cmocka_unit_test(test_hint_and_origin),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
