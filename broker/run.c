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

#include "doc.h"
#include "session.h"
#include "signals.h"

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

/* What no job may conceal follows.  It waits for a stopped terminal, and so
 * may the reset that this one did not take before. */
static void
begin_words(const struct session *s)
{
	if ((pump_is_coloured(s->out) || pump_is_coloured(s->err)) &&
	    isatty(STDERR_FILENO) == 1)
		(void)fputs("\033[0m", stderr);
}

/* An error's last words, and the exit code. */
static int
fail(struct session *s)
{
	int rc;

	session_release_signals(s);
	begin_words(s);
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
		report_refusal(j, s->policy);
	} else if (j->state == JOB_ERROR || j->reason == REASON_EXEC) {
		begin_words(s);
		detail = visible_line(j->detail);
		(void)fprintf(stderr, "agsbx: %s\n",
		    detail != NULL ? detail : "out of memory");
		free(detail);
	}
	if (j->state != JOB_REFUSED && s->cli->json_fd != STDOUT_FILENO &&
	    !s->opts.is_quiet) {
		begin_words(s);
		report_closing(j, s->policy);
	}
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
	if (session_run(s) == -1)
		return (fail(s));
	return (conclude(s));
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
