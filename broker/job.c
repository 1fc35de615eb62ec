/*
 * job.c - the value struct job and the names of its enums.  Knows no SQL, no
 * JSON and no process.  Used by everything in the broker.
 */
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "streams.h"

static const struct {
	const char *name;
	bool is_open;
} states[JOB__MAX] = {
#define STATE(id, name, is_open) [JOB_##id] = {name, is_open},
#include "states.def"
#undef STATE
};

static const char *const reasons[REASON__MAX] = {
#define REASON(id, name) [REASON_##id] = name,
#include "reasons.def"
#undef REASON
};

static const bool transitions[JOB__MAX][JOB__MAX] = {
#define TRANSITION(from, to) [JOB_##from][JOB_##to] = true,
#include "transitions.def"
#undef TRANSITION
};

void
job_init(struct job *j)
{
	*j = (struct job){
	    .tenant = "default",
	    .exit_code = JOB_UNKNOWN,
	    .signal = JOB_UNKNOWN,
	    .out = {.bytes_seen = JOB_UNKNOWN, .bytes_kept = JOB_UNKNOWN},
	    .err = {.bytes_seen = JOB_UNKNOWN, .bytes_kept = JOB_UNKNOWN},
	    .wall_ms = JOB_UNKNOWN,
	    .cpu_ms = JOB_UNKNOWN,
	    .memory_peak_bytes = JOB_UNKNOWN,
	    .processes_peak = JOB_UNKNOWN,
	    .uid = JOB_UNKNOWN,
	    .created_ms = JOB_UNKNOWN,
	    .started_ms = JOB_UNKNOWN,
	    .ended_ms = JOB_UNKNOWN,
	    .launcher_pid = JOB_UNKNOWN,
	    .init_pid = JOB_UNKNOWN,
	    .lock_byte = JOB_UNKNOWN,
	    .pidns = JOB_UNKNOWN,
	    .refusals = JOB_UNKNOWN,
	    .memory_limit_bytes = JOB_UNKNOWN,
	    .cpu_limit_ms = JOB_UNKNOWN,
	};
}

void
job_free(struct job *j)
{
	for (unsigned int i = 0; i < j->gap_count; i++) {
		free(j->gaps[i].cause);
		free(j->gaps[i].fix);
	}
	for (char **arg = j->argv; arg != NULL && *arg != NULL; arg++)
		free(*arg);
	free(j->argv);
	free(j->note);
	free(j->detail);
	free(j->out.text);
	free(j->err.text);
	free(j->file);
	free(j->policy_name);
	free(j->kernel);
	free(j->leaf);
	job_init(j);
}

const char *
job_state_name(enum job_state s)
{
	return (s < JOB__MAX ? states[s].name : "unknown");
}

bool
job_state_is_open(enum job_state s)
{
	return (s < JOB__MAX && states[s].is_open);
}

enum job_state
job_state_by_name(const char *name)
{
	enum job_state s = 0;

	while (s < JOB__MAX && strcmp(states[s].name, name) != 0)
		s++;
	return (s);
}

bool
job_may_follow(enum job_state from, enum job_state to)
{
	return (from < JOB__MAX && to < JOB__MAX && transitions[from][to]);
}

const char *
reason_name(enum reason r)
{
	return (r < REASON__MAX ? reasons[r] : "unknown");
}

enum reason
reason_by_name(const char *name)
{
	enum reason r = 0;

	while (r < REASON__MAX && strcmp(reasons[r], name) != 0)
		r++;
	return (r);
}

/* A row that is off was not asked for: no waiver, as the caller has seen. */
static bool
row_is_complete(const struct job *j, enum control ctl)
{
	if (j->rows[ctl].state == READBACK_HELD)
		return (true);
	return (j->rows[ctl].state == READBACK_OFF &&
	    (ctl == CTL_CPUSHARE || (ctl == CTL_NETNS && j->network_host)));
}

bool
job_is_complete(const struct job *j)
{
	if (!j->has_rows || j->gap_count != 0 || j->is_degraded)
		return (false);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if (!row_is_complete(j, ctl))
			return (false);
	return (true);
}

const struct job_gap *
job_gap_of(const struct job *j, enum control ctl)
{
	for (unsigned int i = 0; i < j->gap_count; i++)
		if (j->gaps[i].control == ctl)
			return (&j->gaps[i]);
	return (NULL);
}

int
tenant_check(const char *name, struct diag *d)
{
	if (tenant_name_is_valid(name))
		return (0);
	return (diag_set(d, DIAG_USAGE,
	    "--tenant: a name is 1 to %d letters, digits, '.', '_' or '-', "
	    "and begins with a letter or digit",
	    TENANT_BYTES_MAX));
}

int
note_check(const char *note, struct diag *d)
{
	char *visible;
	bool is_plain;

	if (strlen(note) > NOTE_BYTES_MAX)
		return (diag_set(d, DIAG_USAGE, "--note: longer than %d bytes",
		    NOTE_BYTES_MAX));
	if ((visible = visible_line(note)) == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	is_plain = strcmp(visible, note) == 0;
	free(visible);
	if (is_plain)
		return (0);
	return (
	    diag_set(d, DIAG_USAGE, "--note: not printable UTF-8 on one line"));
}
