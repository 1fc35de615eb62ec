/*
 * diag.c - fills a message where the error is found.
 *
 * A message may quote bytes of a file or of the command line, so whatever is
 * not printable becomes visible here, once, and never reaches a terminal.
 * Called by policy and broker.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LIBBSD_OPENBSD_VIS /* which strnvis(); none is used here */
#include <vis.h>

#include "diag.h"

static const char *const code_names[DIAG__MAX] = {
    [DIAG_NONE] = "none",
    [DIAG_USAGE] = "usage",
    [DIAG_POLICY] = "policy",
    [DIAG_COMMAND] = "command",
    [DIAG_LEDGER] = "ledger",
    [DIAG_QUOTA] = "quota",
    [DIAG_REFUSED] = "refused",
    [DIAG_INTERNAL] = "internal",
};

/* Keeps the message one line of printable characters, cut where it is full. */
static void
show(struct diag *d, const char *text)
{
	char *shown = NULL;

	if (stravis(&shown, text, VIS_TAB | VIS_NL | VIS_NOSLASH) == -1)
		shown = NULL;
	(void)strlcpy(d->message, shown != NULL ? shown : "out of memory",
	    sizeof(d->message));
	free(shown);
}

__attribute__((format(printf, 5, 0))) static void
fill(struct diag *d, enum diag_code code, const char *file, unsigned int line,
    const char *fmt, va_list ap)
{
	char text[sizeof(d->message)] = "";
	int used = 0;

	d->code = code;
	d->line = line;
	/* file may be d->file itself; cut, it is only for show */
	if (file != d->file)
		(void)strlcpy(d->file, file, sizeof(d->file));
	if (file[0] != '\0' && line != 0)
		used = snprintf(text, sizeof(text), "%.500s:%u: ", file, line);
	else if (file[0] != '\0')
		used = snprintf(text, sizeof(text), "%.500s: ", file);
	if (used >= 0)
		(void)vsnprintf(text + used, sizeof(text) - (size_t)used, fmt,
		    ap);
	show(d, text);
}

int
diag_set(struct diag *d, enum diag_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(d, code, "", 0, fmt, ap);
	va_end(ap);
	return (-1);
}

int
diag_at(struct diag *d, enum diag_code code, const char *file,
    unsigned int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(d, code, file, line, fmt, ap);
	va_end(ap);
	return (-1);
}

const char *
diag_code_name(enum diag_code code)
{
	if ((unsigned int)code >= DIAG__MAX)
		return ("internal");
	return (code_names[code]);
}
