/*
 * doc_misc.c - agsbx.error/1, jobs/1, recover/1 and audit/1.  Called once by
 * each subcommand, at its end.
 */
#include "doc_int.h"

char *
doc_error(const struct diag *d)
{
	struct doc doc;
	json_t *error;

	doc_begin(&doc, "agsbx.error/1", true);
	error = doc_object(&doc, doc.top, "error");
	doc_text(&doc, error, "code", diag_code_name(d->code));
	doc_text(&doc, error, "message", d->message);
	doc_word(&doc, error, "file", d->file);
	doc_number(&doc, error, "line",
	    d->line != 0 ? (int64_t)d->line : JOB_UNKNOWN);
	return (doc_print(&doc));
}

char *
doc_jobs(const struct job *const *jobs, size_t count, bool has_more)
{
	struct doc doc;
	json_t *array;

	doc_begin(&doc, "agsbx.jobs/1", false);
	array = doc_array(&doc, doc.top, "jobs");
	for (size_t i = 0; i < count; i++) {
		json_t *item = doc_item(&doc, array);

		doc_text(&doc, item, "schema", "agsbx.job/1");
		doc_text(&doc, item, "agsbx_version", AGSBX_VERSION);
		doc_put_job(&doc, item, jobs[i]);
	}
	doc_bool(&doc, doc.top, "more", has_more);
	return (doc_print(&doc));
}

static const char *const outcomes[] = {
    [RECOVER_REAPED] = "reaped",
    [RECOVER_LIVE] = "live",
    [RECOVER_FAILED] = "failed",
};
#define OUTCOMES (sizeof(outcomes) / sizeof(outcomes[0]))

char *
doc_recover(const struct recovered *r, size_t count)
{
	int64_t counts[OUTCOMES] = {0};
	struct doc doc;
	json_t *array;

	doc_begin(&doc, "agsbx.recover/1", false);
	array = doc_array(&doc, doc.top, "jobs");
	for (size_t i = 0; i < count; i++) {
		json_t *item = doc_item(&doc, array);

		doc_text(&doc, item, "job", r[i].id);
		doc_text(&doc, item, "outcome", outcomes[r[i].outcome]);
		doc_text(&doc, item, "detail", r[i].text);
		counts[r[i].outcome]++;
	}
	for (size_t i = 0; i < OUTCOMES; i++)
		doc_number(&doc, doc.top, outcomes[i], counts[i]);
	return (doc_print(&doc));
}

static void
put_anchor(struct doc *doc, const char *key, const struct ledger_anchor *anchor)
{
	json_t *object;

	if (anchor == NULL || anchor->seq == 0) {
		doc_null(doc, doc->top, key);
		return;
	}
	object = doc_object(doc, doc->top, key);
	doc_number(doc, object, "seq", anchor->seq);
	doc_text(doc, object, "hash", anchor->hash);
}

char *
doc_audit(const char *path, const struct ledger_audit *a,
    const struct ledger_anchor *anchor)
{
	struct doc doc;
	json_t *broken;

	doc_begin(&doc, "agsbx.audit/1", false);
	doc_text(&doc, doc.top, "ledger", path);
	doc_bool(&doc, doc.top, "intact", !a->is_broken);
	doc_number(&doc, doc.top, "events", a->events);
	doc_number(&doc, doc.top, "jobs", a->jobs);
	put_anchor(&doc, "head", &a->head);
	put_anchor(&doc, "anchor", anchor);
	doc_bool(&doc, doc.top, "anchored", a->anchored != 0);
	doc_number(&doc, doc.top, "not_anchored", a->events - a->anchored);
	if (!a->is_broken) {
		doc_null(&doc, doc.top, "broken");
		return (doc_print(&doc));
	}
	broken = doc_object(&doc, doc.top, "broken");
	doc_number(&doc, broken, "seq", a->broken_seq);
	doc_word(&doc, broken, "job", a->broken_job);
	doc_text(&doc, broken, "what", a->what);
	return (doc_print(&doc));
}
