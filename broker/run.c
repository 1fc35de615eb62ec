/*
 * agsbx run: the sequence from argv to the exit code.  Each step is another
 * file's; here is their order, and what happens to the row when one fails.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anchor.h"
#include "doc.h"
#include "session.h"
#include "signals.h"

/* The launcher ends right after EXITED. */
#define EXITED_WAIT_MS 1000
/* For another process to give the ledger free. */
#define SETTLE_WAIT_MS 30000
#define SETTLE_HURRY_MS 1500

#define RUN_OPTION(field) offsetof(struct run_options, field)

static const struct option_row run_rows[] = {
    {.name = "-c",
	.letter = 'c',
	.kind = OPTION_TEXT,
	.metavar = "CODE",
	.offset = RUN_OPTION(code),
	.help = "the program itself (Python unless --lang)"},
    {.name = "--lang",
	.kind = OPTION_TEXT,
	.metavar = "LANG",
	.offset = RUN_OPTION(lang),
	.help = "python, node, bash, sh, perl or ruby"},
    {.name = "--no-stdin",
	.letter = 'n',
	.kind = OPTION_FLAG,
	.offset = RUN_OPTION(no_stdin),
	.help = "the job's stdin is empty"},
    {.name = "--json",
	.kind = OPTION_FLAG,
	.offset = RUN_OPTION(is_json),
	.help = "one JSON document on stdout, output included"},
    {.name = "--json-fd",
	.kind = OPTION_TEXT,
	.metavar = "N",
	.offset = RUN_OPTION(json_fd),
	.help = "the document to descriptor N; the streams pass"},
    {.name = "--quiet",
	.letter = 'q',
	.kind = OPTION_FLAG,
	.offset = RUN_OPTION(is_quiet),
	.help = "no closing line"},
    {.name = "--tenant",
	.kind = OPTION_TEXT,
	.metavar = "NAME",
	.offset = RUN_OPTION(tenant),
	.help = "for whom the job runs (default)"},
    {.name = "--wait",
	.kind = OPTION_TEXT,
	.metavar = "TIME",
	.offset = RUN_OPTION(wait),
	.help = "wait so long for a quota of the tenant"},
    {.name = "--note",
	.kind = OPTION_TEXT,
	.metavar = "TEXT",
	.offset = RUN_OPTION(note),
	.help = "kept on the job's row"},
    {.name = "--state-dir",
	.kind = OPTION_TEXT,
	.metavar = "DIR",
	.offset = RUN_OPTION(state_dir),
	.help = "where the ledger is"},
    OPTION_ROWS_COMMON,
};

static const struct option_set run_set = {
    .command = "run",
    .usage = "run [OPTION...] -c CODE [ARG...] | FILE [ARG...] | "
	     "- [ARG...] | -- COMMAND [ARG...]",
    .about = "Runs a program inside the sandbox.  Exit: 0 it ended with "
	     "0, 2 it failed or was\nkilled, 3 a control cannot be held, 1 "
	     "nothing ran.",
    .rows = run_rows,
    .row_count = sizeof(run_rows) / sizeof(run_rows[0]),
    .has_policy = true,
    .has_operands = true,
};

static const enum exit_code state_exits[JOB__MAX] = {
    [JOB_ADMITTED] = EXIT_ERROR,
    [JOB_HELD] = EXIT_ERROR,
    [JOB_RUNNING] = EXIT_ERROR,
    [JOB_SUCCEEDED] = EXIT_OK,
    [JOB_FAILED] = EXIT_JOB,
    [JOB_KILLED] = EXIT_JOB,
    [JOB_REFUSED] = EXIT_REFUSED,
    [JOB_ERROR] = EXIT_ERROR,
    [JOB_REAPED] = EXIT_ERROR,
};

static int
judge_record_options(struct session *s, struct diag *d)
{
	const struct run_options *o = &s->opts;
	uint64_t wait_ms = 0;

	if (o->tenant != NULL && tenant_check(o->tenant, d) == -1)
		return (-1);
	if (o->wait != NULL &&
	    value_parse(KIND_TIME, true, o->wait, &wait_ms, "--wait", d) == -1)
		return (-1);
	s->wait_ms = (int64_t)wait_ms;
	return (o->note != NULL ? note_check(o->note, d) : 0);
}

/* Which of the four forms of "agsbx run" this is. */
static int
resolve_command(struct session *s, char **operands, bool is_after_dashes,
    struct diag *d)
{
	const char *const *rest = (const char *const *)operands;
	enum command_form form = FORM_FILE;
	const char *operand = s->opts.code;

	if (s->opts.code != NULL) {
		form = FORM_CODE;
	} else if (rest[0] == NULL) {
		return (diag_set(d, DIAG_USAGE,
		    "nothing to run: give -c CODE, FILE, - or -- COMMAND"));
	} else {
		operand = *rest++;
		if (is_after_dashes)
			form = FORM_COMMAND;
		else if (strcmp(operand, "-") == 0)
			form = FORM_STDIN;
	}
	return (command_resolve(&s->command, form,
	    form == FORM_STDIN ? NULL : operand, rest, s->opts.lang, -1, d));
}

/* Streams into the job's record, unread stdin back to its owner. */
static int
finish_streams(struct session *s, struct diag *d)
{
	if (s->out == NULL || s->err == NULL)
		return (0);
	if (pump_finish(s->out, &s->job.out) == -1 ||
	    pump_finish(s->err, &s->job.err) == -1)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	if (feed_finish(s->feed) == -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot give unread stdin back: %s", strerror(errno)));
	return (0);
}

static void
be_error(struct session *s, const struct diag *d)
{
	if (s->failure.code == DIAG_NONE)
		s->failure = *d;
	s->ending.cause = KILL_OURS;
}

/* An anchor that was asked for and is not there is no success. */
static int
write_anchor(struct session *s)
{
	const char *state = job_state_name(s->job.state);

	if (s->anchor_fd == -1 ||
	    anchor_write(s->anchor_fd, s->state_dir, s->job.id,
		ledger_head(s->ledger)) == 0)
		return (0);
	return (diag_set(&s->d, DIAG_INTERNAL,
	    "job %s %s, but its anchor cannot be written to the system log: %s",
	    s->job.id, state, strerror(errno)));
}

/* Kills what is left, decides the verdict and writes it down.  0, or -1 with
 * s->d. */
static int
settle(struct session *s, bool is_refused)
{
	int wait_ms = s->ending.has_exited ? EXITED_WAIT_MS : 0;

	if (peer_end(&s->peer, wait_ms, &s->late) == -1 ||
	    finish_streams(s, &s->late) == -1)
		be_error(s, &s->late);
	leaf_read(&s->leaf, &s->ending.counters);
	if (leaf_end(&s->leaf, &s->late) == -1)
		be_error(s, &s->late);
	s->ending.policy = s->policy;
	s->ending.command = s->command.argv[0];
	s->ending.hint = s->command.hint;
	if (is_refused && s->ending.cause == KILL_NONE) {
		s->job.state = JOB_REFUSED;
		s->job.reason = REASON_REFUSED;
		s->job.is_degraded = false;
		s->job.detail = strdup("a control cannot be held on this host");
	} else if (verdict_find(&s->job, &s->ending) == -1) {
		return (diag_set(&s->d, DIAG_INTERNAL, "out of memory"));
	}
	/* Whoever sent a signal waits for us; the row stays open for recover if
	 * another process keeps the ledger for longer. */
	ledger_set_patience(s->ledger,
	    &(struct ledger_patience){.ms = s->reraise != 0 ? SETTLE_HURRY_MS :
							      SETTLE_WAIT_MS,
		.signal_fd = s->signal_fd,
		.grace_ms = SETTLE_HURRY_MS});
	if (ledger_settle(s->ledger, &s->job, &s->d) == -1)
		return (-1);
	return (write_anchor(s));
}

/* An error's last words, and the exit code. */
static int
fail(struct session *s)
{
	int rc;

	session_release_signals(s);
	rc = cli_fail(s->cli, &s->d);
	return (s->reraise != 0 ? signals_reraise(s->reraise) : rc);
}

/* The last words, and the exit code. */
static int
conclude(struct session *s)
{
	struct job *j = &s->job;
	char *detail = NULL;

	session_release_signals(s);
	if (j->state == JOB_REFUSED) {
		report_refusal(j);
	} else if (j->state == JOB_ERROR || j->reason == REASON_EXEC) {
		detail = visible_line(j->detail);
		(void)fprintf(stderr, "agsbx: %s\n",
		    detail != NULL ? detail : "out of memory");
		free(detail);
	}
	if (j->state != JOB_REFUSED && s->cli->json_fd == -1 &&
	    !s->opts.is_quiet)
		report_closing(j, s->policy);
	if (s->cli->json_fd != -1 &&
	    cli_put_document(s->cli, doc_job(j)) == -1) {
		if (errno == EPIPE && s->reraise == 0)
			s->reraise = SIGPIPE;
		else if (s->reraise == 0)
			return (EXIT_ERROR);
	}
	if (s->reraise != 0)
		return (signals_reraise(s->reraise));
	return ((int)state_exits[j->state]);
}

/* From the row to the settled row. */
static int
run_admitted(struct session *s)
{
	enum launch_end end = LAUNCH_FAILED;

	if (session_open_streams(s, true, &s->d) == 0)
		end = launch(s, &s->d);
	if (end == LAUNCH_HELD && ledger_start(s->ledger, &s->job, &s->d) == -1)
		end = LAUNCH_FAILED;
	if (end == LAUNCH_HELD)
		supervise(s);
	else if (end == LAUNCH_INTERRUPTED)
		s->reraise = s->ending.signal;
	else if (end == LAUNCH_FAILED)
		be_error(s, &s->d);
	if (settle(s, end == LAUNCH_REFUSED) == -1)
		return (fail(s));
	return (conclude(s));
}

static int
run_session(struct session *s, char **operands, bool is_after_dashes)
{
	struct diag *d = &s->d;

	s->has_row = true;
	if (judge_record_options(s, d) == -1 || session_load_policy(s, d) == -1)
		return (fail(s));
	session_enter(s);
	if (resolve_command(s, operands, is_after_dashes, d) == -1 ||
	    session_prepare(s, d) == -1 || session_admit(s, d) == -1)
		return (fail(s));
	return (run_admitted(s));
}

int
run_main(struct cli *cli, int argc, char **argv)
{
	struct session *s = session_new(cli);
	bool is_after_dashes;
	int first, rc;

	if (s == NULL)
		return (EXIT_ERROR);
	if (cli_parse(cli, &run_set, argc, argv, &s->opts, &s->settings, &first,
		&is_after_dashes, &rc))
		rc = run_session(s, argv + first, is_after_dashes);
	session_free(s);
	return (rc);
}
