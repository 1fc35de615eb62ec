/*
 * command.h - what is to run: from -c CODE, FILE, - or -- COMMAND to argv and
 * a program for the plan.  Owners: command.c, lang.c (languages.def).
 * Reads FILE once, through one descriptor; nothing is executed here.
 */
#ifndef BROKER_COMMAND_H
#define BROKER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "job.h"

enum command_form {
	FORM_CODE,
	FORM_FILE,
	FORM_STDIN,
	FORM_COMMAND
};

struct command {
	enum command_form form;
	const char **argv;  /* what the job executes; malloced array */
	char *program_path; /* inside: /run/agsbx/NAME; NULL */
	int program_fd;	    /* sealed memfd with the program; -1 */
	uint64_t program_bytes;
	char sha256[SHA256_HEX_SIZE]; /* of the program; "" */
	char *file;		      /* FILE as named; NULL */
	char *hint;		      /* "./x exists only on the host"; NULL */
};

/*
 * form, first operand (CODE, FILE, COMMAND; NULL for FORM_STDIN), the further
 * arguments (NULL-terminated) and --lang (NULL: find out).  Opens FILE itself
 * unless file_fd >= 0 (opened before privileges were dropped).
 * 0, or -1 with d (DIAG_COMMAND or DIAG_USAGE).
 */
int
command_resolve(struct command *c, enum command_form form, const char *operand,
    const char *const *args, const char *lang, int file_fd, struct diag *d);
void command_free(struct command *c);

#endif
