/*
 * What is made of the output of an attacked job: verdicts by line and form, the
 * row's detail, and that nothing which was not said counts as contained.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"
#include "build_id.h"

static struct session session;
static struct policy policy;
static struct attack_trial trial;
static struct attack_told told;

/* A job of that batch which printed text and ended for that reason. */
static void
begin(enum attack_batch batch, enum reason reason, const char *text)
{
	static char dir[] = "/nonexistent", planted[] = "/nonexistent/planted";
	static struct cli cli = {.json_fd = -1};
	char *out = NULL;

	told = (struct attack_told){.end = ATTACK_JOB_FAILED};
	memset(&policy, 0, sizeof(policy));
	memset(&session, 0, sizeof(session));
	session.cli = &cli;
	session.policy = &policy;
	session.judge_arg = &trial;
	trial = (struct attack_trial){.batch = batch,
	    .told = &told,
	    .scene = {.state_dir = dir,
		.planted = planted,
		.token = "attack-0123",
		.tcp = -1,
		.abstract = -1,
		.victim = 0,
		.up_s = 100,
		.hostname = "sandbox"}};
	job_init(&session.job);
	session.job.state = JOB_SUCCEEDED;
	session.job.reason = reason;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		session.job.rows[ctl].state = READBACK_HELD;
	assert_int_not_equal(asprintf(&out, "agsbx-attack %s\n%s",
				 AGSBX_BUILD_ID, text),
	    -1);
	session.job.out.text = out;
	session.job.out.encoding = "utf-8";
}

static void
want(enum attack a, enum attack_verdict verdict, const char *why)
{
	assert_int_equal(told.results[a].verdict, verdict);
	assert_string_equal(told.results[a].why, why);
}

static void
judge(enum job_state state)
{
	assert_int_equal(attack_judge(&session), 0);
	assert_int_equal(session.job.state, state);
}

static void
each_line_is_a_verdict(void **state)
{
	(void)state;
	begin(ATTACK_LIMITS, REASON_EXITED,
	    "attempt rs_fds errno 24 \n"
	    "attempt rs_raise_limits absent -1 \n"
	    "attempt rs_file_size signal 25 \n"
	    "attempt rs_scratch escaped 0 6e6f\n"
	    "attempt rs_fork_bomb signal 14 \n");
	judge(JOB_FAILED);
	want(ATTACK_rs_fds, ATTACK_CONTAINED, "EMFILE");
	want(ATTACK_rs_raise_limits, ATTACK_SKIPPED,
	    "this kernel has no such thing");
	want(ATTACK_rs_file_size, ATTACK_CONTAINED, "SIGXFSZ");
	want(ATTACK_rs_scratch, ATTACK_ESCAPED, "scratch did not hold");
	want(ATTACK_rs_fork_bomb, ATTACK_UNANSWERED, "it was still at it");
	assert_string_equal(session.job.detail,
	    "ESCAPED: rs-scratch, 1 skipped, 2 contained, 1 escaped, "
	    "1 unanswered");
	job_free(&session.job);
}

/* No line, a line in the middle of another, a form that is none. */
static void
silence_is_no_containment(void **state)
{
	(void)state;
	begin(ATTACK_LIMITS, REASON_EXITED,
	    "x attempt rs_fds errno 24 \n"
	    "attempt rs_raise_limits errno\n"
	    "attempt rs_file_size refused 27 \n"
	    "attempt rs_scratch errno 0 \n"
	    "attempt rs_fork_bomb signal 11 \n");
	judge(JOB_SUCCEEDED);
	want(ATTACK_rs_fds, ATTACK_UNANSWERED, "no answer (exited)");
	want(ATTACK_rs_raise_limits, ATTACK_UNANSWERED, "no answer (exited)");
	want(ATTACK_rs_file_size, ATTACK_UNANSWERED, "no answer (exited)");
	want(ATTACK_rs_scratch, ATTACK_UNANSWERED, "no answer (exited)");
	/* It crashed: who knows before what. */
	want(ATTACK_rs_fork_bomb, ATTACK_UNANSWERED, "SIGSEGV");
	job_free(&session.job);
}

/* The reason that is wanted, and another one. */
static void
its_end_answers(void **state)
{
	(void)state;
	begin(ATTACK_WALL, REASON_WALL, "");
	session.job.state = JOB_KILLED;
	session.job.detail = strdup("wall clock 1s");
	judge(JOB_KILLED);
	want(ATTACK_rs_sleep, ATTACK_CONTAINED, "ended: wall");
	assert_string_equal(session.job.detail, "1 contained; wall clock 1s");
	job_free(&session.job);
	begin(ATTACK_WALL, REASON_CPU, "");
	session.job.state = JOB_KILLED;
	judge(JOB_KILLED);
	want(ATTACK_rs_sleep, ATTACK_UNANSWERED, "no answer (cpu)");
	job_free(&session.job);
	begin(ATTACK_WALL, REASON_EXITED, "attempt rs_sleep signal 14 \n");
	judge(JOB_FAILED);
	want(ATTACK_rs_sleep, ATTACK_ESCAPED, "it was still at it");
	job_free(&session.job);
}

/* Waived, asked for, or neither. */
static void
success_is_not_always_an_escape(void **state)
{
	static const char text[] = "attempt rs_memory_many escaped 0 \n";

	(void)state;
	begin(ATTACK_MEMORY, REASON_EXITED, text);
	judge(JOB_FAILED);
	want(ATTACK_rs_memory_many, ATTACK_ESCAPED, "memory did not hold");
	job_free(&session.job);
	begin(ATTACK_MEMORY, REASON_EXITED, text);
	session.job.rows[CTL_MEMORY].state = READBACK_OFF;
	session.job.gap_count = 1;
	session.job.gaps[0] =
	    (struct job_gap){.control = CTL_MEMORY, .is_waived = true};
	judge(JOB_SUCCEEDED);
	want(ATTACK_rs_memory_many, ATTACK_OPEN, "waived: memory");
	job_free(&session.job);
	begin(ATTACK_BASE, REASON_EXITED,
	    "attempt ns_unshare_net escaped 0 \n"
	    "attempt ns_setns escaped 0 \n");
	session.job.rows[CTL_NETNS].state = READBACK_OFF;
	judge(JOB_FAILED);
	want(ATTACK_ns_unshare_net, ATTACK_OFF, "asked for by --network");
	want(ATTACK_ns_setns, ATTACK_ESCAPED, "locked did not hold");
	job_free(&session.job);
}

/* What the probe says it read must be the host's. */
static void
texts_are_compared(void **state)
{
	(void)state;
	begin(ATTACK_BASE, REASON_EXITED,
	    "attempt fs_host_read escaped 0 53514c69746520666f726d61742033\n"
	    "attempt fs_dotdot escaped 0 6e6f7468696e67\n"
	    "attempt ef_env_secret escaped 0 61747461636b2d30313233\n");
	judge(JOB_FAILED);
	want(ATTACK_fs_host_read, ATTACK_ESCAPED, "mntns did not hold");
	want(ATTACK_fs_dotdot, ATTACK_CONTAINED, "nothing came of it");
	want(ATTACK_ef_env_secret, ATTACK_ESCAPED, "environment did not hold");
	want(ATTACK_ps_kill_host, ATTACK_SKIPPED,
	    "the process ids of this host are as low as a job's");
	want(ATTACK_ns_hostname, ATTACK_SKIPPED,
	    "the host has the name that every job has");
	job_free(&session.job);
}

/* A host named box is in "sandbox", and was not learnt. */
static void
a_name_is_the_whole_line(void **state)
{
	(void)state;
	begin(ATTACK_BASE, REASON_EXITED,
	    "attempt ns_hostname escaped 0 73616e64626f780a\n");
	(void)strlcpy(trial.scene.hostname, "box",
	    sizeof(trial.scene.hostname));
	judge(JOB_SUCCEEDED);
	want(ATTACK_ns_hostname, ATTACK_CONTAINED, "nothing came of it");
	job_free(&session.job);
	begin(ATTACK_BASE, REASON_EXITED,
	    "attempt ns_hostname escaped 0 626f780a\n");
	(void)strlcpy(trial.scene.hostname, "box",
	    sizeof(trial.scene.hostname));
	judge(JOB_FAILED);
	want(ATTACK_ns_hostname, ATTACK_ESCAPED, "uts did not hold");
	job_free(&session.job);
}

static void
another_build_is_an_error(void **state)
{
	(void)state;
	begin(ATTACK_LIMITS, REASON_EXITED, "attempt rs_fds errno 24 \n");
	session.job.out.text[strlen("agsbx-attack ")]++;
	judge(JOB_ERROR);
	want(ATTACK_rs_fds, ATTACK_SKIPPED, "");
	job_free(&session.job);
}

/* Names fit where they are shown, and differ from verdict words. */
static void
the_table_is_sound(void **state)
{
	char name[ATTACK_NAME_SIZE];

	(void)state;
	for (enum attack a = 0; a < ATTACK__MAX; a++) {
		const struct attack_info *info = &attack_infos[a];

		assert_true(strlen(info->name) < ATTACK_NAME_SIZE);
		assert_null(strchr(attack_name(a, name), '_'));
		assert_true(
		    (info->witness == ATTACK_TEXT ||
			info->witness == ATTACK_LINE) == (info->wants != NULL));
		assert_int_not_equal(attack_job(a), ATTACK_INIT);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_line_is_a_verdict),
	    cmocka_unit_test(silence_is_no_containment),
	    cmocka_unit_test(its_end_answers),
	    cmocka_unit_test(success_is_not_always_an_escape),
	    cmocka_unit_test(texts_are_compared),
	    cmocka_unit_test(a_name_is_the_whole_line),
	    cmocka_unit_test(another_build_is_an_error),
	    cmocka_unit_test(the_table_is_sound),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
