/*
 * agsbx doctor: a launch without a job.  The full plan goes to the launcher as
 * run would send it, and what comes back is told; there is no other probing.
 * Needs no ledger and writes no row, but for the jobs of --attack.
 */
#include <stddef.h>
#include <stdio.h>

#include "attack.h"
#include "doc.h"
#include "session.h"
#include "signals.h"
#include "text.h"

struct doctor_options {
	bool is_json;
	bool is_verbose;
	bool is_attack;
	const char *tenant;
	const char *state_dir;
};

static const struct option_row doctor_rows[] = {
    OPTION_ROW_FLAG(struct doctor_options, is_json, "--json",
	"one JSON document"),
    OPTION_ROW_FLAG(struct doctor_options, is_verbose, "--verbose",
	"what was wanted and what was read back"),
    OPTION_ROW_FLAG(struct doctor_options, is_attack, "--attack",
	"try to get out of jobs of this policy"),
    OPTION_ROW_TEXT(struct doctor_options, tenant, "--tenant", "NAME",
	"with --attack: for whom its jobs run"),
    OPTION_ROW_TEXT(struct doctor_options, state_dir, "--state-dir", "DIR",
	"with --attack: where the ledger is"),
    OPTION_ROWS_COMMON,
};

static const struct option_set doctor_set = {
    .command = "doctor",
    .usage = "doctor [OPTION...]",
    .about = "Launches the policy without a job and tells which controls this "
	     "host holds; with\n--attack, tries to get out of jobs as well.  "
	     "Exit: 0 all is held, 3 with gaps, or\nsomething escaped.",
    .rows = doctor_rows,
    .row_count = sizeof(doctor_rows) / sizeof(doctor_rows[0]),
    .has_policy = true,
};

static int
print_report(const struct session *s, const struct doctor_options *o,
    const struct attack_report *attacks)
{
	text_doctor(stdout, &s->host, &s->job, s->policy, o->is_verbose);
	if (o->is_attack)
		text_attack(stdout, attacks);
	return (cli_flush());
}

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
	if (leaf_end(&s->leaf, &s->late) == -1 && end != LAUNCH_FAILED) {
		*d = s->late;
		end = LAUNCH_FAILED;
	}
	return (end);
}

/* The policy as a job of it would have it, and no launcher yet. */
static int
prepare(struct session *s, const struct doctor_options *o, struct diag *d)
{
	if (!o->is_attack && (o->tenant != NULL || o->state_dir != NULL))
		return (diag_set(d, DIAG_USAGE, "%s goes with --attack alone",
		    o->tenant != NULL ? "--tenant" : "--state-dir"));
	if (o->tenant != NULL && tenant_check(o->tenant, d) == -1)
		return (-1);
	s->opts.tenant = o->tenant;
	s->opts.state_dir = o->state_dir;
	if (session_load_policy(s, d) == -1)
		return (-1);
	session_enter(s);
	return (0);
}

/* As run would exit: what is waived refuses nothing. */
static int
judge(const struct session *s, const struct doctor_options *o,
    const struct attack_report *attacks)
{
	if (!o->is_attack)
		return (s->job.gap_count > 0 ? EXIT_REFUSED : EXIT_OK);
	if (attacks->is_refused || attack_count(attacks, ATTACK_ESCAPED) > 0)
		return (EXIT_REFUSED);
	return (attack_count(attacks, ATTACK_UNANSWERED) > 0 ? EXIT_ERROR :
							       EXIT_OK);
}

static int
tell(struct session *s, const struct doctor_options *o,
    const struct attack_report *attacks)
{
	int rc;

	if (o->is_attack)
		text_attack_alarm(stderr, attacks);
	if (s->cli->json_fd != -1)
		rc = cli_put_document(s->cli,
		    doc_doctor(&s->host, &s->job, s->policy,
			o->is_attack ? attacks : NULL));
	else
		rc = print_report(s, o, attacks);
	return (rc == -1 ? EXIT_ERROR : judge(s, o, attacks));
}

/* An attempt that got out is told whatever comes. */
static int
interrupted(struct session *s, const struct attack_report *attacks, int sig)
{
	text_attack_alarm(stderr, attacks);
	(void)diag_set(&s->d, DIAG_INTERNAL,
	    "interrupted before all was tried; agsbx jobs lists what ran");
	(void)cli_fail(s->cli, &s->d);
	return (signals_reraise(sig));
}

static int
run_doctor(struct session *s, const struct doctor_options *o)
{
	static const char *const no_args[] = {NULL};
	static struct attack_report attacks;
	struct diag *d = &s->d;
	enum launch_end end;
	int rc = 0;

	if (prepare(s, o, d) == -1 ||
	    (o->is_attack && (rc = attack_all(s, &attacks, d)) == -1))
		return (cli_fail(s->cli, d));
	if (rc > 0)
		return (interrupted(s, &attacks, rc));
	if (command_resolve(&s->command, FORM_COMMAND, "true", no_args, NULL,
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
	return (tell(s, o, &attacks));
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
