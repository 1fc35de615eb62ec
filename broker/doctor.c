/*
 * agsbx doctor: a launch without a job.  The full plan goes to the launcher as
 * run would send it, and what comes back is told; there is no other probing.
 * Needs no ledger and writes no row.
 */
#include <sys/resource.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "session.h"
#include "signals.h"
#include "text.h"

struct doctor_options {
	bool is_json;
	bool is_verbose;
};

static const struct option_row doctor_rows[] = {
    {.name = "--json",
	.kind = OPTION_FLAG,
	.offset = offsetof(struct doctor_options, is_json),
	.help = "one JSON document"},
    {.name = "--verbose",
	.kind = OPTION_FLAG,
	.offset = offsetof(struct doctor_options, is_verbose),
	.help = "what was wanted and what was read back"},
    OPTION_ROWS_COMMON,
};

static const struct option_set doctor_set = {
    .command = "doctor",
    .usage = "doctor [OPTION...]",
    .about = "Launches the default policy without a job and tells which "
	     "controls this host\nholds.  Exit: 0 all of them, 3 with gaps.",
    .rows = doctor_rows,
    .row_count = sizeof(doctor_rows) / sizeof(doctor_rows[0]),
    .has_policy = true,
};

#define LABEL "%-18s: "

/* ---- the report ---- */

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
print_platform(const struct host *h)
{
	(void)printf(LABEL "%s %s %s\n", "platform", h->sysname, h->release,
	    h->machine);
}

/* seccomp, Landlock, no_new_privs and capabilities in one line. */
static void
print_mediation(const struct job *j)
{
	static const enum control parts[] = {CTL_FLOOR_FILTER, CTL_PLAN_FILTER,
	    CTL_LANDLOCK, CTL_NO_NEW_PRIVS, CTL_CAPABILITIES};
	const struct readback *landlock = &j->rows[CTL_LANDLOCK];
	const char *word = "held";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (j->rows[parts[i]].state != READBACK_HELD)
			word = state_word(&j->rows[parts[i]]);
	(void)printf(LABEL "%-6s (seccomp, ", "kernel mediation", word);
	if (landlock->state == READBACK_HELD)
		(void)printf("Landlock ABI %llu, ",
		    (unsigned long long)landlock->got);
	(void)printf("no_new_privs, capabilities)\n");
}

static void
print_values(enum control ctl, const struct readback *row)
{
	char want[TEXT_VALUE_SIZE], got[TEXT_VALUE_SIZE];
	const char *w = text_want(ctl, row, want);
	const char *g = text_got(ctl, row, got);

	if (row->state != READBACK_OFF && w != NULL)
		(void)printf("   want %s, got %s", w, g != NULL ? g : "-");
}

static void
print_row(const struct job *j, enum control ctl, const char *label,
    bool is_verbose)
{
	const struct readback *row = &j->rows[ctl];
	const struct job_gap *gap = job_gap_of(j, ctl);

	(void)printf(LABEL "%s", label, state_word(row));
	if (gap != NULL)
		(void)printf("    %s", gap->cause);
	else if (row->state == READBACK_BLOCKED)
		(void)printf("  needs %s", controls[controls[ctl].needs].name);
	if (is_verbose)
		print_values(ctl, row);
	(void)printf("\n");
	if (gap != NULL && gap->fix != NULL)
		(void)printf("%20sfix    %s\n", "", gap->fix);
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
print_rlimits(void)
{
	struct rlimit lim;

	(void)printf(LABEL, "settable rlimits");
	for (size_t i = 0; i < sizeof(rlimits) / sizeof(rlimits[0]); i++)
		if (getrlimit((__rlimit_resource_t)rlimits[i].resource, &lim) ==
			0 &&
		    setrlimit((__rlimit_resource_t)rlimits[i].resource, &lim) ==
			0)
			(void)printf("%s%s", i == 0 ? "" : " ",
			    rlimits[i].name);
	(void)printf("\n");
}

static void
print_gaps(const struct job *j, const struct policy *p)
{
	control_set gaps = 0;

	if (j->gap_count == 0) {
		(void)printf("\nNo isolation gap on this host.\n");
		return;
	}
	(void)printf("\nISOLATION GAPS on this host:\n");
	for (unsigned int i = 0; i < j->gap_count; i++) {
		(void)printf("  - %s (%s)\n", controls[j->gaps[i].control].name,
		    j->gaps[i].cause);
		gaps |= CONTROL_BIT(j->gaps[i].control);
	}
	if (!launch_gaps_are_waivable(j))
		(void)printf("No job can run here until they are closed.\n");
	else if ((gaps & ~p->waived) == 0)
		(void)printf("This policy waives them: jobs run, and their "
			     "rows say so.\n");
	else
		(void)printf("Jobs needing these controls are refused unless "
			     "--allow-degraded is given.\n");
}

static int
print_report(const struct session *s, bool is_verbose)
{
	const struct job *j = &s->job;

	print_platform(&s->host);
	print_mediation(j);
	print_row(j, CTL_MEMORY, "memory ceiling", is_verbose);
	for (unsigned int c = 0; c < CTL__MAX; c++)
		if (c != CTL_MEMORY)
			print_row(j, (enum control)c, controls[c].name,
			    is_verbose);
	print_rlimits();
	print_gaps(j, s->policy);
	return (cli_flush());
}

/* ---- the launch ---- */

static enum launch_end
launch_without_job(struct session *s, struct diag *d)
{
	enum launch_end end = LAUNCH_FAILED;

	if (session_open_streams(s, false, d) == 0)
		end = launch(s, d);
	/* A held job is never let go; without the KILL, EOF ends it. */
	if (end == LAUNCH_HELD)
		(void)peer_send_kill(&s->peer, 0);
	if (peer_end(&s->peer, 1000, &s->late) == -1 && end != LAUNCH_FAILED) {
		*d = s->late;
		end = LAUNCH_FAILED;
	}
	return (end);
}

static int
run_doctor(struct session *s, const struct doctor_options *o)
{
	static const char *const no_args[] = {NULL};
	struct diag *d = &s->d;
	enum launch_end end;
	int rc;

	if (session_load_policy(s, d) == -1 ||
	    command_resolve(&s->command, FORM_COMMAND, "true", no_args, NULL,
		-1, d) == -1 ||
	    session_prepare(s, d) == -1)
		return (cli_fail(s->cli, d));
	end = launch_without_job(s, d);
	if (end == LAUNCH_INTERRUPTED)
		s->reraise = s->ending.signal;
	session_release_signals(s);
	if (s->reraise != 0)
		return (signals_reraise(s->reraise));
	if (end == LAUNCH_FAILED)
		return (cli_fail(s->cli, d));
	if (s->cli->json_fd != -1)
		rc = cli_put_document(s->cli, doc_doctor(&s->job, s->policy));
	else
		rc = print_report(s, o->is_verbose);
	if (rc == -1)
		return (EXIT_ERROR);
	return (s->job.gap_count > 0 ? EXIT_REFUSED : EXIT_OK);
}

int
doctor_main(struct cli *cli, int argc, char **argv)
{
	struct session *s = session_new(cli);
	struct doctor_options o = {0};
	bool is_after_dashes;
	int first, rc;

	if (s == NULL)
		return (EXIT_ERROR);
	if (cli_parse(cli, &doctor_set, argc, argv, &o, &s->settings, &first,
		&is_after_dashes, &rc))
		rc = run_doctor(s, &o);
	session_free(s);
	return (rc);
}
