/*
 * lang.h - which interpreter runs a program.  Owner: lang.c (languages.def).
 * Judges names and first bytes only; opens nothing.
 */
#ifndef BROKER_LANG_H
#define BROKER_LANG_H

#include <stddef.h>

#include "diag.h"

struct lang {
	const char *name;
	const char *suffixes;	/* space-separated */
	const char *program;	/* argv[0] */
	const char *unbuffered; /* option for CODE; NULL */
};

/* The language of CODE when nothing else says. */
const struct lang *lang_default(void);

/* By --lang; NULL with d (DIAG_USAGE, listing them). */
const struct lang *lang_by_name(const char *name, struct diag *d);

/* By the suffix of a file name, in any case; NULL: none has it. */
const struct lang *lang_by_suffix(const char *file);

/* Writes "code.py" and the like into buf. */
int
lang_file_name(const struct lang *l, const char *stem, char *buf, size_t size);

/* The bytes that lang_exec_by_head() needs: as many as the kernel looks at. */
#define LANG_HEAD_SIZE 256U

enum lang_exec {
	EXEC_NONE, /* an interpreter must be given the file */
	EXEC_FILE, /* the file executes itself: ELF, or a #! line */
	EXEC_BAD,  /* a #! line that cannot work, with d */
};

/* By the first bytes of file (named for d). */
enum lang_exec lang_exec_by_head(const char *head, size_t len, const char *file,
    struct diag *d);

#endif
