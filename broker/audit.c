/*
 * audit.c - agsbx audit: says whether the ledger was changed by anything but
 * agsbx, and names the first broken link.  Only an anchor that was kept
 * elsewhere shows that the end was cut off or all of it rewritten.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doc.h"
#include "ledger.h"
#include "records.h"
#include "streams.h"

struct audit_options {
	const char *anchor;
	const char *state_dir;
	bool is_json;
};

static const struct option_row rows[] = {
    OPTION_ROW_TEXT(struct audit_options, anchor, "--anchor", "SEQ:HASH",
	"an earlier head: that event must be there as it was"),
    OPTION_ROW_TEXT(struct audit_options, state_dir, "--state-dir", "DIR",
	"where the ledger is"),
    OPTION_ROW_FLAG(struct audit_options, is_json, "--json",
	"print one JSON document"),
    OPTION_ROWS_COMMON,
};

static const struct option_set set = {
    .command = "audit",
    .usage = "audit [--json] [--anchor SEQ:HASH] [--state-dir DIR]",
    .about = "Verifies the ledger's chain of events and every row against it.  "
	     "Exit: 0 intact,\n1 broken.",
    .rows = rows,
    .row_count = sizeof(rows) / sizeof(rows[0]),
};

static int
parse_anchor(const char *text, struct ledger_anchor *out, struct diag *d)
{
	const char *colon = strchr(text, ':'), *why = "";
	char number[24];

	if (colon != NULL && (size_t)(colon - text) < sizeof(number)) {
		memcpy(number, text, (size_t)(colon - text));
		number[colon - text] = '\0';
		out->seq = strtonum(number, 1, INT64_MAX, &why);
	}
	if (why != NULL || strlen(colon + 1) != sizeof(out->hash) - 1 ||
	    colon[1 + strspn(colon + 1, "0123456789abcdefABCDEF")] != '\0')
		return (diag_set(d, DIAG_USAGE,
		    "--anchor %s: it is the number of an event, a colon and "
		    "its hash of 64 digits",
		    text));
	for (size_t i = 0; i < sizeof(out->hash); i++)
		out->hash[i] = (char)tolower((unsigned char)colon[1 + i]);
	return (0);
}

/* What is still open to a removed tail or a rewrite of everything. */
static void
print_anchor(const struct ledger_audit *a)
{
	if (a->anchored == 0)
		(void)printf("tail not anchored: keep the head elsewhere, and "
			     "give it to --anchor\n");
	else if (a->anchored < a->events)
		(void)printf("anchored up to event %lld; the tail of %lld "
			     "after it is not\n",
		    (long long)a->anchored,
		    (long long)(a->events - a->anchored));
	else
		(void)printf("anchored\n");
}

/* Both may come from a file that anybody wrote. */
static int
print_broken(const struct ledger_audit *a)
{
	char *job = visible_line(a->broken_job), *what = visible_line(a->what);
	int rc = -1;

	(void)printf("broken");
	if (a->broken_seq != JOB_UNKNOWN)
		(void)printf(" at event %lld", (long long)a->broken_seq);
	if (job != NULL && what != NULL) {
		(void)printf("%s%s: %s\n", job[0] != '\0' ? ", job " : "", job,
		    what);
		rc = cli_flush();
	}
	free(job);
	free(what);
	return (rc);
}

static int
print_text(const struct ledger_audit *a)
{
	if (a->is_broken)
		return (print_broken(a));
	(void)printf("intact: %lld events of %lld jobs\n", (long long)a->events,
	    (long long)a->jobs);
	if (a->head.seq != 0)
		(void)printf("head %lld:%s\n", (long long)a->head.seq,
		    a->head.hash);
	print_anchor(a);
	return (cli_flush());
}

static int
audit_dir(const char *dir, const struct ledger_anchor *anchor,
    struct ledger_audit *out, struct diag *d)
{
	struct ledger *l = NULL;
	int rc;

	if (ledger_open(dir, LEDGER_AUDIT, &l, d) == -1)
		return (-1);
	if (l == NULL)
		return (diag_at(d, DIAG_LEDGER, dir, 0, "there is no ledger"));
	rc = ledger_audit(l, anchor, out, d);
	ledger_close(l);
	return (rc);
}

static int
run(struct cli *cli, const struct audit_options *o, const char *dir)
{
	struct ledger_anchor given = {0};
	struct ledger_anchor *anchor = o->anchor != NULL ? &given : NULL;
	struct ledger_audit a = {0};
	struct diag d = {0};
	int rc;

	if (anchor != NULL && parse_anchor(o->anchor, anchor, &d) == -1)
		return (cli_fail(cli, &d));
	if (audit_dir(dir, anchor, &a, &d) == -1)
		return (cli_fail(cli, &d));
	if (cli->json_fd != -1)
		rc = cli_put_document(cli, doc_audit(dir, &a, anchor));
	else
		rc = print_text(&a);
	return (rc == 0 && !a.is_broken ? EXIT_OK : EXIT_ERROR);
}

int
audit_main(struct cli *cli, int argc, char **argv)
{
	struct audit_options o = {0};
	struct diag d = {0};
	bool is_after_dashes;
	int first, rc;
	char *dir;

	if (!cli_parse(cli, &set, argc, argv, &o, NULL, &first,
		&is_after_dashes, &rc))
		return (rc);
	if ((dir = records_dir(o.state_dir, &d)) == NULL)
		return (cli_fail(cli, &d));
	rc = run(cli, &o, dir);
	free(dir);
	return (rc);
}
