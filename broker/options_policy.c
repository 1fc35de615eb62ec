/*
 * The options that set a policy: one row for each flag of limits.def, then
 * the rest.  Knows names only; values are judged by policy_set().
 * Called by options.c, for run, doctor and policy.
 */
#include <stdio.h>

#include "options.h"

#define OFF_POLICY_FILE offsetof(struct settings, policy_file)

static const struct option_row access_rows[] = {
    {.name = "--network",
	.kind = OPTION_SETTING_BARE,
	.metavar = "none|host",
	.section = "network",
	.key = "access",
	.bare = "host",
	.help = "share the host's network (bare: host)"},
    {.name = "--allow-env",
	.kind = OPTION_SETTING,
	.metavar = "NAME[=VALUE]",
	.section = "env",
	.key = "allow",
	.help = "pass one environment variable"},
    {.name = "--bind",
	.kind = OPTION_SETTING,
	.metavar = "SRC[:DST]",
	.section = "files",
	.key = "bind",
	.help = "show a host file or directory, writable"},
    {.name = "--bind-ro",
	.kind = OPTION_SETTING,
	.metavar = "SRC[:DST]",
	.section = "files",
	.key = "bind-ro",
	.help = "show a host file or directory, read-only"},
    {.name = "--allow-degraded",
	.kind = OPTION_SETTING_BARE,
	.metavar = "LIST",
	.section = "degraded",
	.key = "allow",
	.help = "waive controls that this host cannot hold (bare: "
		"all that can be waived)"},
    {.name = "--policy",
	.kind = OPTION_TEXT,
	.metavar = "FILE",
	.offset = OFF_POLICY_FILE,
	.section = "",
	.help = "read one more policy file"},
};
#define ACCESS_COUNT (sizeof(access_rows) / sizeof(access_rows[0]))

static const char *const kind_metavars[] = {
    [KIND_TIME] = "TIME",
    [KIND_SIZE] = "SIZE",
    [KIND_MIB] = "N",
    [KIND_COUNT] = "N",
    [KIND_PERCENT] = "N%",
};

/* The i-th limit that has a flag, or NULL. */
static const struct limit_info *
flagged_limit(size_t i)
{
	for (size_t l = 0; l < LIMIT__MAX; l++)
		if (limit_infos[l].flag != NULL && i-- == 0)
			return (&limit_infos[l]);
	return (NULL);
}

static size_t
flagged_count(void)
{
	size_t n = 0;

	while (flagged_limit(n) != NULL)
		n++;
	return (n);
}

const struct option_row *
policy_option_row(size_t i, struct option_row *scratch, char flag[24])
{
	const struct limit_info *limit = flagged_limit(i);

	if (limit == NULL) {
		i -= flagged_count();
		return (i < ACCESS_COUNT ? &access_rows[i] : NULL);
	}
	/* The flags of limits.def are literals of far fewer bytes. */
	(void)snprintf(flag, 24, "--%s", limit->flag);
	*scratch = (struct option_row){.name = flag,
	    .kind = OPTION_SETTING,
	    .metavar = kind_metavars[limit->kind],
	    .section = "limits",
	    .key = limit->key,
	    .help = limit->what};
	return (scratch);
}
