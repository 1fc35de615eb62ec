/*
 * The command-line grammar: what is an option, where options end, how a value
 * may be written, and that nothing is ever guessed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "words.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

struct values {
	const char *code;
	const char *note;
	bool is_quiet;
	bool no_stdin;
};

static const struct option_row rows[] = {
    {.name = "-c",
	.letter = 'c',
	.kind = OPTION_TEXT,
	.metavar = "CODE",
	.offset = offsetof(struct values, code),
	.help = "the program"},
    {.name = "--note",
	.kind = OPTION_TEXT,
	.metavar = "TEXT",
	.offset = offsetof(struct values, note),
	.help = "a note"},
    {.name = "--quiet",
	.letter = 'q',
	.kind = OPTION_FLAG,
	.offset = offsetof(struct values, is_quiet),
	.help = "say less"},
    {.name = "--no-stdin",
	.letter = 'n',
	.kind = OPTION_FLAG,
	.offset = offsetof(struct values, no_stdin),
	.help = "empty stdin"},
    OPTION_ROWS_COMMON,
};

static const struct option_set set = {.command = "run",
    .usage = "run ...",
    .about = "About.",
    .rows = rows,
    .row_count = sizeof(rows) / sizeof(rows[0]),
    .has_policy = true,
    .has_operands = true};

/* One parsed command line. */
struct parsed {
	struct values v;
	struct settings s;
	struct diag d;
	int first;
	bool is_after_dashes;
	enum options_outcome outcome;
};

static void
parse_with(const struct option_set *which, struct parsed *p, int argc,
    const char **argv)
{
	*p = (struct parsed){.first = -1};
	p->outcome = options_parse(which, argc, (char **)(uintptr_t)argv, &p->v,
	    &p->s, &p->first, &p->is_after_dashes, &p->d);
}

#define PARSE(p, ...) \
	do { \
		const char *argv_[] = {"run", __VA_ARGS__, NULL}; \
		parse_with(&set, p, COUNT(argv_) - 1, argv_); \
	} while (0)

static void
test_values_both_ways(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "--note", "a", "-q");
	assert_int_equal(p.outcome, OPTIONS_OK);
	assert_string_equal(p.v.note, "a");
	assert_true(p.v.is_quiet);
	assert_int_equal(p.first, 4);
	PARSE(&p, "--note=a=b");
	assert_string_equal(p.v.note, "a=b");
	PARSE(&p, "--note=");
	assert_string_equal(p.v.note, "");
	PARSE(&p, "--note", "--quiet");
	assert_string_equal(p.v.note, "--quiet");
	assert_false(p.v.is_quiet);
}

static void
test_letters(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-nq");
	assert_int_equal(p.outcome, OPTIONS_OK);
	assert_true(p.v.is_quiet && p.v.no_stdin);
	PARSE(&p, "-nc", "x", "y");
	assert_string_equal(p.v.code, "x");
	assert_true(p.v.no_stdin);
	assert_int_equal(p.first, 3);
	PARSE(&p, "-cx");
	assert_string_equal(p.v.code, "x");
	PARSE(&p, "-c");
	assert_int_equal(p.outcome, OPTIONS_ERROR);
	assert_string_equal(p.d.message, "-c needs a value (CODE)");
}

static void
test_where_options_end(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "file.py", "-q");
	assert_int_equal(p.first, 1);
	assert_false(p.v.is_quiet);
	assert_false(p.is_after_dashes);
	PARSE(&p, "-q", "--", "cmd", "-n");
	assert_int_equal(p.first, 3);
	assert_true(p.is_after_dashes);
	assert_false(p.v.no_stdin);
	PARSE(&p, "-");
	assert_int_equal(p.first, 1);
	PARSE(&p, "-c", "x", "-q", "arg", "-n");
	assert_true(p.v.is_quiet);
	assert_false(p.v.no_stdin);
	assert_int_equal(p.first, 4);
	PARSE(&p, "--");
	assert_true(p.is_after_dashes);
	assert_int_equal(p.first, 2);
}

static void
test_unknown_and_abbreviated(void **state)
{
	static const struct {
		const char *word;
		const char *message;
	} bad[] = {
	    {"--not", "unknown option --not"},
	    {"--notes", "unknown option --notes"},
	    {"--wal=3", "unknown option --wal"},
	    {"--code", "unknown option --code"},
	    {"--Quiet", "unknown option --Quiet"},
	    {"-x", "unknown option -x"},
	    {"-qx", "unknown option -qx"},
	    {"--quiet=1", "--quiet takes no value"},
	    {"--note", "--note needs a value (TEXT)"},
	    {"--scratch-inodes=9", "unknown option --scratch-inodes"},
	};
	struct parsed p;

	(void)state;
	for (int i = 0; i < COUNT(bad); i++) {
		PARSE(&p, bad[i].word);
		assert_int_equal(p.outcome, OPTIONS_ERROR);
		assert_int_equal(p.d.code, DIAG_USAGE);
		assert_string_equal(p.d.message, bad[i].message);
		settings_free(&p.s);
	}
}

static void
test_settings_keep_their_order(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "--wall", "3", "--network", "--network=none",
	    "--allow-degraded", "--bind=/a:/b", "--policy", "f", "op");
	assert_int_equal(p.outcome, OPTIONS_OK);
	assert_int_equal(p.s.count, 5);
	assert_string_equal(p.s.rows[0].flag, "--wall");
	assert_string_equal(p.s.rows[0].section, "limits");
	assert_string_equal(p.s.rows[0].value, "3");
	assert_string_equal(p.s.rows[1].value, "host");
	assert_string_equal(p.s.rows[2].value, "none");
	assert_null(p.s.rows[3].value);
	assert_string_equal(p.s.rows[4].key, "bind");
	assert_string_equal(p.s.policy_file, "f");
	/* A bare --network does not eat the next word. */
	assert_string_equal(p.s.rows[4].value, "/a:/b");
	settings_free(&p.s);
	assert_int_equal(p.s.count, 0);
}

static void
test_help_and_version(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-q", "--help", "--bogus");
	assert_int_equal(p.outcome, OPTIONS_HELP);
	PARSE(&p, "-V");
	assert_int_equal(p.outcome, OPTIONS_VERSION);
	PARSE(&p, "--bogus", "--help");
	assert_int_equal(p.outcome, OPTIONS_ERROR);
}

static void
test_no_operands(void **state)
{
	const char *argv[] = {"doctor", "x", NULL};
	struct option_set none = set;
	struct parsed p;

	(void)state;
	none.has_operands = false;
	parse_with(&none, &p, 2, argv);
	assert_int_equal(p.outcome, OPTIONS_ERROR);
	assert_string_equal(p.d.message, "unexpected argument x");
	none.has_policy = false;
	argv[1] = "--wall=1";
	parse_with(&none, &p, 2, argv);
	assert_string_equal(p.d.message, "unknown option --wall");
}

static bool
scan(const char *name, const char **value, int argc, const char **argv)
{
	return (
	    options_scan(&set, argc, (char **)(uintptr_t)argv, name, value));
}

#define SCAN(name, ...) \
	scan(name, &value, COUNT(((const char *[]){"run", __VA_ARGS__})), \
	    (const char *[]){"run", __VA_ARGS__, NULL})

static void
test_scan(void **state)
{
	const char *value;

	(void)state;
	assert_true(SCAN("--quiet", "--bogus", "v", "--quiet"));
	assert_true(SCAN("--quiet", "-zz", "--quiet"));
	assert_true(SCAN("--quiet", "--wall", "x", "-q"));
	assert_true(SCAN("--note", "--note=7"));
	assert_string_equal(value, "7");
	/* Not ours: a value, behind an operand, behind "--". */
	assert_false(SCAN("--quiet", "--note", "--quiet"));
	assert_false(SCAN("--quiet", "file", "--quiet"));
	assert_false(SCAN("--quiet", "--", "--quiet"));
	assert_false(SCAN("--quiet", "--bogus", "--", "--quiet"));
	assert_false(SCAN("--quiet", "-c", "--quiet"));
}

static void
test_help_names_every_option(void **state)
{
	char *help = options_help(&set);

	(void)state;
	assert_non_null(help);
	for (int i = 0; i < COUNT(rows); i++)
		assert_non_null(strstr(help, rows[i].name));
	for (unsigned int l = 0; l < LIMIT__MAX; l++)
		if (limit_infos[l].flag != NULL)
			assert_non_null(strstr(help, limit_infos[l].flag));
	assert_non_null(strstr(help, "--network[=none|host]"));
	assert_non_null(strstr(help, "-q, --quiet"));
	assert_null(strstr(help, "-c, -c"));
	free(help);
}

static void
test_settings_apply(void **state)
{
	struct policy *policy = policy_new();
	struct parsed p;

	(void)state;
	assert_non_null(policy);
	PARSE(&p, "--wall=5", "--memory-mb", "64", "--wall=7", "--network",
	    "--allow-degraded=landlock");
	assert_int_equal(settings_apply(&p.s, policy, &p.d), 0);
	assert_int_equal(policy->limits[LIMIT_WALL], 7000);
	assert_int_equal(policy->limits[LIMIT_MEMORY], 64 << 20);
	assert_string_equal(policy->limit_origins[LIMIT_WALL].flag, "--wall");
	assert_true(policy->network_host);
	assert_true(policy->waived == CONTROL_BIT(CTL_LANDLOCK));
	settings_free(&p.s);
	PARSE(&p, "--allow-degraded");
	assert_int_equal(settings_apply(&p.s, policy, &p.d), 0);
	assert_true(policy->waived == (CONTROL_ALL & ~control_floor()));
	settings_free(&p.s);
	PARSE(&p, "--wall=-1");
	assert_int_equal(settings_apply(&p.s, policy, &p.d), -1);
	assert_int_equal(p.d.code, DIAG_USAGE);
	assert_non_null(strstr(p.d.message, "--wall"));
	settings_free(&p.s);
	policy_free(policy);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values_both_ways),
	    cmocka_unit_test(test_letters),
	    cmocka_unit_test(test_where_options_end),
	    cmocka_unit_test(test_unknown_and_abbreviated),
	    cmocka_unit_test(test_settings_keep_their_order),
	    cmocka_unit_test(test_help_and_version),
	    cmocka_unit_test(test_no_operands),
	    cmocka_unit_test(test_scan),
	    cmocka_unit_test(test_help_names_every_option),
	    cmocka_unit_test(test_settings_apply),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
