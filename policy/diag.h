/*
 * diag.h - one message for the person who called, filled where the error is
 * found and printed in one place (broker).  Owner: diag.c.
 */
#ifndef POLICY_DIAG_H
#define POLICY_DIAG_H

#include <stddef.h>

/* The code of agsbx.error/1, and whose fault it is. */
enum diag_code {
	DIAG_NONE,
	DIAG_USAGE,    /* the command line */
	DIAG_POLICY,   /* a policy file, a value, a ceiling */
	DIAG_COMMAND,  /* FILE missing or unusable */
	DIAG_LEDGER,   /* the ledger or its directory */
	DIAG_QUOTA,    /* a tenant's quota */
	DIAG_REFUSED,  /* a control cannot be held: exit 3 */
	DIAG_INTERNAL, /* ours */
	DIAG__MAX
};

struct diag {
	enum diag_code code;
	char message
	    [1024];	/* one line, printable, names the thing and the fix */
	char file[512]; /* "" when no file is to blame */
	unsigned int line; /* 0: none */
};

/* Fills d (printf-like, always NUL-terminated) and returns -1. */
int diag_set(struct diag *d, enum diag_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with file and line in front of the message; line 0: no line. */
int diag_at(struct diag *d, enum diag_code code, const char *file,
    unsigned int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* "usage", "policy", ...: the code as JSON has it. */
const char *diag_code_name(enum diag_code code);

#endif
