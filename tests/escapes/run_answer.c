/*
 * run_answer.c - which layer refused a trial.
 *
 * From what agsbx says of the job's end (its document), else from the errno in
 * the probe's last line, which a sentinel makes good.
 */
#include <sys/wait.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char *const reasons[ENDED__MAX] = {
    [ENDED_WALL] = "wall",
    [ENDED_CPU] = "cpu",
    [ENDED_MEMORY] = "memory",
    [ENDED_PROCESSES] = "processes",
    [ENDED_OUTPUT] = "output",
    [ENDED_EXEC] = "exec",
};

static const struct {
	int answer;
	const char *text;
} sentinels[] = {
    {PLAN_UNLISTED, "plan filter (not listed)"},
    {PLAN_NEVER, "plan filter (never)"},
    {PLAN_ARGS, "plan filter (argument)"},
    {FLOOR_NEVER, "floor filter (never)"},
    {FLOOR_OTHER, "floor filter (argument)"},
    {ANSWER_VIOLATION, "agsbx: the protocol is broken"},
    {ANSWER_NOTICED, "agsbx: it was found out"},
    {ANSWER_POLICY, "agsbx itself"},
    {ANSWER_NOTHING, "nothing came of it"},
};

const char *
answer_text(int answer, char buf[64])
{
	for (size_t i = 0; i < sizeof(sentinels) / sizeof(sentinels[0]); i++) {
		if (sentinels[i].answer == answer)
			return (sentinels[i].text);
	}
	if (answer >= ANSWER_ENDED(WALL))
		(void)snprintf(buf, 64, "ended: %s",
		    reasons[answer - ANSWER_ENDED(WALL)]);
	else if (answer >= ANSWER_NO_LAUNCH &&
	    answer < ANSWER_NO_LAUNCH + CTL__MAX)
		(void)snprintf(buf, 64, "launch refused: %s",
		    controls[answer - ANSWER_NO_LAUNCH].name);
	else if (answer >= ANSWER_SIGNAL(0))
		(void)snprintf(buf, 64, "SIG%s",
		    sigabbrev_np(answer - ANSWER_SIGNAL(0)));
	else
		(void)snprintf(buf, 64, "%s",
		    strerrorname_np(answer) != NULL ? strerrorname_np(answer) :
						      "no errno");
	return (buf);
}

static int
set_answer(struct trial *t, int answer)
{
	t->answer = answer;
	t->has_answer = true;
	return (0);
}

/* The last line of the probe; one that ended before it has answered nothing,
 * which is not that nothing came of it. */
static int
said(struct trial *t)
{
	const char *p = t->output, *last = NULL;

	while ((p = strstr(p, "\nrefused ")) != NULL)
		last = p++;
	if (last != NULL)
		return (set_answer(t, (int)strtol(last + 9, NULL, 10)));
	if (strstr(t->output, "\nescaped\n") == NULL &&
	    strstr(t->output, "\nabsent\n") == NULL)
		return (-1);
	return (set_answer(t, ANSWER_NOTHING));
}

static int
refused(struct trial *t, const char *name)
{
	for (enum control ctl = 0; name != NULL && ctl < CTL__MAX; ctl++) {
		size_t len = strlen(controls[ctl].name);

		if (strncmp(name, controls[ctl].name, len) == 0 &&
		    (name[len] == '\0' || strchr(":\n", name[len]) != NULL))
			return (set_answer(t, ANSWER_NO_LAUNCH + (int)ctl));
	}
	return (-1);
}

static int
from_document(struct trial *t)
{
	const char *state = NULL, *reason = NULL, *gap = NULL, *message = NULL;
	const char *code = NULL;
	int sig = 0;

	(void)json_unpack(t->doc, "{s:s, s:{s:s}}", "state", &state, "verdict",
	    "reason", &reason);
	(void)json_unpack(t->doc, "{s:{s:[{s:s}]}}", "confinement", "gaps",
	    "control", &gap);
	(void)json_unpack(t->doc, "{s:{s:s, s:s}}", "error", "code", &code,
	    "message", &message);
	if (code != NULL &&
	    (strcmp(code, "usage") == 0 || strcmp(code, "policy") == 0))
		return (set_answer(t, ANSWER_POLICY));
	(void)json_unpack(t->doc, "{s:i}", "signal", &sig);
	(void)json_unpack(t->doc, "{s:{s:s}}", "verdict", "detail", &message);
	if (state != NULL && strcmp(state, "refused") == 0)
		return (refused(t, gap));
	if (message != NULL &&
	    strstr(message, "a process of the job is still there") != NULL)
		return (set_answer(t, ANSWER_NOTICED));
	if (state == NULL || reason == NULL || strcmp(state, "error") == 0)
		return (refused(t, message));
	for (size_t i = 0; i < ENDED__MAX; i++) {
		if (strcmp(reason, reasons[i]) == 0)
			return (set_answer(t, ANSWER_ENDED(WALL) + (int)i));
	}
	(void)json_unpack(t->doc, "{s:i}", "exit_code", &t->job_status);
	return (sig != 0 ? set_answer(t, ANSWER_SIGNAL(sig)) : said(t));
}

/* A drill that has not come to a verdict proves nothing. */
static int
drill_answer(struct trial *t)
{
	static const struct {
		const char *word;
		int answer;
	} words[] = {{"nothing", ANSWER_NOTHING}, {"policy", ANSWER_POLICY},
	    {"violation", ANSWER_VIOLATION}, {"noticed", ANSWER_NOTICED}};
	const char *said = strstr(t->output, "\nrefused ");

	if (said == NULL || t->is_late)
		return (-1);
	said += strlen("\nrefused ");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(said, words[i].word, strlen(words[i].word)) == 0)
			return (set_answer(t, words[i].answer));
	}
	if (strncmp(said, "launch ", 7) == 0)
		return (refused(t, said + 7));
	return (set_answer(t, (int)strtol(said, NULL, 10)));
}

int
trial_answer(struct trial *t)
{
	if (t->attempt->is_drill)
		return (drill_answer(t));
	if (t->doc != NULL)
		return (from_document(t));
	if (!t->is_naked && !t->is_late)
		return (-1);
	if (WIFSIGNALED(t->status) && !t->is_late)
		return (set_answer(t, ANSWER_SIGNAL(WTERMSIG(t->status))));
	if (WIFEXITED(t->status))
		t->job_status = WEXITSTATUS(t->status);
	return (said(t));
}
