/*
 * attack_judge.c - from a job that has ended to one verdict for each of its
 * attempts, and to the row's detail.  What the job printed is taken for what
 * agsbx-attack says only by line and form; where somebody outside can see a
 * success, he decides.  Called by settle.c, in the confined broker.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"
#include "build_id.h"

#define FLOOD_BYTES 10000000
#define UPTIME_SLACK_S 60

/* The reason for which such a job is to end, if its control holds. */
static const enum reason ends[ATTACK_BATCH__MAX] = {
    [ATTACK_MEMORY] = REASON_MEMORY,
    [ATTACK_OUTPUT] = REASON_OUTPUT,
    [ATTACK_CPU] = REASON_CPU,
    [ATTACK_WALL] = REASON_WALL,
};

/* A program of another build tries other things, or says it otherwise. */
static bool
is_of_this_build(const struct job *j)
{
	static const char first[] = "agsbx-attack " AGSBX_BUILD_ID "\n";

	return (j->out.text != NULL && j->out.encoding != NULL &&
	    strcmp(j->out.encoding, "utf-8") == 0 && !j->out.is_truncated &&
	    strncmp(j->out.text, first, sizeof(first) - 1) == 0);
}

/* ---- who else saw it ---- */

static bool
has_text(const struct attack_trial *t, enum attack id,
    const struct attack_answer *a)
{
	char *wants = attack_scene_expand(&t->scene, attack_infos[id].wants);
	/* Out of memory: what cannot be looked at is no containment. */
	bool has = wants == NULL || strstr(a->output, wants) != NULL;

	free(wants);
	return (has);
}

/* All of it: a host's name may be a part of any other. */
static bool
is_text(const struct attack_trial *t, enum attack id,
    const struct attack_answer *a)
{
	char *wants = attack_scene_expand(&t->scene, attack_infos[id].wants);
	size_t len = strcspn(a->output, "\n");
	bool is_it = wants == NULL ||
	    (strlen(wants) == len && strncmp(a->output, wants, len) == 0);

	free(wants);
	return (is_it);
}

static bool
was_planted(const struct attack_scene *sc)
{
	if (access(sc->planted, F_OK) == -1)
		return (false);
	(void)unlink(sc->planted); /* the verdict tells of it */
	return (true);
}

/* Stopped, or gone. */
static bool
was_victim_reached(const struct attack_scene *sc)
{
	siginfo_t info = {.si_pid = 0};

	if (waitid(P_PID, (id_t)sc->victim, &info,
		WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == -1)
		return (true);
	return (info.si_pid != 0);
}

static bool
has_connection(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return (poll(&p, 1, 0) > 0);
}

static bool
is_host_uptime(const struct attack_answer *a)
{
	struct timespec up = {0};
	char *end;
	long said = strtol(a->output, &end, 10);

	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	return (end != a->output && said + UPTIME_SLACK_S >= up.tv_sec);
}

static bool
is_seen(const struct session *s, const struct attack_trial *t, enum attack id,
    const struct attack_answer *a)
{
	switch (attack_infos[id].witness) {
	case ATTACK_TEXT:
		return (a->has_done_it && has_text(t, id, a));
	case ATTACK_LINE:
		return (a->has_done_it && is_text(t, id, a));
	case ATTACK_UPTIME:
		return (a->has_done_it && is_host_uptime(a));
	case ATTACK_PLANTED:
		return (was_planted(&t->scene));
	case ATTACK_VICTIM:
		return (was_victim_reached(&t->scene));
	case ATTACK_TCP:
		return (has_connection(t->scene.tcp));
	case ATTACK_ABSTRACT:
		return (has_connection(t->scene.abstract));
	case ATTACK_FLOOD:
		return (s->job.out.bytes_seen >= FLOOD_BYTES);
	default:
		return (a->has_done_it);
	}
}

/* ---- what it means ---- */

/* What the policy itself shows, at this path or above it. */
static bool
is_shown(const struct policy *p, const char *path)
{
	for (unsigned int i = 0; i < p->bind_count; i++) {
		const char *at = p->binds[i].path;
		size_t len = strlen(at);

		if (strncmp(path, at, len) == 0 &&
		    (path[len] == '/' || path[len] == '\0'))
			return (true);
	}
	return (false);
}

static bool
is_passed(const struct policy *p, const char *name)
{
	for (unsigned int i = 0; i < p->env_count; i++)
		if (strcmp(p->envs[i].name, name) == 0)
			return (true);
	return (false);
}

/* NULL, or the option that asks for what succeeded. */
static const char *
asked_for(const struct session *s, enum attack id)
{
	const struct attack_info *info = &attack_infos[id];
	const struct readback *row = &s->job.rows[info->control];

	if (info->words[0] != NULL && info->words[0][0] == '/' &&
	    is_shown(s->policy, info->words[0]))
		return ("--bind");
	if (id == ATTACK_ef_env_secret && is_passed(s->policy, "AGSBX_TOKEN"))
		return ("--allow-env");
	if (info->control == CTL_NETNS && row->state == READBACK_OFF)
		return ("--network");
	return (NULL);
}

static void __attribute__((format(printf, 3, 4)))
put(struct attack_result *r, enum attack_verdict verdict, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->verdict = verdict;
	(void)vsnprintf(r->why, sizeof(r->why), fmt, ap); /* cut: for people */
	va_end(ap);
}

static void
judge_success(const struct session *s, enum attack id, struct attack_result *r)
{
	const struct job_gap *gap =
	    job_gap_of(&s->job, attack_infos[id].control);
	const char *asked = asked_for(s, id);

	if (asked != NULL)
		put(r, ATTACK_OFF, "asked for by %s", asked);
	else if (gap != NULL && gap->is_waived)
		put(r, ATTACK_OPEN, "waived: %s",
		    controls[attack_infos[id].control].name);
	else
		put(r, ATTACK_ESCAPED, "%s did not hold",
		    controls[attack_infos[id].control].name);
}

/* By a filter or a limit; what dies of anything else has tried nothing. */
static bool
is_refusal(int sig)
{
	return (sig == SIGSYS || sig == SIGXFSZ || sig == SIGXCPU ||
	    sig == SIGKILL);
}

static void
judge_failure(const struct session *s, const struct attack_trial *t,
    const struct attack_answer *a, struct attack_result *r)
{
	const char *name;

	if (ends[t->batch] != REASON_NONE && s->job.reason == ends[t->batch]) {
		put(r, ATTACK_CONTAINED, "ended: %s",
		    reason_name(s->job.reason));
	} else if (!a->is_there) {
		put(r, ATTACK_UNANSWERED, "no answer (%s)",
		    reason_name(s->job.reason));
	} else if (a->is_absent) {
		put(r, ATTACK_SKIPPED, "this kernel has no such thing");
	} else if (a->signal == SIGALRM) {
		/* On the wall clock it would have gone on for ever. */
		put(r,
		    t->batch == ATTACK_WALL ? ATTACK_ESCAPED :
					      ATTACK_UNANSWERED,
		    "it was still at it");
	} else if (a->signal != 0) {
		name = sigabbrev_np(a->signal);
		put(r,
		    is_refusal(a->signal) ? ATTACK_CONTAINED :
					    ATTACK_UNANSWERED,
		    "SIG%s", name != NULL ? name : "?");
	} else if (a->err != 0) {
		name = strerrorname_np(a->err);
		if (name != NULL)
			put(r, ATTACK_CONTAINED, "%s", name);
		else
			put(r, ATTACK_CONTAINED, "errno %d", a->err);
	} else {
		put(r, ATTACK_CONTAINED, "nothing came of it");
	}
}

static void
judge_one(const struct session *s, const struct attack_trial *t, enum attack id)
{
	struct attack_result *r = &t->told->results[id];
	const char *lacks = attack_scene_lacks(&t->scene, id);
	struct attack_answer a;

	if (lacks != NULL) {
		put(r, ATTACK_SKIPPED, "%s", lacks);
		return;
	}
	attack_read_answer(s->job.out.text, attack_infos[id].name, &a);
	if (is_seen(s, t, id, &a))
		judge_success(s, id, r);
	else
		judge_failure(s, t, &a, r);
}

/* ---- the row ---- */

/* "escaped NAME NAME; contained 4; ..." and what the verdict says. */
static char *
describe(const struct session *s, const struct attack_trial *t,
    unsigned int counts[ATTACK_VERDICT__MAX])
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	const struct attack_result *results = t->told->results;
	char name[ATTACK_NAME_SIZE];

	if (f == NULL)
		return (NULL);
	for (enum attack a = 0; a < ATTACK__MAX; a++) {
		if (attack_job(a) != t->batch)
			continue;
		if (results[a].verdict == ATTACK_ESCAPED)
			(void)fprintf(f, "%s%s",
			    counts[ATTACK_ESCAPED] == 0 ? "ESCAPED: " : " ",
			    attack_name(a, name));
		counts[results[a].verdict]++;
	}
	for (enum attack_verdict v = 0; v < ATTACK_VERDICT__MAX; v++)
		if (counts[v] != 0)
			(void)fprintf(f, "%s%u %s", ftell(f) > 0 ? ", " : "",
			    counts[v], attack_verdicts[v]);
	if (s->job.detail != NULL)
		(void)fprintf(f, "; %s", s->job.detail);
	if (fclose(f) == 0)
		return (text);
	free(text);
	return (NULL);
}

int
attack_judge(struct session *s)
{
	struct attack_trial *t = s->judge_arg;
	unsigned int counts[ATTACK_VERDICT__MAX] = {0};
	struct job *j = &s->job;
	struct stat st;
	char *detail;

	if (j->state == JOB_REFUSED || j->state == JOB_ERROR)
		return (0);
	if (stat(t->scene.state_dir, &st) == 0)
		t->scene.inode = st.st_ino;
	/* What ends the job leaves no word of the program. */
	if (j->reason == REASON_EXITED && t->batch != ATTACK_OUTPUT &&
	    !is_of_this_build(j)) {
		(void)diag_set(&s->failure, DIAG_INTERNAL,
		    "agsbx-attack is not of the build of agsbx");
		j->state = JOB_ERROR;
		j->reason = REASON_ERROR;
		free(j->detail);
		j->detail = strdup(s->failure.message);
		return (j->detail == NULL ? -1 : 0);
	}
	for (enum attack a = 0; a < ATTACK__MAX; a++)
		if (attack_job(a) == t->batch)
			judge_one(s, t, a);
	if ((detail = describe(s, t, counts)) == NULL)
		return (-1);
	free(j->detail);
	j->detail = detail;
	if (counts[ATTACK_ESCAPED] != 0 && j->state == JOB_SUCCEEDED)
		j->state = JOB_FAILED;
	return (0);
}
