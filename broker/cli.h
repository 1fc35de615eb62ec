/*
 * cli.h - what the subcommands share: how argv is read, how errors and
 * documents leave the program.  Owner: cli.c.  Exit codes are DESIGN's.
 */
#ifndef BROKER_CLI_H
#define BROKER_CLI_H

#include <stdbool.h>

#include "diag.h"
#include "options.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_ERROR = 1,	  /* nothing ran, or a fault of ours */
	EXIT_JOB = 2,	  /* the job failed or was killed */
	EXIT_REFUSED = 3, /* a control cannot be held */
};

struct cli {
	const char *command; /* "run"; NULL before it is known */
	int json_fd;	     /* where documents go; -1: no JSON was asked */
	char **argv;	     /* of the whole program */
};

/*
 * The whole first step of a subcommand: looks for --json and --json-fd, reads
 * argv, answers --help and --version.  True: go on.  False: everything was
 * said, exit with *rc.
 */
bool cli_parse(struct cli *cli, const struct option_set *set, int argc,
    char **argv, void *out, struct settings *settings, int *first,
    bool *is_after_dashes, int *rc);

/* Tells an error: one line on stderr, with --json a document as well.
 * Returns the exit code that belongs to d->code. */
int cli_fail(const struct cli *cli, const struct diag *d);

/* Writes a document (malloced; freed here; NULL is out of memory) to
 * cli->json_fd, or a text to stdout.  0, or -1 with errno, and it was told
 * unless the reader is gone. */
int cli_put_document(const struct cli *cli, char *text);
int cli_put_text(const char *text);
/* The end of what went through stdio. */
int cli_flush(void);

/* For main.c's table.  argv[0] is the subcommand. */
int run_main(struct cli *cli, int argc, char **argv);
int doctor_main(struct cli *cli, int argc, char **argv);
int recover_main(struct cli *cli, int argc, char **argv);
int jobs_main(struct cli *cli, int argc, char **argv);
int audit_main(struct cli *cli, int argc, char **argv);
int policy_main(struct cli *cli, int argc, char **argv);

#endif
