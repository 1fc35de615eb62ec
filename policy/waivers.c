/*
 * waivers.c - the LIST of --allow-degraded.  Names are those of controls.def;
 * what the table calls FLOOR can never be waived, and the message says so.
 * Pure.  Called by policy_set() and by the option parser.
 */
#include <stdio.h>
#include <string.h>

#include "policy.h"
#include "suggest.h"
#include "words.h"

#define NAME_MAX_LEN 32U
#define BLANKS " \t"

/* "memory, landlock, ...", what every message of this file ends with. */
static const char *
waivable_names(char *buf, size_t size)
{
	unsigned int ctl;

	buf[0] = '\0';
	for (ctl = 0; ctl < CTL__MAX; ctl++) {
		if (!control_is_waivable((enum control)ctl))
			continue;
		if (buf[0] != '\0')
			(void)strlcat(buf, ", ", size);
		if (strlcat(buf, controls[ctl].name, size) >= size)
			return ("...");
	}
	return (buf);
}

static int
unknown(const char *name, struct diag *d)
{
	struct suggestion s = {.word = name};
	char hint[64];
	char names[256];
	unsigned int ctl;

	for (ctl = 0; ctl < CTL__MAX; ctl++)
		if (control_is_waivable((enum control)ctl))
			suggest_offer(&s, controls[ctl].name);
	return (diag_set(d, DIAG_USAGE,
	    "unknown control \"%s\"%s; those that can be waived are %s", name,
	    suggest_text(&s, hint, sizeof(hint)),
	    waivable_names(names, sizeof(names))));
}

static int
waive(const char *name, control_set *set, struct diag *d)
{
	enum control ctl = control_by_name(name);
	char names[256];

	if (ctl == CTL_NONE)
		return (unknown(name, d));
	if (!control_is_waivable(ctl))
		return (diag_set(d, DIAG_USAGE,
		    "%s belongs to the floor and can never be waived; those "
		    "that can are %s",
		    name, waivable_names(names, sizeof(names))));
	*set |= CONTROL_BIT(ctl);
	return (0);
}

int
waivers_parse(const char *list, control_set *out, struct diag *d)
{
	control_set set = 0;
	char name[NAME_MAX_LEN];
	size_t len;

	if (list == NULL) {
		*out = CONTROL_ALL & ~control_floor();
		return (0);
	}
	for (;; list += len + 1) {
		list += strspn(list, BLANKS);
		len = strcspn(list, "," BLANKS);
		/* A name that is cut is unknown as well. */
		(void)snprintf(name, sizeof(name), "%.*s",
		    (int)(len < sizeof(name) ? len : sizeof(name)), list);
		len += strspn(list + len, BLANKS);
		if (waive(name, &set, d) == -1)
			return (-1);
		if (list[len] == '\0')
			break;
		if (list[len] != ',')
			return (diag_set(d, DIAG_USAGE,
			    "\"%s\" is not followed by a comma", name));
	}
	*out = set;
	return (0);
}
