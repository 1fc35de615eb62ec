/*
 * agsbx policy: everything that would be enforced, or the list of system calls
 * alone.  Reads policy files and flags as run does; starts nothing and opens
 * no ledger.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "filters.h"
#include "session.h"

struct policy_options {
	bool is_json;
	bool only_syscalls;
};

static const struct option_row policy_rows[] = {
    OPTION_ROW_FLAG(struct policy_options, is_json, "--json",
	"one JSON document"),
    OPTION_ROW_FLAG(struct policy_options, only_syscalls, "--syscalls",
	"the system calls that are allowed, alone"),
    OPTION_ROWS_COMMON,
};

static const struct option_set policy_options_set = {
    .command = "policy",
    .usage = "policy [OPTION...]",
    .about = "Prints everything that would be enforced.",
    .rows = policy_rows,
    .row_count = sizeof(policy_rows) / sizeof(policy_rows[0]),
    .has_policy = true,
};

static bool
is_allowed(const struct syscall_info *info)
{
	return (info->nr != -1 && info->rule != RULE_NEVER);
}

static size_t
count_allowed(void)
{
	size_t n = 0;

	for (size_t i = 0; i < syscall_info_count; i++)
		if (is_allowed(&syscall_infos[i]))
			n++;
	return (n);
}

/* One name a line; what is filtered by its arguments says why. */
static void
print_syscalls(FILE *f)
{
	for (size_t i = 0; i < syscall_info_count; i++) {
		const struct syscall_info *info = &syscall_infos[i];

		if (!is_allowed(info))
			continue;
		if (info->rule == RULE_FILTERED)
			(void)fprintf(f, "%-24s filtered: %s\n", info->name,
			    info->why != NULL ? info->why : "arguments");
		else
			(void)fprintf(f, "%s\n", info->name);
	}
}

#define COLUMNS 76

/* The same names as comments, so that the whole stays a policy file. */
static void
print_syscalls_wrapped(FILE *f)
{
	int column = COLUMNS, len;

	for (size_t i = 0; i < syscall_info_count; i++) {
		if (!is_allowed(&syscall_infos[i]))
			continue;
		len = (int)strlen(syscall_infos[i].name);
		if (column + 1 + len > COLUMNS) {
			(void)fprintf(f, "\n#");
			column = 1;
		}
		(void)fprintf(f, " %s", syscall_infos[i].name);
		column += 1 + len;
	}
	(void)fprintf(f, "\n");
}

static int
print_policy(const struct policy *p, bool only_syscalls)
{
	char *text;

	if (only_syscalls) {
		print_syscalls(stdout);
		return (cli_flush());
	}
	text = policy_print(p);
	if (text == NULL)
		return (-1);
	(void)printf("%s\n# %zu system calls are allowed; all others answer "
		     "ENOSYS or EPERM:",
	    text, count_allowed());
	free(text);
	print_syscalls_wrapped(stdout);
	return (cli_flush());
}

static int
run_policy(struct session *s, const struct policy_options *o)
{
	struct diag *d = &s->d;
	int rc;

	if (session_load_policy(s, d) == -1 ||
	    policy_finish(s->policy, d) == -1 ||
	    policy_look_into_binds(s->policy, d) == -1)
		return (cli_fail(s->cli, d));
	if (s->cli->json_fd != -1)
		rc = cli_put_document(s->cli, doc_policy(s->policy));
	else
		rc = print_policy(s->policy, o->only_syscalls);
	return (rc == 0 ? EXIT_OK : EXIT_ERROR);
}

int
policy_main(struct cli *cli, int argc, char **argv)
{
	struct session *s = session_new(cli);
	struct policy_options o = {0};
	bool is_after_dashes;
	int first, rc;

	if (s == NULL)
		return (EXIT_ERROR);
	if (cli_parse(cli, &policy_options_set, argc, argv, &o, &s->settings,
		&first, &is_after_dashes, &rc))
		rc = run_policy(s, &o);
	session_free(s);
	return (rc);
}
