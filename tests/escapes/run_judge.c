/*
 * run_judge.c - one attempt: naked, with everything held, and with each subset
 * of its cut set left out.
 *
 * Naked it must succeed, else the host cannot show it and it is skipped.  With
 * all of the cut set left out it must succeed, else what it fails of is none
 * of ours.  Anything less must be refused, by the layer that the table names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "needs.h"
#include "run.h"

#define LANDLOCK_SCOPES 6 /* the ABI that has them */

struct judgement {
	const struct attempt *attempt;
	json_t *runs;
	char why[512]; /* the first thing that is wrong */
};

static void
wrong(struct judgement *j, const char *what, const struct trial *t,
    const char *more)
{
	char list[256] = "";

	if (j->why[0] != '\0')
		return;
	for (size_t i = 0; i < t->attempt->layer_count; i++) {
		if ((t->without & (1U << i)) == 0)
			continue;
		(void)strcat(list, list[0] == '\0' ? " without " : ",");
		(void)strcat(list,
		    ablation_name(t->attempt->layers[i].ablation));
	}
	(void)snprintf(j->why, sizeof(j->why), "%s%s%s%s: %s",
	    t->variant != NULL ? t->variant : "",
	    t->variant != NULL ? ", " : "",
	    t->is_naked		? "naked" :
		t->without == 0 ? "full" :
				  "run",
	    list, what);
	if (more[0] != '\0')
		(void)snprintf(j->why + strlen(j->why),
		    sizeof(j->why) - strlen(j->why), " (%.200s)", more);
}

static void
record(struct judgement *j, const struct trial *t)
{
	char buf[64];
	json_t *without = json_array(), *run;

	for (size_t i = 0; i < t->attempt->layer_count; i++) {
		if ((t->without & (1U << i)) != 0)
			(void)json_array_append_new(without,
			    json_string(
				ablation_name(t->attempt->layers[i].ablation)));
	}
	run = json_pack("{s:b, s:o, s:b, s:s}", "naked", t->is_naked, "without",
	    without, "escaped", t->has_escaped, "answer",
	    t->has_answer && !t->has_escaped ? answer_text(t->answer, buf) :
					       "");
	(void)json_array_append_new(j->runs, run);
	if (setup.is_verbose)
		fprintf(stderr, "%s %s %x: escaped %d answer %s late %d\n%s%s",
		    t->attempt->id, t->is_naked ? "naked" : "run", t->without,
		    t->has_escaped, answer_text(t->answer, buf), t->is_late,
		    t->errors, t->output_len < 300 ? t->output : "");
}

/* Who has to answer when these are left out. */
static const struct layer *
refuser(const struct attempt *a, unsigned int without)
{
	for (size_t i = 0; i < a->layer_count; i++) {
		if ((without & (1U << i)) == 0)
			return (&a->layers[i]);
	}
	return (NULL);
}

static void
compare(struct judgement *j, const struct trial *t)
{
	const struct layer *l = refuser(t->attempt, t->without);
	char want[64], got[64], both[200];

	if (l == NULL) /* all rounds are looked at by the caller */
		return;
	if (t->has_escaped) {
		wrong(j, "it got out", t, "");
		return;
	}
	if (t->answer == l->answer)
		return;
	(void)snprintf(both, sizeof(both), "refused by %s, not by %s: %s",
	    answer_text(t->answer, got), ablation_name(l->ablation),
	    answer_text(l->answer, want));
	wrong(j, both, t, t->errors);
}

/* One combination, all its rounds; true when one of them escaped. */
static bool
run_rounds(struct judgement *j, bool is_naked, unsigned int without,
    const char *variant)
{
	static struct trial t;
	const struct attempt *a = j->attempt;
	bool is_all = without + 1 == 1U << a->layer_count, has_escaped = false;
	char answer[64];
	unsigned int rounds =
	    a->rounds != 0 && (without == 0 || is_all) ? a->rounds : 1;

	for (unsigned int i = 0; i < rounds && !has_escaped; i++) {
		if (trial_run(&t, a, is_naked, without, variant) == -1 &&
		    !t.has_escaped)
			wrong(j, "no answer", &t, t.errors);
		else if (!is_naked)
			compare(j, &t);
		has_escaped = t.has_escaped;
		if (i + 1 == rounds || has_escaped) {
			if (variant == NULL || variant == (*a->variants)[0])
				record(j, &t);
			if (is_all && !is_naked && !has_escaped)
				wrong(j,
				    "it did not get out, so that its refusal "
				    "proves nothing",
				    &t, t.errors);
		}
		if (is_naked && !has_escaped && i + 1 == rounds)
			wrong(j, "not possible on this host", &t,
			    answer_text(t.answer, answer));
		trial_end(&t);
	}
	return (has_escaped);
}

/* True when it escaped, of the variants with each. */
static bool
run_variants(struct judgement *j, bool is_naked, unsigned int without)
{
	const char *const *v;
	bool all = true;

	if (j->attempt->variants == NULL)
		return (run_rounds(j, is_naked, without, NULL));
	for (v = *j->attempt->variants; *v != NULL; v++)
		all = run_rounds(j, is_naked, without, *v) && all;
	return (all);
}

static json_t *
finish(struct judgement *j, const char *verdict)
{
	const struct attempt *a = j->attempt;
	json_t *layers = json_array();
	char buf[64];

	for (size_t i = 0; i < a->layer_count; i++)
		(void)json_array_append_new(layers,
		    json_pack("{s:s, s:s}", "ablation",
			ablation_name(a->layers[i].ablation), "answer",
			answer_text(a->layers[i].answer, buf)));
	return (json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "id",
	    a->id, "control",
	    a->control < CTL__MAX ? controls[a->control].name : "", "tries",
	    a->tries, "witness", a->witness != NULL ? a->witness->what : "",
	    "verdict", verdict, "why", j->why, "layers", layers, "runs",
	    j->runs));
}

/* Does the host have what this layer is made of? */
static bool
layer_is_here(const struct attempt *a, const struct layer *l)
{
	static const struct {
		const char *ablations; /* how their names begin */
		const char *control;
	} waivable[] = {{"ll.", "landlock"}, {"pr.", "procfs"},
	    {"rl.nproc", "processes"}, {"ns.cg", "cgroupns"}};
	const char *name = ablation_name(l->ablation);

	for (size_t i = 0; i < sizeof(waivable) / sizeof(waivable[0]); i++) {
		if (strncmp(name, waivable[i].ablations,
			strlen(waivable[i].ablations)) == 0 &&
		    strstr(setup.waivers, waivable[i].control) != NULL)
			return (false);
	}
	if (strncmp(name, "cg.", 3) == 0 && setup.leaves[0] == '\0')
		return (false);
	/* recover asks for pids only where there is no leaf to empty. */
	if (l->ablation == ABL_BR_PIDS && setup.leaves[0] != '\0')
		return (false);
	return ((l->ablation != ABL_LL_SCOPE ||
		    setup.landlock_abi >= LANDLOCK_SCOPES) &&
	    (l->ablation != ABL_LL_FS ||
		setup.landlock_abi >= a->landlock_abi));
}

/* Without the layers that this host does not have. */
static struct attempt
attempt_here(const struct attempt *a)
{
	struct attempt here = *a;

	here.layer_count = 0;
	for (size_t i = 0; i < a->layer_count; i++) {
		if (layer_is_here(a, &a->layers[i]))
			here.layers[here.layer_count++] = a->layers[i];
	}
	return (here);
}

json_t *
judge_attempt(const struct attempt *whole)
{
	const struct attempt here = attempt_here(whole), *a = &here;
	struct judgement j = {.attempt = a, .runs = json_array()};
	const char *missing = a->skipped;

	if (missing == NULL && a->is_drill)
		missing = need_programs();
	if (missing == NULL && a->needs != NULL)
		missing = a->needs();
	if (missing == NULL && a->layer_count == 0 && !a->is_residual)
		missing = "its control is waived on this host";
	if (missing != NULL) {
		(void)snprintf(j.why, sizeof(j.why), "%s", missing);
		return (finish(&j, "skipped"));
	}
	/* What is done to agsbx has no form without it. */
	if ((!a->is_drill || a->has_naked) && !run_variants(&j, true, 0))
		return (finish(&j, "skipped"));
	for (unsigned int set = 0; set < 1U << a->layer_count; set++)
		(void)run_variants(&j, false, set);
	if (a->is_residual && j.why[0] == '\0') {
		(void)snprintf(j.why, sizeof(j.why),
		    "a known residual: it gets out, as THREAT_MODEL.md says");
		return (finish(&j, "skipped"));
	}
	return (finish(&j, j.why[0] == '\0' ? "passed" : "failed"));
}
