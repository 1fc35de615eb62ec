/*
 * Is this how a run may end?  Never with less confinement than an undisturbed
 * run had, as a witness outside of the sandbox and the job itself saw it;
 * never with anything left; and the exit code, the document and the row say
 * what happened.  Pure: reads what trial.c gathered.
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

enum {
	LOADER_STATUS = 127, /* it could not load agsbx */
	PROBE_LOST = 100,    /* the probe could not speak */
};

const char *const ending_names[ENDING__MAX] = {
    [ENDING_HARMLESS] = "harmless",
    [ENDING_REFUSED] = "refused",
    [ENDING_ERROR] = "error",
    [ENDING_JOB] = "job failed",
    [ENDING_UNBORN] = "not loaded",
    [ENDING_KILLED] = "killed",
    [ENDING_MISSED] = "missed",
    [ENDING_WRONG] = "WRONG",
};

static bool __attribute__((format(printf, 2, 3)))
wrong(struct trial *t, const char *fmt, ...)
{
	va_list ap;

	t->ending = ENDING_WRONG;
	va_start(ap, fmt);
	(void)vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
	return (false);
}

static const char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return (text != NULL ? text : "none");
}

static const char *
reason_of(const json_t *job)
{
	return (text_of(json_object_get(job, "verdict"), "reason"));
}

/*
 * A part of the host's /etc, which a broker leaves out when it cannot look at
 * it: no control depends on it, and a job without it can do less.
 */
static bool
is_view_of_etc(const char *line, size_t len)
{
	static const char start[] = "mountinfo: /";

	return (strncmp(line, start, sizeof(start) - 1) == 0 &&
	    memmem(line, len, " /etc/", 6) != NULL);
}

/* Where the launcher finds that pids.max cannot be written, by faccessat2, the
 * job has a lower limit in its place. */
static bool
is_lower_nproc(const struct injection *i, const char *got, const char *want)
{
	static const char start[] = "limits: Max processes ";
	const size_t len = sizeof(start) - 1;

	return (i->role == ROLE_LAUNCHER && i->nr == SYS_faccessat2 &&
	    strncmp(got, start, len) == 0 && strncmp(want, start, len) == 0 &&
	    strtoul(got + len, NULL, 10) < strtoul(want + len, NULL, 10));
}

/* The first line of got that is not in want, or misses there; NULL: none. */
static const char *
find_difference(const struct injection *i, const char *got, const char *want)
{
	static char line[256];
	const bool may_lack_etc = i->role == ROLE_BROKER;
	size_t len;

	while (*want != '\0') {
		if (strcmp(got, WITNESS_INIT_GONE) == 0 &&
		    strncmp(want, WITNESS_INIT, strlen(WITNESS_INIT)) == 0)
			return (NULL);
		len = strcspn(want, "\n") + 1;
		if (strncmp(got, want, len) == 0)
			got += len;
		else if (is_lower_nproc(i, got, want))
			got += strcspn(got, "\n") + 1;
		else if (!may_lack_etc || !is_view_of_etc(want, len))
			break;
		want += len;
	}
	if (*want == '\0' && *got == '\0')
		return (NULL);
	(void)snprintf(line, sizeof(line), "%.100s instead of %.100s", got,
	    want);
	return (line);
}

/* Whoever got to run the command ran it in the whole confinement. */
static bool
is_confined(struct trial *t)
{
	int status = t->run.job_status;
	const char *line = NULL;

	if (!t->run.did_exec)
		return (true);
	if (t->healthy != NULL)
		line = find_difference(&t->injection, t->run.witness,
		    t->healthy->witness);
	if (line != NULL)
		return (wrong(t, "another job: %s", line));
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0 &&
	    WEXITSTATUS(status) < PROBE_LOST)
		return (wrong(t, "the job did %d things that are denied",
		    WEXITSTATUS(status)));
	return (true);
}

/* The one row of the run; NULL: it left none. */
static const json_t *
row_of(const struct trial *t)
{
	return (json_array_get(json_object_get(t->rows, "jobs"), 0));
}

static bool
is_settled(struct trial *t)
{
	const json_t *again = json_object_get(t->recovered[1], "reaped");
	const char *state = text_of(row_of(t), "state");

	if (t->rows == NULL || t->recovered[0] == NULL ||
	    (t->injection.deed >= DEED_KILL && t->recovered[1] == NULL))
		return (wrong(t, "recover or jobs failed"));
	if (json_integer_value(again) != 0)
		return (wrong(t, "the second recover found an orphan"));
	if (json_array_size(json_object_get(t->rows, "jobs")) > 1)
		return (wrong(t, "more than one row"));
	if (strcmp(state, "admitted") == 0 || strcmp(state, "held") == 0 ||
	    strcmp(state, "running") == 0)
		return (wrong(t, "a row is still %s", state));
	return (true);
}

static bool
leaves_nothing(struct trial *t, const char *leftover)
{
	if (t->run.has_hung)
		return (wrong(t, "hung"));
	if (t->run.left_process)
		return (wrong(t, "a process lived on"));
	if (leftover != NULL)
		return (wrong(t, "left: %s", leftover));
	return (true);
}

/* Two arrays of objects that have the same texts under the keys. */
static bool
are_alike(const json_t *a, const json_t *b, const char *const *keys)
{
	const char *was, *is;

	if (json_array_size(a) != json_array_size(b))
		return (false);
	for (size_t i = 0; i < json_array_size(a); i++)
		for (const char *const *key = keys; *key != NULL; key++) {
			was = text_of(json_array_get(a, i), *key);
			is = text_of(json_array_get(b, i), *key);
			if (strcmp(was, is) != 0)
				return (false);
		}
	return (true);
}

/* The numbers are the witness's business: a view of /etc may be missing, and
 * why a control was waived may be told in poorer words. */
static bool
is_same_confinement(const json_t *a, const json_t *b)
{
	static const char *const of_control[] = {"name", "state", NULL};
	static const char *const of_gap[] = {"control", "token", NULL};

	return (json_equal(json_object_get(a, "complete"),
		    json_object_get(b, "complete")) &&
	    are_alike(json_object_get(a, "controls"),
		json_object_get(b, "controls"), of_control) &&
	    are_alike(json_object_get(a, "gaps"), json_object_get(b, "gaps"),
		of_gap) &&
	    are_alike(json_object_get(a, "waived"),
		json_object_get(b, "waived"), of_gap));
}

/* Exit 0: everything is as if nothing had happened. */
static bool
is_whole(struct trial *t)
{
	const json_t *row = row_of(t);
	const struct healthy *h = t->healthy;

	if (!t->run.did_exec || !WIFEXITED(t->run.job_status) ||
	    WEXITSTATUS(t->run.job_status) != 0)
		return (wrong(t, "exit 0, and the job had not ended with 0"));
	if (strcmp(text_of(row, "state"), "succeeded") != 0)
		return (wrong(t, "exit 0, and the row is %s",
		    text_of(row, "state")));
	if (!json_equal(json_object_get(row, "confinement"),
		json_object_get(t->document, "confinement")))
		return (wrong(t, "row and document differ in confinement"));
	if (h != NULL &&
	    (!is_same_confinement(h->confinement,
		 json_object_get(row, "confinement")) ||
		!json_equal(h->output, json_object_get(t->document, "stdout"))))
		return (wrong(t, "exit 0, and not all as undisturbed: %s",
		    text_of(t->document, "stdout")));
	return (true);
}

/* Exit 2: the job failed by what it did itself, or was not executed. */
static bool
is_jobs_fault(struct trial *t)
{
	int status = t->run.job_status;
	const char *reason = reason_of(row_of(t));

	if (!t->run.did_exec && strcmp(reason, "exec") == 0 &&
	    t->injection.role == ROLE_JOB)
		return (true);
	if (t->run.did_exec && status != -1 && status != 0)
		return (true);
	return (wrong(t, "exit 2, reason %s, job status 0x%x", reason,
	    (unsigned int)status));
}

static bool
is_refusal(struct trial *t)
{
	if (t->run.did_exec)
		return (wrong(t, "exit 3, and the job ran"));
	if (strcmp(text_of(row_of(t), "state"), "refused") != 0)
		return (wrong(t, "exit 3, and the row is %s",
		    text_of(row_of(t), "state")));
	return (true);
}

/* Exit 1 always says why. */
static bool
is_error(struct trial *t)
{
	if (t->words[0] == '\0')
		return (wrong(t, "exit 1 without a word"));
	return (true);
}

/* In the loader, before main(), nobody could have said or done anything. */
static bool
is_unborn(const struct trial *t)
{
	return (t->is_before_main && row_of(t) == NULL && !t->run.did_exec &&
	    (WIFSIGNALED(t->run.status) ||
		WEXITSTATUS(t->run.status) == LOADER_STATUS));
}

static const struct {
	int code;
	enum ending ending;
	bool (*holds)(struct trial *t);
} exits[] = {
    {0, ENDING_HARMLESS, is_whole},
    {1, ENDING_ERROR, is_error},
    {2, ENDING_JOB, is_jobs_fault},
    {3, ENDING_REFUSED, is_refusal},
};

static void
judge_exit(struct trial *t)
{
	int status = t->run.status;

	if (WIFSIGNALED(status) && t->injection.victim == ROLE_BROKER &&
	    t->injection.deed >= DEED_KILL && WTERMSIG(status) == SIGKILL) {
		t->ending = ENDING_KILLED;
		return;
	}
	if (is_unborn(t)) {
		t->ending = ENDING_UNBORN;
		return;
	}
	for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
		if (!WIFEXITED(status) || WEXITSTATUS(status) != exits[i].code)
			continue;
		if (exits[i].holds(t))
			t->ending = exits[i].ending;
		return;
	}
	(void)wrong(t, "ended with wait status 0x%x", (unsigned int)status);
}

void
judge(struct trial *t, const char *leftover)
{
	if (!leaves_nothing(t, leftover) || !is_settled(t) || !is_confined(t))
		return;
	judge_exit(t);
	if (t->ending != ENDING_WRONG && t->injection.deed != DEED_NONE &&
	    !t->run.was_injected)
		t->ending = ENDING_MISSED;
}
