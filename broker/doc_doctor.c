/*
 * doc_doctor.c - agsbx.doctor/1: each control as it was read back, what of the
 * host keeps it from being held, and what came of the attempts of --attack.
 * Called once by doctor.c, at its end.
 */
#include "attack.h"
#include "doc_int.h"
#include "residual.h"
#include "standin.h"
#include "words.h"

/* A control as doctor shows it: also why not, and what it is good for. */
static void
put_doctor_control(struct doc *doc, json_t *object, const struct job *j,
    enum control ctl)
{
	const struct job_gap *gap = job_gap_of(j, ctl);

	doc_put_control(doc, object, j, ctl);
	doc_bool(doc, object, "floor", !control_is_waivable(ctl));
	doc_text(doc, object, "denies", control_words[ctl].denies);
	doc_number(doc, object, "errno",
	    gap != NULL && gap->err != 0 ? gap->err : JOB_UNKNOWN);
	doc_text(doc, object, "cause", gap != NULL ? gap->cause : NULL);
	doc_text(doc, object, "fix", gap != NULL ? gap->fix : NULL);
}

static void
put_leaf(struct doc *doc, const struct leaf_place *place)
{
	json_t *cgroup = doc_object(doc, doc->top, "cgroup"), *steps, *item;

	doc_word(doc, cgroup, "parent", place->parent);
	steps = doc_array(doc, cgroup, "steps");
	for (enum leaf_step s = 0; s < LEAF_STEP__MAX; s++) {
		item = doc_item(doc, steps);
		doc_text(doc, item, "step", leaf_step_names[s]);
		doc_word(doc, item, "result", place->steps[s]);
	}
}

/* What bounds memory where it is waived, in a job of this policy. */
static void
put_standin(struct doc *doc, const struct host *h, const struct policy *p)
{
	json_t *o = doc_object(doc, doc->top, "memory_stand_in");
	struct standin s;

	standin_find(&s, h, p);
	doc_number(doc, o, "data_bytes", (int64_t)s.data_bytes);
	doc_number(doc, o, "processes", (int64_t)s.processes);
	doc_number(doc, o, "scratch_bytes", (int64_t)s.scratch_bytes);
	doc_number(doc, o, "descriptors", (int64_t)s.descriptors);
	doc_number(doc, o, "socket_bytes", (int64_t)s.socket_bytes);
	doc_number(doc, o, "worst_case_bytes",
	    (int64_t)(s.worst_bytes & INT64_MAX));
}

/* What no control closes, here. */
static void
put_residuals(struct doc *doc, const struct job *j)
{
	json_t *array = doc_array(doc, doc->top, "residuals"), *item;
	const struct residual *r;

	for (size_t i = 0; (r = residual_open(j, i)) != NULL; i++) {
		item = doc_item(doc, array);
		doc_text(doc, item, "names", r->names);
		doc_text(doc, item, "possible", r->possible);
		doc_text(doc, item, "why", r->why);
	}
}

/* null unless --attack was given. */
static void
put_attack(struct doc *doc, const struct attack_report *r)
{
	json_t *attack, *array, *item;
	char name[ATTACK_NAME_SIZE];

	if (r == NULL) {
		doc_null(doc, doc->top, "attack");
		return;
	}
	attack = doc_object(doc, doc->top, "attack");
	doc_word(doc, attack, "tenant", r->tenant);
	for (enum attack_verdict v = 0; v < ATTACK_VERDICT__MAX; v++)
		doc_number(doc, attack, attack_verdicts[v], attack_count(r, v));
	array = doc_array(doc, attack, "attempts");
	for (enum attack a = 0; a < ATTACK__MAX; a++) {
		item = doc_item(doc, array);
		doc_text(doc, item, "name", attack_name(a, name));
		doc_text(doc, item, "control",
		    controls[attack_infos[a].control].name);
		doc_text(doc, item, "tries", attack_infos[a].tries);
		doc_text(doc, item, "verdict",
		    attack_verdicts[r->results[a].verdict]);
		doc_word(doc, item, "why", r->results[a].why);
		doc_word(doc, item, "job", r->jobs[attack_job(a)]);
	}
}

char *
doc_doctor(const struct host *h, const struct job *j, const struct policy *p,
    const struct attack_report *attacks)
{
	struct doc doc;
	json_t *array, *policy;

	doc_begin(&doc, "agsbx.doctor/1", false);
	doc_put_host(&doc, doc.top, j);
	doc_bool(&doc, doc.top, "complete", job_is_complete(j));
	array = doc_array(&doc, doc.top, "controls");
	for (enum control ctl = 0; j->has_rows && ctl < CTL__MAX; ctl++)
		put_doctor_control(&doc, doc_item(&doc, array), j, ctl);
	doc_put_gaps(&doc, doc.top, j, "gaps", false);
	doc_put_gaps(&doc, doc.top, j, "waived", true);
	put_leaf(&doc, &h->leaf);
	put_standin(&doc, h, p);
	policy = doc_object(&doc, doc.top, "policy");
	doc_text(&doc, policy, "name", p->name);
	doc_word(&doc, policy, "sha256", p->sha256);
	put_residuals(&doc, j);
	put_attack(&doc, attacks);
	return (doc_print(&doc));
}
