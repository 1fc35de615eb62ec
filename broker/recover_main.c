/*
 * recover_main.c - agsbx recover: closes what can be closed and says for each
 * open row what it is.  Exit 0 only when no orphan is left.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "records.h"
#include "recover.h"
#include "streams.h"

#define PATIENCE_MS 3000 /* a killed launcher's job is gone long before */

struct recover_options {
	const char *state_dir;
	bool is_json;
};

static const struct option_row rows[] = {
    OPTION_ROW_TEXT(struct recover_options, state_dir, "--state-dir", "DIR",
	"where the ledger is"),
    OPTION_ROW_FLAG(struct recover_options, is_json, "--json",
	"print one JSON document"),
    OPTION_ROWS_COMMON,
};

static const struct option_set set = {
    .command = "recover",
    .usage = "recover [--json] [--state-dir DIR]",
    .about = "Closes the rows of jobs whose broker died.",
    .rows = rows,
    .row_count = sizeof(rows) / sizeof(rows[0]),
};

/* A ledger that does not exist has no orphans, and is not made for that. */
static int
recover_dir(const char *dir, struct recovered **out, size_t *count,
    struct diag *d)
{
	struct ledger *l = NULL;
	int rc;

	if (ledger_open(dir, LEDGER_CHANGE, &l, d) == -1)
		return (-1);
	if (l == NULL) {
		records_tell_absent(dir);
		return (0);
	}
	rc = recover_all(l, dir, PATIENCE_MS, out, count, d);
	ledger_close(l);
	return (rc);
}

static size_t
count_of(const struct recovered *r, size_t count, int outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += (int)r[i].outcome == outcome ? 1 : 0;
	return (n);
}

static int
print_text(const struct recovered *r, size_t count)
{
	static const char *const words[] = {
	    [RECOVER_REAPED] = "reaped",
	    [RECOVER_LIVE] = "live",
	    [RECOVER_FAILED] = "failed",
	};

	for (size_t i = 0; i < count; i++) {
		/* It may quote what another program wrote into the row. */
		char *text = visible_line(r[i].text);

		(void)printf("%s %s: %s\n", r[i].id, words[r[i].outcome],
		    text != NULL ? text :
				   "out of memory"); /* cli_flush tells */
		free(text);
	}
	(void)printf("%zu reaped, %zu live, %zu failed\n",
	    count_of(r, count, RECOVER_REAPED),
	    count_of(r, count, RECOVER_LIVE),
	    count_of(r, count, RECOVER_FAILED));
	return (cli_flush());
}

static int
print(const struct cli *cli, const struct recovered *r, size_t count)
{
	int rc;

	if (cli->json_fd != -1)
		rc = cli_put_document(cli, doc_recover(r, count));
	else
		rc = print_text(r, count);
	if (rc == -1)
		return (EXIT_ERROR); /* cli.c has told why */
	return (count_of(r, count, RECOVER_FAILED) == 0 ? EXIT_OK : EXIT_ERROR);
}

int
recover_main(struct cli *cli, int argc, char **argv)
{
	struct recover_options o = {0};
	struct recovered *r = NULL;
	struct diag d = {0};
	size_t count = 0;
	bool is_after_dashes;
	int first, rc;
	char *dir;

	if (!cli_parse(cli, &set, argc, argv, &o, NULL, &first,
		&is_after_dashes, &rc))
		return (rc);
	if ((dir = records_dir(o.state_dir, &d)) == NULL)
		return (cli_fail(cli, &d));
	if (recover_dir(dir, &r, &count, &d) == -1)
		rc = cli_fail(cli, &d);
	else
		rc = print(cli, r, count);
	free(r);
	free(dir);
	return (rc);
}
