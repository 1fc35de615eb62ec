/*
 * agsbx: the subcommand table and nothing else.  Makes sure that descriptors
 * 0, 1 and 2 exist and that a closed stdout is an error and no signal, then
 * hands argv to the subcommand.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "doc.h"

struct subcommand {
	const char *name;
	int (*main)(struct cli *cli, int argc, char **argv);
	const char *about;
};

static const struct subcommand subcommands[] = {
    {"run", run_main, "run a program inside the sandbox"},
    {"doctor", doctor_main, "show what this host can hold"},
    {"recover", recover_main, "close the rows of jobs that died"},
    {"jobs", jobs_main, "list jobs and what was enforced"},
    {"audit", audit_main, "verify the ledger's chain of events"},
    {"policy", policy_main, "print everything that would be enforced"},
};
#define SUBCOMMAND_COUNT (sizeof(subcommands) / sizeof(subcommands[0]))

static int
print_help(void)
{
	if (printf("usage: agsbx COMMAND [OPTION...] ...\n\n") < 0)
		return (EXIT_ERROR);
	for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
		(void)printf("  %-9s %s\n", subcommands[i].name,
		    subcommands[i].about); /* cli_flush() tells */
	(void)printf("\n'agsbx COMMAND --help' lists the options of one.\n");
	return (cli_flush() == 0 ? EXIT_OK : EXIT_ERROR);
}

static int
print_version(void)
{
	(void)printf("agsbx %s\n", AGSBX_VERSION); /* cli_flush() tells */
	return (cli_flush() == 0 ? EXIT_OK : EXIT_ERROR);
}

/* A subcommand that is none has no table: any --json before "--" counts. */
static int
fail_before_subcommand(int argc, char **argv, struct diag *d)
{
	struct cli cli = {.json_fd = -1};

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			cli.json_fd = STDOUT_FILENO;
	return (cli_fail(&cli, d));
}

static int
fail_usage(int argc, char **argv, const char *text)
{
	struct diag d = {0};

	(void)diag_set(&d, DIAG_USAGE, "%s%s", text, argc > 1 ? argv[1] : "");
	return (fail_before_subcommand(argc, argv, &d));
}

static int
fail_start(int argc, char **argv, const char *what)
{
	struct diag d = {0};

	(void)diag_set(&d, DIAG_INTERNAL, "cannot %s: %s", what,
	    strerror(errno));
	return (fail_before_subcommand(argc, argv, &d));
}

/*
 * A descriptor of ours must never become 0, 1 or 2 by accident.  What was
 * closed becomes one that gives nothing and takes nothing: output that is lost
 * is an error, as for any program with a closed stdout.
 */
static int
open_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY); /* no O_CLOEXEC: stays 0..2 */
	} while (fd >= 0 && fd <= STDERR_FILENO);
	return (fd == -1 ? -1 : close(fd));
}

int
main(int argc, char **argv)
{
	if (open_standard_fds() == -1)
		return (fail_start(argc, argv, "open /dev/null"));
	/* File names in messages are UTF-8; without that locale they are
	 * escaped. */
	(void)setlocale(LC_CTYPE, "C.UTF-8");
	/* A full pipe's end and RLIMIT_FSIZE are errors of a write. */
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR ||
	    signal(SIGXFSZ, SIG_IGN) == SIG_ERR ||
	    signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return (fail_start(argc, argv, "set up signals"));
	if (argc < 2)
		return (fail_usage(argc, argv, "no command given"));
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return (print_help());
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return (print_version());
	for (size_t i = 0; i < SUBCOMMAND_COUNT; i++) {
		struct cli cli = {.command = subcommands[i].name,
		    .json_fd = -1,
		    .argv = argv};

		if (strcmp(argv[1], subcommands[i].name) == 0)
			return (subcommands[i].main(&cli, argc - 1, argv + 1));
	}
	return (fail_usage(argc, argv,
	    argv[1][0] == '-' ? "unknown option " : "unknown command "));
}
