/*
 * jobs.c - agsbx jobs: the list of jobs, or one of them control by control.
 * Reads the ledger only, through a read-only connection.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doc.h"
#include "ledger.h"
#include "records.h"
#include "text.h"
#include "times.h"
#include "ulid.h"

#define LIMIT_DEFAULT 50
/* As many as one line of an error still holds. */
#define CANDIDATES_MAX 20

struct jobs_options {
	const char *tenant;
	const char *state;
	const char *since;
	const char *until;
	const char *limit;
	const char *state_dir;
	bool is_degraded;
	bool is_network;
	bool is_json;
};
#define TEXT_ROW(flag, word, member, text) \
	OPTION_ROW_TEXT(struct jobs_options, member, flag, word, text)
#define FLAG_ROW(flag, member, text) \
	OPTION_ROW_FLAG(struct jobs_options, member, flag, text)

static const struct option_row rows[] = {
    TEXT_ROW("--tenant", "T", tenant, "only jobs of this tenant"),
    TEXT_ROW("--state", "S", state, "only jobs in this state, or \"open\""),
    FLAG_ROW("--degraded", is_degraded, "only jobs that used a waiver"),
    FLAG_ROW("--network", is_network,
	"only jobs that shared the host's network"),
    TEXT_ROW("--since", "T", since,
	"admitted since then: RFC 3339, or 90s, 30min, 2h, 7d ago"),
    TEXT_ROW("--until", "T", until, "admitted until then"),
    TEXT_ROW("--limit", "N", limit, "at most N jobs (50); 0 is all"),
    TEXT_ROW("--state-dir", "DIR", state_dir, "where the ledger is"),
    FLAG_ROW("--json", is_json, "print one JSON document"),
    OPTION_ROWS_COMMON,
};

static const struct option_set set = {
    .command = "jobs",
    .usage = "jobs [OPTION...] [JOB]",
    .about = "Lists jobs, newest first, or shows one (by id or a unique "
	     "prefix of it).",
    .rows = rows,
    .row_count = sizeof(rows) / sizeof(rows[0]),
    .has_operands = true,
};

/* The question as it goes to the ledger. */
struct query {
	struct ledger_filter filter;
	char prefix[JOB_ID_SIZE]; /* "" all jobs */
	int64_t limit;		  /* 0: all */
};

static int
parse_state(const char *text, struct ledger_filter *f, struct diag *d)
{
	char known[256] = "open";

	if (text == NULL)
		return (0);
	f->is_open = strcmp(text, "open") == 0;
	f->state = job_state_by_name(text);
	if (f->is_open || f->state != JOB__MAX)
		return (0);
	for (enum job_state s = 0; s < JOB__MAX; s++) {
		(void)strlcat(known, ", ", sizeof(known)); /* fits */
		(void)strlcat(known, job_state_name(s), sizeof(known));
	}
	return (diag_set(d, DIAG_USAGE, "--state %s: it is one of %s", text,
	    known));
}

static int
parse_time(const char *flag, const char *text, int64_t *out, struct diag *d)
{
	if (text == NULL || times_parse(text, times_now_ms(), out) == 0)
		return (0);
	return (diag_set(d, DIAG_USAGE,
	    "%s %s: it is a time like 2024-02-29T13:00:00Z or 2024-02-29, or "
	    "an age like 90s, 30min, 2h, 7d",
	    flag, text));
}

static int
parse_limit(const char *text, int64_t *out, struct diag *d)
{
	const char *why = NULL;

	if (text == NULL)
		return (0);
	*out = strtonum(text, 0, INT_MAX, &why);
	if (why == NULL)
		return (0);
	return (diag_set(d, DIAG_USAGE,
	    "--limit %s: it is a number of jobs, 0 for all", text));
}

static int
parse_operand(int count, char **operands, struct query *q, struct diag *d)
{
	if (count == 0)
		return (0);
	if (count > 1)
		return (diag_set(d, DIAG_USAGE,
		    operands[1][0] == '-' ? "options go before JOB: %s" :
					    "more than one JOB: %s",
		    operands[1]));
	if (!ulid_is_prefix(operands[0]))
		return (diag_set(d, DIAG_USAGE,
		    "%s is no job: an id has 26 letters and digits",
		    operands[0]));
	for (size_t i = 0; operands[0][i] != '\0'; i++)
		q->prefix[i] = (char)toupper((unsigned char)operands[0][i]);
	q->filter.id_prefix = q->prefix;
	return (0);
}

static int
make_query(const struct jobs_options *o, int count, char **operands,
    struct query *q, struct diag *d)
{
	struct ledger_filter *f = &q->filter;

	*q = (struct query){.filter = {.tenant = o->tenant,
				.state = JOB__MAX,
				.is_degraded = o->is_degraded,
				.is_network = o->is_network,
				.since_ms = JOB_UNKNOWN,
				.until_ms = JOB_UNKNOWN},
	    .limit = LIMIT_DEFAULT};
	if (o->tenant != NULL && tenant_check(o->tenant, d) == -1)
		return (-1);
	if (parse_state(o->state, f, d) == -1 ||
	    parse_time("--since", o->since, &f->since_ms, d) == -1 ||
	    parse_time("--until", o->until, &f->until_ms, d) == -1 ||
	    parse_limit(o->limit, &q->limit, d) == -1 ||
	    parse_operand(count, operands, q, d) == -1)
		return (-1);
	if (q->prefix[0] != '\0')
		q->limit = CANDIDATES_MAX;
	/* One more than is shown tells whether there are more. */
	f->limit = q->limit != 0 ? q->limit + 1 : 0;
	return (0);
}

/* ---- answers ---- */
struct answer {
	const struct query *query;
	struct job **jobs; /* kept: JSON, or candidates for JOB */
	size_t count;
	bool is_streamed; /* rows are printed as they come */
	bool has_more;
	bool is_failed;
	int err; /* why */
};

static int
keep(struct answer *a, struct job *j)
{
	struct job **jobs, *copy;

	jobs = reallocarray(a->jobs, a->count + 1, sizeof(struct job *));
	if (jobs == NULL)
		return (-1);
	a->jobs = jobs;
	if ((copy = malloc(sizeof(*copy))) == NULL)
		return (-1);
	*copy = *j;
	job_init(j);
	jobs[a->count] = copy;
	return (0);
}

static int
take_row(struct job *j, void *arg)
{
	struct answer *a = arg;

	if (a->query->limit != 0 && a->count >= (size_t)a->query->limit) {
		a->has_more = true;
		return (1);
	}
	if ((a->is_streamed ? text_jobs_row(stdout, j) : keep(a, j)) == -1) {
		a->err = errno;
		a->is_failed = true;
		return (1);
	}
	a->count++;
	return (0);
}

static void
answer_free(struct answer *a)
{
	for (size_t i = 0; a->jobs != NULL && i < a->count; i++) {
		job_free(a->jobs[i]);
		free(a->jobs[i]);
	}
	free(a->jobs);
}

/* As everywhere, a reader that went away needs no words: d stays empty. */
static int
write_error(int err, struct diag *d)
{
	if (err == EPIPE)
		return (-1);
	return (diag_set(d, DIAG_INTERNAL, "cannot write the output: %s",
	    strerror(err)));
}

static int
ask(const char *dir, struct answer *a, struct diag *d)
{
	struct ledger *l = NULL;
	int rc;

	if (ledger_open(dir, LEDGER_READ, &l, d) == -1)
		return (-1);
	if (a->is_streamed && text_jobs_header(stdout) == -1) {
		a->err = errno;
		ledger_close(l);
		return (write_error(a->err, d));
	}
	if (l == NULL) {
		records_tell_absent(dir);
		return (0);
	}
	rc = ledger_each(l, &a->query->filter, take_row, a, d);
	ledger_close(l);
	if (rc == 0 && a->is_failed)
		return (write_error(a->err, d));
	return (rc);
}

/* Exactly one job has the prefix, else -1 with d naming the candidates. */
static int
check_one(const struct answer *a, const char *prefix, struct diag *d)
{
	char ids[(JOB_ID_SIZE + 1) * CANDIDATES_MAX + 8] = "";

	if (a->count == 1)
		return (0);
	if (a->count == 0)
		return (diag_set(d, DIAG_LEDGER,
		    "no job that was asked for begins with %s", prefix));
	for (size_t i = 0; i < a->count; i++) {
		(void)strlcat(ids, i == 0 ? "" : ", ", sizeof(ids));
		(void)strlcat(ids, a->jobs[i]->id, sizeof(ids)); /* fits */
	}
	return (
	    diag_set(d, DIAG_LEDGER, "more than one job begins with %s: %s%s",
		prefix, ids, a->has_more ? ", ..." : ""));
}

static int
print_answer(const struct cli *cli, const struct answer *a, struct diag *d)
{
	int rc = 0;

	if (cli->json_fd != -1) {
		if (cli_put_document(cli,
			doc_jobs((const struct job *const *)a->jobs, a->count,
			    a->has_more)) == -1)
			return (-1); /* told */
	} else if (a->query->prefix[0] != '\0' && a->count == 1) {
		rc = text_job(stdout, a->jobs[0]);
	}
	if (rc == -1 || fflush(stdout) != 0)
		return (write_error(errno, d));
	if (a->has_more)
		(void)fprintf(stderr,
		    "agsbx: older jobs are not shown; --limit 0 shows all\n");
	return (0);
}

static int
answer(const struct cli *cli, const char *dir, const struct query *q,
    struct diag *d)
{
	bool is_one = q->prefix[0] != '\0';
	struct answer a = {.query = q,
	    .is_streamed = cli->json_fd == -1 && !is_one};
	int rc;

	rc = ask(dir, &a, d);
	if (rc == 0 && is_one)
		rc = check_one(&a, q->prefix, d);
	if (rc == 0)
		rc = print_answer(cli, &a, d);
	answer_free(&a);
	return (rc);
}

int
jobs_main(struct cli *cli, int argc, char **argv)
{
	struct jobs_options o = {0};
	struct query q;
	struct diag d = {0};
	bool is_after_dashes;
	int first, rc;
	char *dir;

	if (!cli_parse(cli, &set, argc, argv, &o, NULL, &first,
		&is_after_dashes, &rc))
		return (rc);
	if (make_query(&o, argc - first, argv + first, &q, &d) == -1 ||
	    (dir = records_dir(o.state_dir, &d)) == NULL)
		return (cli_fail(cli, &d));
	rc = answer(cli, dir, &q, &d);
	free(dir);
	if (rc == -1 && d.code == DIAG_NONE)
		return (EXIT_ERROR); /* told, or without words */
	return (rc == 0 ? EXIT_OK : cli_fail(cli, &d));
}
