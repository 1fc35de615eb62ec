/*
 * fuzz_options.c - a command line of any words: options, what they set in a
 * policy, and every kind of value, which must print and read back as itself.
 *
 * Input: words, each ended by a NUL.
 */
#include "fuzz.h"
#include "lang.h"
#include "options.h"
#include "times.h"
#include "ulid.h"

#define WORDS_MAX 32
#define NOW_MS INT64_C(1700000000000)

struct given {
	bool is_json;
	const char *code;
};
static const struct option_row rows[] = {
    {.name = "--json",
	.kind = OPTION_FLAG,
	.offset = offsetof(struct given, is_json),
	.help = "one document"},
    {.name = "-c",
	.letter = 'c',
	.kind = OPTION_TEXT,
	.metavar = "CODE",
	.offset = offsetof(struct given, code),
	.help = "a program"},
    OPTION_ROWS_COMMON,
};
static const struct option_set set = {.command = "run",
    .usage = "run",
    .about = "about",
    .rows = rows,
    .row_count = COUNT_OF(rows),
    .has_policy = true,
    .has_operands = true};

static void
try_value(enum limit_kind kind, bool is_flag, const char *text)
{
	struct diag d = {.code = DIAG_NONE};
	uint64_t value = 0, again = 0;
	char buf[32];

	if (value_parse(kind, is_flag, text, &value, "--value", &d) == -1) {
		must_be_told(&d);
		return;
	}
	MUST(value > 0);
	MUST(value_print(kind, value, buf, sizeof(buf)) == buf);
	/* In the form of a file: a flag in MiB has no unit. */
	MUST(value_parse(kind, false, buf, &again, "printed", &d) == 0);
	MUST(value == again);
}

static void
try_moment(const char *text)
{
	int64_t ms, again;
	char buf[TIMES_SIZE];

	if (times_parse(text, NOW_MS, &ms) == -1)
		return;
	(void)times_print(ms, buf);
	MUST(times_parse(buf, 0, &again) == 0);
	/* Beyond the years 0 to 9999 it prints the end of them. */
	MUST(again == ms || ms < 0 || ms > NOW_MS);
}

static void
try_word(const char *text)
{
	struct diag d = {.code = DIAG_NONE};
	control_set waived = 0;
	char name[64];
	const struct lang *lang;

	for (unsigned int kind = 0; kind <= KIND_COUNT; kind++) {
		try_value((enum limit_kind)kind, false, text);
		try_value((enum limit_kind)kind, true, text);
	}
	try_moment(text);
	if (waivers_parse(text, &waived, &d) == -1)
		must_be_told(&d);
	else
		MUST(waived != 0 && (waived & ~CONTROL_ALL) == 0);
	MUST(!ulid_is_prefix(text) || strlen(text) < JOB_ID_SIZE);
	if ((lang = lang_by_suffix(text)) != NULL)
		MUST(lang_file_name(lang, "code", name, sizeof(name)) == 0);
	d.code = DIAG_NONE;
	if (lang_by_name(text, &d) == NULL)
		must_be_told(&d);
}

static void
apply(const struct settings *s)
{
	struct policy *p = policy_new();
	struct diag d = {.code = DIAG_NONE};

	MUST(p != NULL);
	if (settings_apply(s, p, &d) == -1)
		must_be_told(&d);
	policy_free(p);
}

static void
try_line(int argc, char **argv)
{
	struct given given = {.code = NULL};
	struct settings settings = {.rows = NULL};
	struct diag d = {.code = DIAG_NONE};
	bool is_after_dashes = false;
	enum options_outcome outcome;
	const char *value;
	int first = 0;

	outcome = options_parse(&set, argc, argv, &given, &settings, &first,
	    &is_after_dashes, &d);
	if (outcome == OPTIONS_ERROR)
		must_be_told(&d);
	if (outcome == OPTIONS_OK) {
		MUST(first >= 1 && first <= argc);
		MUST(given.is_json ==
		    options_scan(&set, argc, argv, "--json", &value));
		apply(&settings);
	}
	settings_free(&settings);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	char command[] = "run";
	char *argv[WORDS_MAX + 2] = {command};
	int argc = 1;

	while (in.left > 0 && argc <= WORDS_MAX) {
		argv[argc] = take_text(&in);
		try_word(argv[argc++]);
	}
	try_line(argc, argv);
	while (argc > 1)
		free(argv[--argc]);
	return (0);
}
