/*
 * test_doc.c - the exact set of keys of every document, recursively, whether
 * all or nothing of a job is known; and that output is ASCII whatever a job
 * is called.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "doc.h"
#include "ledger_fixture.h"

static void
walk(const json_t *value, const char *path, FILE *f)
{
	char deeper[512];
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_array(value)) {
		/* Every element has the keys of the first. */
		json_array_foreach(value, i, member)
		{
			(void)snprintf(deeper, sizeof(deeper), "%s[]", path);
			if (i == 0)
				walk(member, deeper, f);
		}
		return;
	}
	if (!json_is_object(value))
		return;
	json_object_foreach((json_t *)(uintptr_t)value, key, member)
	{
		(void)snprintf(deeper, sizeof(deeper), "%s%s%s", path,
		    path[0] != '\0' ? "." : "", key);
		(void)fprintf(f, "%s ", deeper);
		walk(member, deeper, f);
	}
}

/* Parses text, checks its keys in order and that it is one line of ASCII. */
static json_t *
check_keys(char *text, const char *want)
{
	char *got = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&got, &len);
	json_t *top;

	assert_non_null(text);
	assert_non_null(f);
	for (const char *p = text; *p != '\0'; p++)
		assert_true((*p >= ' ' && *p < 0x7f) || p[1] == '\0');
	assert_int_equal(text[strlen(text) - 1], '\n');
	top = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(top);
	walk(top, "", f);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(got, want);
	free(got);
	free(text);
	return (top);
}

#define STREAM(name) \
	"streams." name " streams." name ".bytes_seen streams." name \
	".bytes_kept streams." name ".truncated streams." name ".sha256 "
#define JOB_HEAD \
	"schema agsbx_version job tenant note state degraded refusals verdict " \
	"verdict.reason verdict.detail verdict.limits_hit exit_code signal " \
	"signal_name stdout stdout_encoding stderr stderr_encoding " \
	"output_truncated streams " STREAM("stdout") STREAM( \
	    "stderr") "usage usage.wall_ms usage.cpu_ms usage.memory_peak_bytes " \
		      "usage.processes_peak usage.source command command.argv command.file " \
		      "command.sha256 network confinement confinement.complete "
#define GAP(name) \
	"confinement." name "[].control confinement." name \
	"[].token confinement." name "[].errno confinement." name \
	"[].cause confinement." name "[].fix "
#define ROWS \
	"confinement.controls[].name confinement.controls[].state " \
	"confinement.controls[].want confinement.controls[].got "
#define JOB_TAIL \
	"policy policy.name policy.sha256 host host.kernel host.boot_id " \
	"host.uid created_at started_at ended_at "

static const char *
text_at(const json_t *top, const char *one, const char *two)
{
	const json_t *v = json_object_get(top, one);

	if (two != NULL)
		v = json_object_get(v, two);
	return (json_string_value(v));
}

static void
a_full_job_has_these_keys(void **state)
{
	struct job j;
	json_t *top;

	(void)state;
	fixture_job(&j);
	fixture_gap(&j, CTL_MEMORY, true);
	fixture_gap(&j, CTL_PROCFS, false);
	memcpy(j.id, "01ARYZ6S41TSV4RRFFQ69G5FAV", JOB_ID_SIZE);
	j.state = JOB_KILLED;
	j.created_ms = 0;
	j.out.text = strdup("\xc2\x9b[31m\xe2\x80\xaex\n");
	j.out.encoding = "utf-8";
	top = check_keys(doc_job(&j),
	    JOB_HEAD "confinement.gaps " GAP("gaps") "confinement.waived " GAP(
		"waived") "confinement.controls " ROWS JOB_TAIL);
	assert_string_equal(text_at(top, "schema", NULL), "agsbx.job/1");
	assert_string_equal(text_at(top, "verdict", "reason"), "wall");
	assert_string_equal(text_at(top, "signal_name", NULL), "SIGKILL");
	assert_string_equal(text_at(top, "stdout", NULL), j.out.text);
	assert_string_equal(text_at(top, "network", NULL), "host");
	assert_string_equal(text_at(top, "created_at", NULL),
	    "1970-01-01T00:00:00.000Z");
	assert_true(json_is_null(json_object_get(top, "ended_at")));
	assert_int_equal(json_integer_value(
			     json_object_get(json_object_get(top, "usage"),
				 "memory_peak_bytes")),
	    18 << 20);
	/* Not UTF-8: made visible, the newline and quotes as JSON has them. */
	assert_string_equal(json_string_value(json_array_get(
				json_object_get(json_object_get(top, "command"),
				    "argv"),
				2)),
	    "a\\x0ab\\xff'; DROP TABLE jobs; --");
	json_decref(top);
	job_free(&j);
}

static void
an_empty_job_has_them_as_null(void **state)
{
	static const char *const nulls[] = {"job", "note", "exit_code",
	    "signal", "signal_name", "stdout", "stdout_encoding", "stderr",
	    "stderr_encoding", "created_at", "started_at", "ended_at"};
	struct job j;
	json_t *top;

	(void)state;
	job_init(&j);
	top = check_keys(doc_job(&j),
	    JOB_HEAD "confinement.gaps confinement.waived "
		     "confinement.controls " JOB_TAIL);
	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++)
		assert_true(json_is_null(json_object_get(top, nulls[i])));
	assert_string_equal(text_at(top, "tenant", NULL), "default");
	json_decref(top);
	job_free(&j);
}

static const char *
control_member(const json_t *top, const char *name, const char *key)
{
	const json_t *rows = json_object_get(top, "controls"), *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "name")),
			name) == 0)
			return (json_string_value(json_object_get(row, key)));
	}
	return (NULL);
}

static void
doctor_shows_every_control(void **state)
{
	struct policy p = {.name = (char *)(uintptr_t) "built-in"};
	struct job j;
	json_t *top;

	(void)state;
	fixture_job(&j);
	fixture_gap(&j, CTL_MEMORY, true);
	fixture_gap(&j, CTL_PROCFS, false);
	j.rows[CTL_PROCFS].state = READBACK_FAULT;
	j.rows[CTL_WALL].want = j.rows[CTL_WALL].got = 60000;
	top = check_keys(doc_doctor(&(struct host){.memory_bytes = 1}, &j, &p,
			     NULL),
	    "schema agsbx_version host host.kernel host.boot_id host.uid "
	    "complete controls controls[].name controls[].state "
	    "controls[].want controls[].got controls[].floor "
	    "controls[].denies controls[].errno controls[].cause "
	    "controls[].fix gaps gaps[].control gaps[].token gaps[].errno "
	    "gaps[].cause gaps[].fix waived waived[].control waived[].token "
	    "waived[].errno waived[].cause waived[].fix cgroup "
	    "cgroup.parent cgroup.steps cgroup.steps[].step "
	    "cgroup.steps[].result memory_stand_in "
	    "memory_stand_in.data_bytes memory_stand_in.processes "
	    "memory_stand_in.scratch_bytes memory_stand_in.descriptors "
	    "memory_stand_in.socket_bytes memory_stand_in.worst_case_bytes "
	    "policy policy.name policy.sha256 residuals "
	    "residuals[].names residuals[].possible residuals[].why attack ");
	assert_int_equal(json_array_size(json_object_get(top, "controls")),
	    CTL__MAX);
	assert_string_equal(control_member(top, "netns", "state"), "off");
	assert_string_equal(control_member(top, "memory", "state"), "waived");
	assert_string_equal(control_member(top, "procfs", "state"), "refused");
	assert_string_equal(control_member(top, "wall", "state"), "held");
	assert_string_equal(control_member(top, "wall", "got"), "60s");
	assert_null(control_member(top, "netns", "want"));
	json_decref(top);
	job_free(&j);
}

static void
small_documents(void **state)
{
	const struct job *jobs[1];
	struct recovered r[2] = {{.id = "A",
				     .text = "x",
				     .outcome = RECOVER_REAPED},
	    {.id = "B", .text = "y", .outcome = RECOVER_FAILED}};
	struct diag d = {0};
	struct job j;
	json_t *top;
	char *text;

	(void)state;
	(void)diag_at(&d, DIAG_POLICY, "/etc/\xff", 7, "unknown key");
	top = check_keys(doc_error(&d),
	    "schema error error.code error.message error.file error.line ");
	assert_string_equal(text_at(top, "error", "code"), "policy");
	json_decref(top);
	(void)diag_set(&d, DIAG_USAGE, "x");
	top = check_keys(doc_error(&d),
	    "schema error error.code error.message error.file error.line ");
	assert_null(text_at(top, "error", "file"));
	json_decref(top);
	top = check_keys(doc_recover(r, 2),
	    "schema agsbx_version jobs jobs[].job jobs[].outcome "
	    "jobs[].detail reaped live failed ");
	assert_int_equal(json_integer_value(json_object_get(top, "reaped")), 1);
	assert_int_equal(json_integer_value(json_object_get(top, "live")), 0);
	json_decref(top);
	top = check_keys(doc_jobs(NULL, 0, false),
	    "schema agsbx_version jobs more ");
	json_decref(top);
	fixture_small_job(&j);
	jobs[0] = &j;
	text = doc_jobs(jobs, 1, true);
	assert_non_null(text);
	top = json_loads(text, 0, NULL);
	free(text);
	assert_true(json_is_true(json_object_get(top, "more")));
	assert_string_equal(text_at(json_array_get(json_object_get(top, "jobs"),
					0),
				"schema", NULL),
	    "agsbx.job/1");
	json_decref(top);
	job_free(&j);
}

static void
policy_lists_everything(void **state)
{
	struct policy *p = policy_new();
	struct diag d = {0};
	json_t *top, *limits;
	char *text;

	(void)state;
	assert_non_null(p);
	assert_int_equal(policy_finish(p, &d), 0);
	p->waived = CONTROL_BIT(CTL_MEMORY);
	text = doc_policy(p);
	assert_non_null(text);
	top = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(top);
	limits = json_object_get(top, "limits");
	assert_int_equal(json_object_size(limits), LIMIT__MAX);
	assert_int_equal(json_integer_value(json_object_get(limits, "wall_ms")),
	    60000);
	assert_int_equal(json_object_size(json_object_get(top, "ceilings")),
	    LIMIT__MAX);
	assert_true(json_is_null(
	    json_object_get(json_object_get(top, "ceilings"), "wall_ms")));
	assert_string_equal(json_string_value(
				json_array_get(json_object_get(top, "waived"),
				    0)),
	    "memory");
	assert_true(
	    json_array_size(json_object_get(json_object_get(top, "syscalls"),
		"allow")) > 100);
	json_decref(top);
	policy_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_full_job_has_these_keys),
	    cmocka_unit_test(an_empty_job_has_them_as_null),
	    cmocka_unit_test(doctor_shows_every_control),
	    cmocka_unit_test(small_documents),
	    cmocka_unit_test(policy_lists_everything),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
