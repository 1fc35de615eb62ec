/*
 * doc_job.c - agsbx.job/1.  Its keys are a contract: every one is always
 * there, in this order, null when unknown.  Reads a struct job and nothing
 * else; called by run, and for each row by jobs.
 */
#include <string.h>

#include "doc_int.h"
#include "text.h"

static void
put_verdict(struct doc *doc, json_t *object, const struct job *j)
{
	json_t *verdict = doc_object(doc, object, "verdict"), *hit;

	doc_word(doc, verdict, "reason", reason_name(j->reason));
	doc_text(doc, verdict, "detail", j->detail);
	hit = doc_array(doc, verdict, "limits_hit");
	for (enum reason r = 0; r < REASON__MAX; r++)
		if (j->limits_hit[r])
			doc_item_text(doc, hit, reason_name(r));
}

static void
put_signal(struct doc *doc, json_t *object, const struct job *j)
{
	char name[TEXT_SIGNAL_SIZE];

	doc_number(doc, object, "signal", j->signal);
	doc_text(doc, object, "signal_name",
	    j->signal == JOB_UNKNOWN ? NULL : text_signal(j->signal, name));
}

static void
put_stream(struct doc *doc, json_t *object, const char *key,
    const struct job_stream *s)
{
	json_t *stream = doc_object(doc, object, key);

	doc_number(doc, stream, "bytes_seen", s->bytes_seen);
	doc_number(doc, stream, "bytes_kept", s->bytes_kept);
	doc_bool(doc, stream, "truncated", s->is_truncated);
	doc_word(doc, stream, "sha256", s->sha256);
}

static void
put_output(struct doc *doc, json_t *object, const struct job *j)
{
	json_t *streams;

	doc_text(doc, object, "stdout", j->out.text);
	doc_text(doc, object, "stdout_encoding", j->out.encoding);
	doc_text(doc, object, "stderr", j->err.text);
	doc_text(doc, object, "stderr_encoding", j->err.encoding);
	doc_bool(doc, object, "output_truncated",
	    j->out.is_truncated || j->err.is_truncated);
	streams = doc_object(doc, object, "streams");
	put_stream(doc, streams, "stdout", &j->out);
	put_stream(doc, streams, "stderr", &j->err);
}

static void
put_usage(struct doc *doc, json_t *object, const struct job *j)
{
	json_t *usage = doc_object(doc, object, "usage");

	doc_number(doc, usage, "wall_ms", j->wall_ms);
	doc_number(doc, usage, "cpu_ms", j->cpu_ms);
	doc_number(doc, usage, "memory_peak_bytes", j->memory_peak_bytes);
	doc_number(doc, usage, "processes_peak", j->processes_peak);
	doc_text(doc, usage, "source", j->usage_source);
}

static void
put_command(struct doc *doc, json_t *object, const struct job *j)
{
	json_t *command = doc_object(doc, object, "command"), *argv;

	argv = doc_array(doc, command, "argv");
	for (char **a = j->argv; a != NULL && *a != NULL; a++)
		doc_item_text(doc, argv, *a);
	doc_text(doc, command, "file", j->file);
	doc_word(doc, command, "sha256", j->command_sha256);
}

void
doc_put_gaps(struct doc *doc, json_t *object, const struct job *j,
    const char *key, bool is_waived)
{
	json_t *gaps = doc_array(doc, object, key);

	for (unsigned int i = 0; i < j->gap_count; i++) {
		const struct job_gap *g = &j->gaps[i];
		json_t *gap;

		if (g->is_waived != is_waived)
			continue;
		gap = doc_item(doc, gaps);
		doc_text(doc, gap, "control", controls[g->control].name);
		doc_text(doc, gap, "token", g->token);
		doc_number(doc, gap, "errno",
		    g->err != 0 ? g->err : JOB_UNKNOWN);
		doc_text(doc, gap, "cause", g->cause);
		doc_text(doc, gap, "fix", g->fix);
	}
}

void
doc_put_control(struct doc *doc, json_t *object, const struct job *j,
    enum control ctl)
{
	const struct readback *row = &j->rows[ctl];
	char want[TEXT_VALUE_SIZE], got[TEXT_VALUE_SIZE];

	doc_text(doc, object, "name", controls[ctl].name);
	doc_text(doc, object, "state", text_control_state(j, ctl));
	doc_text(doc, object, "want", text_want(ctl, row, want));
	doc_text(doc, object, "got", text_got(ctl, row, got));
}

static void
put_confinement(struct doc *doc, json_t *object, const struct job *j)
{
	json_t *confinement = doc_object(doc, object, "confinement"), *rows;

	doc_bool(doc, confinement, "complete", job_is_complete(j));
	doc_put_gaps(doc, confinement, j, "gaps", false);
	doc_put_gaps(doc, confinement, j, "waived", true);
	rows = doc_array(doc, confinement, "controls");
	for (enum control ctl = 0; j->has_rows && ctl < CTL__MAX; ctl++)
		doc_put_control(doc, doc_item(doc, rows), j, ctl);
}

void
doc_put_host(struct doc *doc, json_t *object, const struct job *j)
{
	json_t *host = doc_object(doc, object, "host");

	doc_text(doc, host, "kernel", j->kernel);
	doc_word(doc, host, "boot_id", j->boot_id);
	doc_number(doc, host, "uid", j->uid);
}

static void
put_policy(struct doc *doc, json_t *object, const struct job *j)
{
	json_t *policy = doc_object(doc, object, "policy");

	doc_text(doc, policy, "name", j->policy_name);
	doc_word(doc, policy, "sha256", j->policy_sha256);
}

void
doc_put_job(struct doc *doc, json_t *object, const struct job *j)
{
	doc_word(doc, object, "job", j->id);
	doc_text(doc, object, "tenant", j->tenant);
	doc_text(doc, object, "note", j->note);
	doc_text(doc, object, "state", job_state_name(j->state));
	doc_bool(doc, object, "degraded", j->is_degraded);
	doc_number(doc, object, "refusals", j->refusals);
	put_verdict(doc, object, j);
	doc_number(doc, object, "exit_code", j->exit_code);
	put_signal(doc, object, j);
	put_output(doc, object, j);
	put_usage(doc, object, j);
	put_command(doc, object, j);
	doc_text(doc, object, "network", j->network_host ? "host" : "none");
	put_confinement(doc, object, j);
	put_policy(doc, object, j);
	doc_put_host(doc, object, j);
	doc_time(doc, object, "created_at", j->created_ms);
	doc_time(doc, object, "started_at", j->started_ms);
	doc_time(doc, object, "ended_at", j->ended_ms);
}

char *
doc_job(const struct job *j)
{
	struct doc doc;

	doc_begin(&doc, "agsbx.job/1", false);
	doc_put_job(&doc, doc.top, j);
	return (doc_print(&doc));
}
