/*
 * text_doctor.c - the report of doctor: every control, what of the host keeps
 * it from being held, and what that means for jobs.  Knows a launch that was
 * read back, not how it was made.  Called by doctor.c.
 */
#include <sys/resource.h>

#include <stdio.h>
#include <stdlib.h>

#include "residual.h"
#include "session.h"
#include "standin.h"
#include "text.h"

#define LABEL "%-18s: "

static const char *
state_word(const struct readback *row)
{
	switch (row->state) {
	case READBACK_HELD:
		return ("held");
	case READBACK_OFF:
		return ("off");
	case READBACK_BLOCKED:
		return ("blocked");
	case READBACK_FAULT:
		return ("GAP");
	default: /* another row's fault ended the launch before its proof */
		return ("not proven");
	}
}

static void
print_platform(FILE *f, const struct host *h)
{
	(void)fprintf(f, LABEL "%s %s %s\n", "platform", h->sysname, h->release,
	    h->machine);
}

/* seccomp, Landlock, no_new_privs and capabilities in one line. */
static void
print_mediation(FILE *f, const struct job *j)
{
	static const enum control parts[] = {CTL_FLOOR_FILTER, CTL_PLAN_FILTER,
	    CTL_LANDLOCK, CTL_NO_NEW_PRIVS, CTL_CAPABILITIES};
	const struct readback *landlock = &j->rows[CTL_LANDLOCK];
	const char *word = "held";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (j->rows[parts[i]].state != READBACK_HELD)
			word = state_word(&j->rows[parts[i]]);
	(void)fprintf(f, LABEL "%-6s (seccomp, ", "kernel mediation", word);
	if (landlock->state == READBACK_HELD)
		(void)fprintf(f, "Landlock ABI %llu, ",
		    (unsigned long long)landlock->got);
	else if (job_gap_of(j, CTL_LANDLOCK) != NULL)
		(void)fprintf(f, "no Landlock, ");
	(void)fprintf(f, "no_new_privs, capabilities)\n");
}

static void
print_values(FILE *f, enum control ctl, const struct readback *row)
{
	char want[TEXT_VALUE_SIZE], got[TEXT_VALUE_SIZE];
	const char *w = text_want(ctl, row, want);
	const char *g = text_got(ctl, row, got);

	if (row->state != READBACK_OFF && w != NULL)
		(void)fprintf(f, "   want %s, got %s", w, g != NULL ? g : "-");
}

static void
print_row(FILE *f, const struct job *j, enum control ctl, const char *label,
    bool is_verbose)
{
	const struct readback *row = &j->rows[ctl];
	const struct job_gap *gap = job_gap_of(j, ctl);

	(void)fprintf(f, LABEL "%s", label, state_word(row));
	if (gap != NULL)
		(void)fprintf(f, "    %s", gap->cause);
	else if (row->state == READBACK_BLOCKED)
		(void)fprintf(f, "  needs %s",
		    controls[controls[ctl].needs].name);
	if (is_verbose)
		print_values(f, ctl, row);
	(void)fprintf(f, "\n");
	if (gap != NULL && gap->fix != NULL)
		(void)fprintf(f, "%20sfix    %s\n", "", gap->fix);
}

/* How a leaf was looked for, step by step. */
static void
print_leaf(FILE *f, const struct leaf_place *place)
{
	bool is_first = true;

	for (enum leaf_step s = 0; s < LEAF_STEP__MAX; s++) {
		char *line;

		if (place->steps[s][0] == '\0')
			continue;
		line = visible_line(place->steps[s]);
		if (is_first)
			(void)fprintf(f, LABEL, "cgroup leaf");
		else
			(void)fprintf(f, "%20s", "");
		(void)fprintf(f, "%-13s  %s\n", leaf_step_names[s],
		    line != NULL ? line : "out of memory");
		free(line);
		is_first = false;
	}
}

/* What a waiver of memory leaves, in numbers. */
static void
print_standin(FILE *f, const struct host *h, const struct policy *p)
{
	char data[TEXT_VALUE_SIZE], scratch[TEXT_VALUE_SIZE];
	char socket[TEXT_VALUE_SIZE];
	struct standin s;

	standin_find(&s, h, p);
	(void)fprintf(f,
	    "%20swaived RLIMIT_DATA %s of each of %llu processes "
	    "(RLIMIT_NPROC), scratch %s (tmpfs size),\n"
	    "%20s       %llu descriptors of each process with %s of socket "
	    "buffers:\n"
	    "%20s       up to %llu MiB for this policy%s\n",
	    "", text_bytes((int64_t)s.data_bytes, data),
	    (unsigned long long)s.processes,
	    text_bytes((int64_t)s.scratch_bytes, scratch), "",
	    (unsigned long long)s.descriptors,
	    text_bytes((int64_t)s.socket_bytes, socket), "",
	    (unsigned long long)(s.worst_bytes >> 20),
	    s.is_whole_host ? ", all that this host has" :
			      ", and shared memory, which nothing counts");
}

static void
print_memory(FILE *f, const struct host *h, const struct job *j,
    const struct policy *p, bool is_verbose)
{
	bool is_held = j->rows[CTL_MEMORY].state == READBACK_HELD;

	print_row(f, j, CTL_MEMORY, "memory ceiling", is_verbose);
	if (!is_held)
		print_standin(f, h, p);
	if (!is_held || is_verbose)
		print_leaf(f, &h->leaf);
}

static const struct {
	int resource;
	const char *name;
} rlimits[] = {
    {RLIMIT_AS, "as"},
    {RLIMIT_CORE, "core"},
    {RLIMIT_CPU, "cpu"},
    {RLIMIT_DATA, "data"},
    {RLIMIT_FSIZE, "fsize"},
    {RLIMIT_MEMLOCK, "memlock"},
    {RLIMIT_MSGQUEUE, "msgqueue"},
    {RLIMIT_NICE, "nice"},
    {RLIMIT_NOFILE, "nofile"},
    {RLIMIT_NPROC, "nproc"},
    {RLIMIT_RTPRIO, "rtprio"},
    {RLIMIT_RTTIME, "rttime"},
    {RLIMIT_SIGPENDING, "sigpending"},
    {RLIMIT_STACK, "stack"},
};

/* Those that this process could set for itself, shown by setting them to what
 * they are. */
static void
print_rlimits(FILE *f)
{
	struct rlimit lim;

	(void)fprintf(f, LABEL, "settable rlimits");
	for (size_t i = 0; i < sizeof(rlimits) / sizeof(rlimits[0]); i++)
		if (getrlimit((__rlimit_resource_t)rlimits[i].resource, &lim) ==
			0 &&
		    setrlimit((__rlimit_resource_t)rlimits[i].resource, &lim) ==
			0)
			(void)fprintf(f, "%s%s", i == 0 ? "" : " ",
			    rlimits[i].name);
	(void)fprintf(f, "\n");
}

static void
print_gaps(FILE *f, const struct job *j, const struct policy *p)
{
	control_set gaps = 0;

	if (j->gap_count == 0) {
		(void)fprintf(f, "\nNo isolation gap on this host.\n");
		return;
	}
	(void)fprintf(f, "\nISOLATION GAPS on this host:\n");
	for (unsigned int i = 0; i < j->gap_count; i++) {
		(void)fprintf(f, "  - %s (%s)\n",
		    controls[j->gaps[i].control].name, j->gaps[i].cause);
		gaps |= CONTROL_BIT(j->gaps[i].control);
	}
	if (!launch_gaps_are_waivable(j))
		(void)fprintf(f,
		    "No job can run here until they are closed.\n");
	else if ((gaps & ~p->waived) == 0)
		(void)fprintf(f,
		    "This policy waives them: jobs run, and their "
		    "rows say so.\n");
	else
		(void)fprintf(f,
		    "Jobs needing these controls are refused unless "
		    "--allow-degraded is given.\n");
}

/* What no control closes, here. */
static void
print_residuals(FILE *f, const struct job *j)
{
	const struct residual *r;

	(void)fprintf(f,
	    "\nKNOWN RESIDUALS, open on this host for every job "
	    "(THREAT_MODEL.md):\n");
	for (size_t i = 0; (r = residual_open(j, i)) != NULL; i++)
		(void)fprintf(f, "  - %s: %s\n", r->names, r->possible);
}

void
text_doctor(FILE *f, const struct host *h, const struct job *j,
    const struct policy *p, bool is_verbose)
{
	print_platform(f, h);
	print_mediation(f, j);
	print_memory(f, h, j, p, is_verbose);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if (ctl != CTL_MEMORY)
			print_row(f, j, ctl, controls[ctl].name, is_verbose);
	print_rlimits(f);
	print_gaps(f, j, p);
	if (is_verbose)
		print_residuals(f, j);
}
