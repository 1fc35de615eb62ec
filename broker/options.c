/*
 * The command-line parser: one grammar for every subcommand, driven by rows.
 * Knows nothing of what an option means; fills the caller's struct and keeps
 * policy settings for later.  Called by cli.c before anything else happens.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

/* One command line on its way through. */
struct reader {
	const struct option_set *set;
	int argc;
	char **argv;
	int at;			   /* the argument being read */
	const char *letters;	   /* what is left of a cluster; NULL: none */
	struct option_row scratch; /* a row made from limits.def */
	char flag[24];
};

/* An option as it was met. */
struct met {
	const struct option_row *row; /* NULL: unknown */
	const char *word;	      /* as written, for messages */
	int word_len;
	const char *value; /* NULL: none */
	bool is_value_missing;
	bool is_value_extra; /* --flag=value where none is taken */
};

static bool
row_matches(const struct option_row *row, const char *name, size_t len)
{
	return (strlen(row->name) == len && strncmp(row->name, name, len) == 0);
}

static const struct option_row *
row_at(struct reader *r, size_t i)
{
	if (i < r->set->row_count)
		return (&r->set->rows[i]);
	if (!r->set->has_policy)
		return (NULL);
	return (policy_option_row(i - r->set->row_count, &r->scratch, r->flag));
}

static const struct option_row *
find_long(struct reader *r, const char *name, size_t len)
{
	const struct option_row *row;

	for (size_t i = 0; (row = row_at(r, i)) != NULL; i++)
		if (row_matches(row, name, len))
			return (row);
	return (NULL);
}

static const struct option_row *
find_letter(struct reader *r, char letter)
{
	const struct option_row *row;

	for (size_t i = 0; (row = row_at(r, i)) != NULL; i++)
		if (row->letter == letter)
			return (row);
	return (NULL);
}

static bool
wants_value(const struct option_row *row)
{
	return (row->kind == OPTION_TEXT || row->kind == OPTION_SETTING);
}

static void
take_next_argument(struct reader *r, struct met *m)
{
	if (r->at + 1 >= r->argc) {
		m->is_value_missing = true;
		return;
	}
	m->value = r->argv[++r->at];
}

static void
read_long(struct reader *r, struct met *m)
{
	const char *word = r->argv[r->at];
	size_t len = strcspn(word, "=");

	m->word = word;
	m->word_len = (int)len;
	m->row = find_long(r, word, len);
	if (m->row == NULL)
		return;
	if (word[len] == '=')
		m->value = word + len + 1;
	else if (wants_value(m->row))
		take_next_argument(r, m);
	m->is_value_extra = m->value != NULL && !wants_value(m->row) &&
	    m->row->kind != OPTION_SETTING_BARE;
}

/* -nq, -c CODE and -cCODE, as POSIX has them. */
static void
read_letter(struct reader *r, struct met *m)
{
	m->word = r->argv[r->at];
	m->word_len = (int)strlen(m->word);
	m->row = find_letter(r, *r->letters++);
	if (m->row != NULL && wants_value(m->row)) {
		if (*r->letters != '\0')
			m->value = r->letters;
		else
			take_next_argument(r, m);
		r->letters = NULL;
	} else if (*r->letters == '\0') {
		r->letters = NULL;
	}
}

/* The next option; false at the first operand or after "--". */
static bool
read_option(struct reader *r, struct met *m)
{
	const char *word;

	*m = (struct met){0};
	if (r->letters == NULL) {
		if (++r->at >= r->argc)
			return (false);
		word = r->argv[r->at];
		if (word[0] != '-' || word[1] == '\0' ||
		    strcmp(word, "--") == 0)
			return (false);
		if (word[1] == '-') {
			read_long(r, m);
			return (true);
		}
		r->letters = word + 1;
	}
	read_letter(r, m);
	return (true);
}

static int
settings_add(struct settings *s, const struct option_row *row,
    const char *value, struct diag *d)
{
	struct setting *rows;

	rows = reallocarray(s->rows, s->count + 1, sizeof(*rows));
	if (rows == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	s->rows = rows;
	rows[s->count] = (struct setting){.section = row->section,
	    .key = row->key,
	    .value = value != NULL ? value : row->bare};
	(void)strlcpy(rows[s->count].flag, row->name,
	    sizeof(rows[s->count].flag)); /* names are short literals */
	s->count++;
	return (0);
}

static int
judge(const struct met *m, struct diag *d)
{
	if (m->row == NULL)
		return (diag_set(d, DIAG_USAGE, "unknown option %.*s",
		    m->word_len, m->word));
	if (m->is_value_missing)
		return (diag_set(d, DIAG_USAGE, "%s needs a value (%s)",
		    m->row->name, m->row->metavar));
	if (m->is_value_extra)
		return (
		    diag_set(d, DIAG_USAGE, "%s takes no value", m->row->name));
	return (0);
}

static int
store(const struct met *m, void *out, struct settings *settings, struct diag *d)
{
	const struct option_row *row = m->row;
	/* --policy is the one TEXT of the shared rows. */
	char *base = row->section != NULL ? (char *)settings : out;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)(base + row->offset) = true;
		return (0);
	case OPTION_TEXT:
		memcpy(base + row->offset, &m->value, sizeof(m->value));
		return (0);
	default:
		return (settings_add(settings, row, m->value, d));
	}
}

enum options_outcome
options_parse(const struct option_set *set, int argc, char **argv, void *out,
    struct settings *settings, int *first, bool *is_after_dashes,
    struct diag *d)
{
	struct reader r = {.set = set, .argc = argc, .argv = argv};
	struct met m;

	while (read_option(&r, &m)) {
		if (judge(&m, d) == -1 || m.row == NULL)
			return (OPTIONS_ERROR);
		if (m.row->kind == OPTION_HELP)
			return (OPTIONS_HELP);
		if (m.row->kind == OPTION_VERSION)
			return (OPTIONS_VERSION);
		if (store(&m, out, settings, d) == -1)
			return (OPTIONS_ERROR);
	}
	*is_after_dashes = r.at < argc && strcmp(argv[r.at], "--") == 0;
	*first = r.at + (*is_after_dashes ? 1 : 0);
	if (*first < argc && !set->has_operands) {
		(void)diag_set(d, DIAG_USAGE, "unexpected argument %s",
		    argv[*first]);
		return (OPTIONS_ERROR);
	}
	return (OPTIONS_OK);
}

bool
options_scan(const struct option_set *set, int argc, char **argv,
    const char *name, const char **value)
{
	struct reader r = {.set = set, .argc = argc, .argv = argv};
	bool has_unknown = false;
	struct met m;

	*value = NULL;
	for (;;) {
		if (!read_option(&r, &m)) {
			/* Behind an unknown option stands perhaps its value. */
			if (r.at >= argc || !has_unknown ||
			    strcmp(argv[r.at], "--") == 0)
				return (false);
			continue;
		}
		if (m.row == NULL) {
			has_unknown = true;
			r.letters = NULL;
		} else if (strcmp(m.row->name, name) == 0) {
			*value = m.value;
			return (true);
		}
	}
}

int
settings_apply(const struct settings *s, struct policy *p, struct diag *d)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct setting *row = &s->rows[i];
		struct origin origin = {.flag = row->flag};
		control_set waived = 0;

		if (row->value == NULL) {
			if (waivers_parse(NULL, &waived, d) == -1)
				return (-1);
			p->waived |= waived;
			p->flag_waived |= waived;
		} else if (policy_set(p, row->section, row->key, row->value,
			       &origin, d) == -1) {
			return (-1);
		}
	}
	return (0);
}

void
settings_free(struct settings *s)
{
	free(s->rows);
	s->rows = NULL;
	s->count = 0;
}

static void
print_row(FILE *f, const struct option_row *row)
{
	char left[64];
	const char *open = row->kind == OPTION_SETTING_BARE ? "[=" : " ";
	const char *close = row->kind == OPTION_SETTING_BARE ? "]" : "";
	char letter[8] = "    ";

	if (row->letter != '\0' && row->name[1] == '-')
		(void)snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	/* A name that did not fit would only misalign the help. */
	(void)snprintf(left, sizeof(left), "%s%s%s%s%s", letter, row->name,
	    row->metavar != NULL ? open : "",
	    row->metavar != NULL ? row->metavar : "",
	    row->metavar != NULL ? close : "");
	(void)fprintf(f, "  %-36s %s\n", left, row->help);
}

char *
options_help(const struct option_set *set)
{
	struct reader r = {.set = set};
	const struct option_row *row;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return (NULL);
	(void)fprintf(f, "usage: agsbx %s\n\n%s\n\n", set->usage, set->about);
	for (size_t i = 0; (row = row_at(&r, i)) != NULL; i++)
		print_row(f, row);
	if (fclose(f) != 0) {
		free(text);
		return (NULL);
	}
	return (text);
}
