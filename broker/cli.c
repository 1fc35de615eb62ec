/*
 * The edge of the program: argv in; errors, documents and help out.  The one
 * place that prints a struct diag, so that nothing hostile in it reaches a
 * terminal.  Must not know what any subcommand does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "doc.h"
#include "io.h"
#include "streams.h"

/* 0 is never written to; 1 and 2 carry the job's streams. */
#define JSON_FD_MIN 3
#define JSON_FD_MAX 1048576

static int
parse_json_fd(const char *text, int *fd, struct diag *d)
{
	const char *why = NULL;
	int n = (int)strtonum(text, JSON_FD_MIN, JSON_FD_MAX, &why);
	int flags;

	if (why != NULL)
		return (diag_set(d, DIAG_USAGE,
		    "--json-fd %s is not a descriptor from 3 up", text));
	flags = fcntl(n, F_GETFL);
	if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY)
		return (diag_set(d, DIAG_USAGE,
		    "--json-fd %d is not open for writing", n));
	if (fcntl(n, F_SETFD, FD_CLOEXEC) == -1)
		return (diag_set(d, DIAG_USAGE, "--json-fd %d: %s", n,
		    strerror(errno)));
	*fd = n;
	return (0);
}

static int
find_json(struct cli *cli, const struct option_set *set, int argc, char **argv,
    struct diag *d)
{
	const char *value;
	bool is_json = options_scan(set, argc, argv, "--json", &value);

	if (is_json)
		cli->json_fd = STDOUT_FILENO;
	if (!options_scan(set, argc, argv, "--json-fd", &value) ||
	    value == NULL)
		return (0);
	if (is_json)
		return (diag_set(d, DIAG_USAGE,
		    "--json and --json-fd exclude each other"));
	return (parse_json_fd(value, &cli->json_fd, d));
}

/* --help and --version: all of the program. */
static int
print_and_end(const struct option_set *set, enum options_outcome outcome)
{
	char *help;
	int rc;

	if (outcome == OPTIONS_VERSION)
		return (cli_put_text("agsbx " AGSBX_VERSION "\n") == 0 ?
			EXIT_OK :
			EXIT_ERROR);
	if ((help = options_help(set)) == NULL)
		return (EXIT_ERROR);
	rc = cli_put_text(help) == 0 ? EXIT_OK : EXIT_ERROR;
	free(help);
	return (rc);
}

bool
cli_parse(struct cli *cli, const struct option_set *set, int argc, char **argv,
    void *out, struct settings *settings, int *first, bool *is_after_dashes,
    int *rc)
{
	enum options_outcome outcome;
	struct diag d = {0};

	if (find_json(cli, set, argc, argv, &d) == -1) {
		*rc = cli_fail(cli, &d);
		return (false);
	}
	outcome = options_parse(set, argc, argv, out, settings, first,
	    is_after_dashes, &d);
	if (outcome == OPTIONS_OK)
		return (true);
	*rc = outcome == OPTIONS_ERROR ? cli_fail(cli, &d) :
					 print_and_end(set, outcome);
	return (false);
}

/* Messages quote argv, file names and policy words. */
static void
make_printable(char *text, size_t size)
{
	char *line = visible_line(text);

	/* A text that grew too long is cut: it is for a person to read. */
	(void)strlcpy(text, line != NULL ? line : "out of memory", size);
	free(line);
}

int
cli_fail(const struct cli *cli, const struct diag *d)
{
	struct diag shown = *d;
	const char *command = cli->command != NULL ? cli->command : "";

	make_printable(shown.message, sizeof(shown.message));
	make_printable(shown.file, sizeof(shown.file));
	/* Nothing can be said of a stderr that is gone. */
	(void)fprintf(stderr, "agsbx: %s\n", shown.message);
	if (shown.code == DIAG_USAGE)
		(void)fprintf(stderr, "Try 'agsbx%s%s --help'.\n",
		    command[0] != '\0' ? " " : "", command);
	if (cli->json_fd != -1)
		/* The exit code already tells of a failure. */
		(void)cli_put_document(cli, doc_error(&shown));
	return (shown.code == DIAG_REFUSED ? EXIT_REFUSED : EXIT_ERROR);
}

/* A reader that went away needs no words. */
static int
put_failed(void)
{
	if (errno != EPIPE)
		(void)fprintf(stderr, "agsbx: cannot write the output: %s\n",
		    strerror(errno));
	return (-1);
}

int
cli_put_document(const struct cli *cli, char *text)
{
	int rc, err;

	if (text == NULL) {
		errno = ENOMEM;
		return (put_failed());
	}
	rc = io_write_all(cli->json_fd, text, strlen(text));
	err = errno;
	free(text);
	errno = err;
	return (rc == 0 ? 0 : put_failed());
}

int
cli_put_text(const char *text)
{
	if (io_write_all(STDOUT_FILENO, text, strlen(text)) == -1)
		return (put_failed());
	return (0);
}

int
cli_flush(void)
{
	return (fflush(stdout) == 0 ? 0 : put_failed());
}
