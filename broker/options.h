/*
 * options.h - a command line read by table.  Owners: options.c (the parser),
 * options_policy.c (the rows that run, doctor and policy share).
 *
 * Long options are never abbreviated; "--x=v" and "--x v" are the same.  Rows
 * of kind SETTING are not acted on while argv is read: policy files come
 * first, so they are kept in the order given and applied by settings_apply().
 */
#ifndef BROKER_OPTIONS_H
#define BROKER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "policy.h"

enum option_kind {
	OPTION_FLAG,	     /* no argument; a bool at offset becomes true */
	OPTION_TEXT,	     /* an argument; a const char * at offset */
	OPTION_SETTING,	     /* an argument; a policy section and key */
	OPTION_SETTING_BARE, /* the same; the argument only as --x=v */
	OPTION_HELP,
	OPTION_VERSION,
};

struct option_row {
	const char *name; /* with its dashes: "--wall"; "-c" has no long one */
	char letter;	  /* 0: none */
	enum option_kind kind;
	const char *metavar; /* of the argument, for --help */
	size_t offset;	     /* FLAG and TEXT: into the caller's struct */
	const char *section; /* SETTING */
	const char *key;
	const char *bare; /* SETTING_BARE: the value when none is given */
	const char *help;
};

/* What one subcommand accepts. */
struct option_set {
	const char *command; /* "run" */
	const char *usage;   /* what follows "usage: agsbx " */
	const char *about;   /* one line */
	const struct option_row *rows;
	size_t row_count;
	bool has_policy;   /* the policy options are accepted as well */
	bool has_operands; /* operands are accepted; "--" ends options anyway */
};

/* A row without a letter, for a member of the struct that the options go to. */
#define OPTION_ROW_TEXT(type, member, flag, word, text) \
	{ \
		.name = flag, .kind = OPTION_TEXT, .metavar = word, \
		.offset = offsetof(type, member), .help = text \
	}
#define OPTION_ROW_FLAG(type, member, flag, text) \
	{ \
		.name = flag, .kind = OPTION_FLAG, \
		.offset = offsetof(type, member), .help = text \
	}

/* The ends of every set's rows. */
#define OPTION_ROWS_COMMON \
	{.name = "--help", \
	    .letter = 'h', \
	    .kind = OPTION_HELP, \
	    .help = "print this help"}, \
	{ \
		.name = "--version", .letter = 'V', .kind = OPTION_VERSION, \
		.help = "print the version" \
	}

/* One SETTING as it was given; value points into argv. */
struct setting {
	char flag[24]; /* "--wall": the origin that messages name */
	const char *section;
	const char *key;
	const char *value; /* NULL: bare --allow-degraded, every waivable */
};

/* The settings of one command line; must outlive the policy they went to. */
struct settings {
	const char *policy_file; /* --policy; NULL */
	struct setting *rows;	 /* malloced */
	size_t count;
};

enum options_outcome {
	OPTIONS_OK,
	OPTIONS_ERROR, /* d tells */
	OPTIONS_HELP,  /* --help was met before any error */
	OPTIONS_VERSION,
};

/*
 * Reads argv[1...] into the struct that the rows' offsets mean and, for a set
 * with has_policy, into settings (else NULL).  *first is the index of the
 * first operand (argc: none); *is_after_dashes tells that "--" came before it.
 */
enum options_outcome options_parse(const struct option_set *set, int argc,
    char **argv, void *out, struct settings *settings, int *first,
    bool *is_after_dashes, struct diag *d);

/*
 * Looks for one option before anything is judged, so that even a usage error
 * can be reported as JSON.  True when name is given where an option may stand;
 * *value is its argument or NULL.  An unknown option before it does not stop
 * the search, an operand does.
 */
bool options_scan(const struct option_set *set, int argc, char **argv,
    const char *name, const char **value);

/* The text of --help, malloced; NULL: out of memory. */
char *options_help(const struct option_set *set);

/* Applies what was given to p, in order.  0, or -1 with d. */
int settings_apply(const struct settings *s, struct policy *p, struct diag *d);
void settings_free(struct settings *s);

/* options_policy.c: the shared rows; row i, or NULL beyond the last.  Limits
 * come from limits.def and are written into *scratch. */
const struct option_row *
policy_option_row(size_t i, struct option_row *scratch, char flag[24]);

#endif
