/*
 * test_job.c - names, permitted changes, completeness, tenants and notes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diag.h"
#include "ledger_fixture.h"

static void
names_go_both_ways(void **state)
{
	(void)state;
	for (enum job_state s = 0; s < JOB__MAX; s++)
		assert_int_equal(job_state_by_name(job_state_name(s)), s);
	for (enum reason r = 0; r < REASON__MAX; r++)
		assert_int_equal(reason_by_name(reason_name(r)), r);
	assert_int_equal(job_state_by_name("dead"), JOB__MAX);
	assert_int_equal(reason_by_name("oom"), REASON__MAX);
	assert_string_equal(job_state_name(JOB__MAX), "unknown");
	assert_string_equal(reason_name(REASON__MAX), "unknown");
}

static void
changes_are_these(void **state)
{
	static const char *const permitted =
	    " admitted>held held>running running>succeeded running>failed"
	    " running>killed admitted>refused admitted>killed held>killed"
	    " admitted>error held>error running>error admitted>reaped"
	    " held>reaped running>reaped ";
	unsigned int count = 0;
	char word[64];

	(void)state;
	for (enum job_state from = 0; from < JOB__MAX; from++)
		for (enum job_state to = 0; to < JOB__MAX; to++) {
			(void)snprintf(word, sizeof(word), " %s>%s ",
			    job_state_name(from), job_state_name(to));
			assert_int_equal(job_may_follow(from, to),
			    strstr(permitted, word) != NULL);
			count += job_may_follow(from, to) ? 1 : 0;
			if (job_may_follow(from, to))
				assert_true(job_state_is_open(from));
		}
	assert_int_equal(count, 14);
	assert_false(job_may_follow(JOB__MAX, JOB_HELD));
	assert_false(job_may_follow(JOB_HELD, JOB__MAX));
	assert_false(job_state_is_open(JOB__MAX));
}

static void
complete_means_everything(void **state)
{
	struct job j;

	(void)state;
	fixture_job(&j);
	assert_true(job_is_complete(&j)); /* netns is off: the host's */
	j.network_host = false;
	assert_false(job_is_complete(&j));
	j.network_host = true;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		struct readback row = j.rows[ctl];

		for (uint8_t s = 0; s < READBACK__MAX; s++) {
			j.rows[ctl].state = s;
			assert_int_equal(job_is_complete(&j),
			    s == READBACK_HELD ||
				(s == READBACK_OFF &&
				    (ctl == CTL_NETNS || ctl == CTL_CPUSHARE)));
		}
		j.rows[ctl] = row;
	}
	j.is_degraded = true;
	assert_false(job_is_complete(&j));
	j.is_degraded = false;
	j.has_rows = false;
	assert_false(job_is_complete(&j));
	j.has_rows = true;
	assert_true(job_is_complete(&j));
	fixture_gap(&j, CTL_MEMORY, true);
	assert_false(job_is_complete(&j));
	assert_ptr_equal(job_gap_of(&j, CTL_MEMORY), &j.gaps[0]);
	assert_null(job_gap_of(&j, CTL_CPU));
	job_free(&j);
}

static void
tenants_are_judged(void **state)
{
	static const char *const good[] = {"a", "0", "default", "A.b-c_9",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	static const char *const bad[] = {"", ".", "-a", "_a", "a b", "a'b",
	    "a\"b", "a/b", "a\nb", "\xc3\xa9", "a;b", "a%", "../x",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	char name[301];
	struct diag d = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(tenant_check(good[i], &d), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		d.code = DIAG_NONE;
		assert_int_equal(tenant_check(bad[i], &d), -1);
		assert_int_equal(d.code, DIAG_USAGE);
	}
	memset(name, 'a', 300);
	name[300] = '\0';
	assert_int_equal(tenant_check(name, &d), -1);
}

static void
notes_are_judged(void **state)
{
	static const char *const bad[] = {"a\nb", "a\tb", "\x1b[31m", "\x7f",
	    "\xff", "\xc3", "\xe2\x80\xae!", "\xc2\x9b"};
	char note[NOTE_BYTES_MAX + 2];
	struct diag d = {0};

	(void)state;
	assert_int_equal(note_check("", &d), 0);
	assert_int_equal(note_check("ticket 7: \\x, \xc3\xa9 'q' %s", &d), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		d.code = DIAG_NONE;
		assert_int_equal(note_check(bad[i], &d), -1);
		assert_int_equal(d.code, DIAG_USAGE);
	}
	memset(note, 'n', sizeof(note) - 1);
	note[NOTE_BYTES_MAX + 1] = '\0';
	assert_int_equal(note_check(note, &d), -1);
	note[NOTE_BYTES_MAX] = '\0';
	assert_int_equal(note_check(note, &d), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_go_both_ways),
	    cmocka_unit_test(changes_are_these),
	    cmocka_unit_test(complete_means_everything),
	    cmocka_unit_test(tenants_are_judged),
	    cmocka_unit_test(notes_are_judged),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
