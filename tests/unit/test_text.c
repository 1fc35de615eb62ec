/*
 * test_text.c - the closing line for every reason, values by unit, the rows of
 * jobs, and that nothing a tenant wrote acts on a terminal.
 */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ledger_fixture.h"
#include "text.h"

static void
closing(const struct job *j, const struct policy *p, const char *want)
{
	char *line = text_closing_line(j, p);

	assert_non_null(line);
	assert_string_equal(line, want);
	free(line);
}

/* A job that ran, held whole. */
static void
ran(struct job *j)
{
	fixture_small_job(j);
	(void)strlcpy(j->id, "ID", sizeof(j->id));
	j->has_rows = true;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		j->rows[ctl].state = READBACK_HELD;
	j->started_ms = 1;
	j->wall_ms = 60012;
	j->cpu_ms = 1240;
	j->memory_peak_bytes = 18 << 20;
}

#define USAGE "; wall 60.0s cpu 1.2s memory 18M"
#define COMPLETE USAGE "; confinement complete"

static void
closing_lines(void **state)
{
	struct job j;

	(void)state;
	ran(&j);
	j.state = JOB_KILLED;
	j.reason = REASON_WALL;
	j.detail = strdup("wall clock 60s (--wall)");
	j.limits_hit[REASON_WALL] = true;
	closing(&j, NULL,
	    "agsbx: job ID killed: wall clock 60s (--wall)" COMPLETE);
	j.limits_hit[REASON_PROCESSES] = true;
	j.limits_hit[REASON_MEMORY] = true;
	closing(&j, NULL,
	    "agsbx: job ID killed: wall clock 60s (--wall); also hit memory, "
	    "processes" COMPLETE);
	fixture_gap(&j, CTL_MEMORY, true);
	(void)strlcpy(j.gaps[0].token, "NO-MEMORY-CEILING(rlimit)",
	    sizeof(j.gaps[0].token));
	j.limits_hit[REASON_PROCESSES] = j.limits_hit[REASON_MEMORY] = false;
	closing(&j, NULL,
	    "agsbx: job ID killed: wall clock 60s (--wall)" USAGE
	    "; confinement degraded: NO-MEMORY-CEILING(rlimit)");
	fixture_gap(&j, CTL_PROCFS, true);
	closing(&j, NULL,
	    "agsbx: job ID killed: wall clock 60s (--wall)" USAGE
	    "; confinement degraded: NO-MEMORY-CEILING(rlimit), "
	    "NO-PROCFS(empty)");
	j.started_ms = JOB_UNKNOWN;
	j.wall_ms = j.cpu_ms = j.memory_peak_bytes = JOB_UNKNOWN;
	j.gap_count = 1;
	free(j.gaps[1].cause);
	free(j.gaps[1].fix);
	closing(&j, NULL,
	    "agsbx: job ID killed: wall clock 60s (--wall); confinement "
	    "refused: NO-MEMORY-CEILING(rlimit)");
	j.has_rows = false;
	free(j.detail);
	j.detail = strdup("a\nb\x1b[31m\xff");
	closing(&j, NULL,
	    "agsbx: job ID killed: a\\x0ab\\x1b[31m\\xff; nothing ran");
	job_free(&j);
}

/* Without the verdict's words each reason still says something. */
static void
reasons_without_detail(void **state)
{
	static const struct {
		enum reason reason;
		int exit_code;
		int signal;
		const char *text;
	} rows[] = {
	    {REASON_EXITED, 0, JOB_UNKNOWN, "exit status 0"},
	    {REASON_EXITED, 7, JOB_UNKNOWN, "exit status 7"},
	    {REASON_SIGNAL, JOB_UNKNOWN, SIGSEGV, "signal 11 (SIGSEGV)"},
	    {REASON_WALL, JOB_UNKNOWN, 9, "wall clock 60s (--wall)"},
	    {REASON_CPU, JOB_UNKNOWN, 9,
		"CPU time of all processes together 120s (--cpu)"},
	    {REASON_MEMORY, JOB_UNKNOWN, 9,
		"memory of all processes together 512M (--memory-mb)"},
	    {REASON_PROCESSES, 1, JOB_UNKNOWN,
		"processes and threads 256 (--max-procs)"},
	    {REASON_OUTPUT, JOB_UNKNOWN, 9,
		"bytes of each output stream 64M (--max-output)"},
	    {REASON_SYSCALL, JOB_UNKNOWN, SIGSYS, "signal 31 (SIGSYS)"},
	    {REASON_EXEC, JOB_UNKNOWN, JOB_UNKNOWN, "exec"},
	    {REASON_QUOTA, JOB_UNKNOWN, JOB_UNKNOWN, "quota"},
	    {REASON_INTERRUPTED, JOB_UNKNOWN, JOB_UNKNOWN, "interrupted"},
	    {REASON_REAPED, JOB_UNKNOWN, JOB_UNKNOWN, "reaped"},
	    {REASON_REFUSED, JOB_UNKNOWN, JOB_UNKNOWN, "refused"},
	    {REASON_ERROR, JOB_UNKNOWN, JOB_UNKNOWN, "error"},
	};
	struct policy p = {0};
	char want[512];
	struct job j;

	(void)state;
	for (enum limit l = 0; l < LIMIT__MAX; l++)
		p.limits[l] = limit_infos[l].def;
	p.limits[LIMIT_MAX_OUTPUT] = 64 << 20;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ran(&j);
		j.state = JOB_FAILED;
		j.reason = rows[i].reason;
		j.exit_code = rows[i].exit_code;
		j.signal = rows[i].signal;
		(void)snprintf(want, sizeof(want),
		    "agsbx: job ID failed: %s" COMPLETE, rows[i].text);
		closing(&j, &p, want);
		job_free(&j);
	}
}

static void
values_by_unit(void **state)
{
	struct readback row = {.state = READBACK_HELD};
	char buf[TEXT_VALUE_SIZE];

	(void)state;
	assert_string_equal(text_got(CTL_DEATH, &row, buf), "no");
	assert_string_equal(text_got(CTL_MEMORY, &row, buf), "0");
	assert_string_equal(text_got(CTL_WALL, &row, buf), "0");
	row.want = 1;
	assert_string_equal(text_want(CTL_DEATH, &row, buf), "yes");
	row.want = 512 << 20;
	assert_string_equal(text_want(CTL_MEMORY, &row, buf), "512M");
	row.want = 2500;
	assert_string_equal(text_want(CTL_WALL, &row, buf), "2500ms");
	row.want = 3;
	assert_string_equal(text_want(CTL_LANDLOCK, &row, buf), "ABI 3");
	assert_string_equal(text_want(CTL_OUTPUT, &row, buf), "3");
	row.want = UINT64_MAX;
	assert_string_equal(text_want(CTL_CAPABILITIES, &row, buf),
	    "0xffffffffffffffff");
	assert_string_equal(text_want(CTL_OUTPUT, &row, buf),
	    "18446744073709551615");
	row.state = READBACK_FAULT;
	assert_null(text_got(CTL_DEATH, &row, buf));
	row.step = STEP_READ_BACK;
	assert_string_equal(text_got(CTL_DEATH, &row, buf), "no");
	row.state = READBACK_OFF;
	assert_null(text_want(CTL_DEATH, &row, buf));
	assert_null(text_got(CTL_DEATH, &row, buf));
}

static void
rounded_for_a_person(void **state)
{
	char buf[TEXT_VALUE_SIZE], name[TEXT_SIGNAL_SIZE];

	(void)state;
	assert_string_equal(text_bytes(0, buf), "0");
	assert_string_equal(text_bytes(1023, buf), "1023");
	assert_string_equal(text_bytes(1024, buf), "1.0K");
	assert_string_equal(text_bytes(18 << 20, buf), "18M");
	assert_string_equal(text_bytes(INT64_C(3) << 29, buf), "1.5G");
	assert_string_equal(text_bytes(INT64_MAX, buf), "8.0E");
	assert_string_equal(text_seconds(0, buf), "0.0s");
	assert_string_equal(text_seconds(1249, buf), "1.2s");
	assert_string_equal(text_seconds(3599999, buf), "3599.9s");
	assert_string_equal(text_seconds(3720000, buf), "1h02m");
	assert_string_equal(text_signal(9, name), "SIGKILL");
	assert_string_equal(text_signal(SIGRTMIN + 3, name), "SIGRTMIN+3");
	assert_string_equal(text_signal(999, name), "signal 999");
}

static char *
printed(int (*fn)(FILE *, const struct job *), const struct job *j)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(fn(f, j), 0);
	assert_int_equal(fclose(f), 0);
	/* Lines of printable text, whatever the job is called. */
	for (const unsigned char *p = (unsigned char *)text; *p != '\0'; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p != 0x7f));
	return (text);
}

static void
rows_of_jobs(void **state)
{
	struct job j;
	char *text;

	(void)state;
	fixture_job(&j);
	(void)strlcpy(j.id, "01ARYZ6S41TSV4RRFFQ69G5FAV", sizeof(j.id));
	j.created_ms = 1709211600123;
	fixture_gap(&j, CTL_MEMORY, true);
	fixture_gap(&j, CTL_PROCFS, false);
	text = printed(text_jobs_row, &j);
	assert_string_equal(text,
	    "01ARYZ6S41TSV4RRFFQ69G5FAV admitted  wall        team-1       "
	    "2024-02-29T13:00:00Z    60.0s  sh '' 'a\\x0ab\\xff'\\''; DROP "
	    "TABLE jobs; --'  [network=host]  NO-MEMORY-CEILING  "
	    "[NO-PROCFS(empty)]\n");
	free(text);
	job_free(&j);
	fixture_small_job(&j);
	j.created_ms = 0;
	free(j.argv[0]);
	j.argv[0] = strdup("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
			   "abcdefghijklmnopqrstuvwxyz0123456789abcdefghij");
	text = printed(text_jobs_row, &j);
	assert_non_null(strstr(text,
	    "  '\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	    "abcdefghijklmnopqrstuvwxyz0123456789ab...\n"));
	free(text);
	job_free(&j);
}

static int
header(FILE *f, const struct job *j)
{
	(void)j;
	return (text_jobs_header(f));
}

static void
has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void
one_job_control_by_control(void **state)
{
	struct job j;
	char *text;

	(void)state;
	text = printed(header, NULL);
	assert_memory_equal(text, "ID   ", 5);
	free(text);
	fixture_job(&j);
	fixture_gap(&j, CTL_MEMORY, true);
	j.created_ms = 0;
	j.started_ms = 1;
	j.ended_ms = 2;
	j.rows[CTL_PROCFS] = (struct readback){.state = READBACK_FAULT};
	text = printed(text_job, &j);
	has(text, "tenant    team-1\n");
	has(text, "state     admitted, reason wall\n");
	has(text, "detail    wall clock 60s (--wall)\n");
	has(text, "command   sh '' 'a\\x0ab\\xff'\\''; DROP TABLE jobs; --'\n");
	has(text, "exit      7\nsignal    9 (SIGKILL)\nnetwork   host\n");
	has(text, "ended     1970-01-01T00:00:00.002Z\n");
	has(text, "usage     wall 60.0s cpu 1.2s memory 18M processes 3\n");
	has(text, "stdout    10 bytes, sha256 ccc");
	has(text, ", truncated\n");
	has(text, "confinement incomplete\n");
	has(text, "  memory         waived   -            -\n");
	has(text, "NO-MEMORY-CEILING: no delegated cgroup v2\n");
	has(text, "  netns          off      -            -\n");
	has(text, "  procfs         refused  no           -\n");
	has(text, "  uts            held     yes          yes\n");
	free(text);
	job_free(&j);
}

static void
a_job_without_rows(void **state)
{
	struct job j;
	char *text;

	(void)state;
	fixture_small_job(&j);
	fixture_gap(&j, CTL_MEMORY, false);
	text = printed(text_job, &j);
	has(text, "nothing was read back: the job did not get so far\n");
	has(text, "fix: systemd-run --user --scope -p Delegate=yes\n");
	free(text);
	job_free(&j);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(closing_lines),
	    cmocka_unit_test(reasons_without_detail),
	    cmocka_unit_test(values_by_unit),
	    cmocka_unit_test(rounded_for_a_person),
	    cmocka_unit_test(rows_of_jobs),
	    cmocka_unit_test(one_job_control_by_control),
	    cmocka_unit_test(a_job_without_rows),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
