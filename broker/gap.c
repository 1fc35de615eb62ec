/*
 * Turns the launcher's fault rows and the waivers that were used into the gaps
 * of a job.  Knows which stand-in a waived control has; judges nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gap.h"
#include "streams.h"
#include "words.h"

/* What policy_plan() puts in place of a waived control. */
static const char *const stand_ins[CTL__MAX] = {
    [CTL_MEMORY] = "rlimit",
};

static void
print_token(char *token, size_t size, enum control ctl, bool is_waived)
{
	const char *in_place = is_waived ? stand_ins[ctl] : NULL;

	/* Tokens are literals of the table, shorter than the field. */
	(void)snprintf(token, size, "%s%s%s%s", control_words[ctl].token,
	    in_place != NULL ? "(" : "", in_place != NULL ? in_place : "",
	    in_place != NULL ? ")" : "");
}

static int
gap_add(struct job *j, const struct host *host, enum control ctl,
    unsigned int step, int err, bool is_waived)
{
	struct job_gap gap = {.control = ctl,
	    .err = err,
	    .is_waived = is_waived};
	struct hint hint;

	for (unsigned int i = 0; i < j->gap_count; i++)
		if (j->gaps[i].control == ctl)
			return (0);
	hint_find(&hint, host, ctl, step, err);
	print_token(gap.token, sizeof(gap.token), ctl, is_waived);
	gap.cause = visible_line(hint.cause); /* names of the host's cgroups */
	if (hint.fix[0] != '\0')
		gap.fix = strdup(hint.fix);
	if (gap.cause == NULL || (hint.fix[0] != '\0' && gap.fix == NULL)) {
		free(gap.cause);
		free(gap.fix);
		errno = ENOMEM;
		return (-1);
	}
	j->gaps[j->gap_count++] = gap;
	if (is_waived)
		j->is_degraded = true;
	return (0);
}

int
gaps_from_rows(struct job *j, const struct host *host, control_set waived)
{
	for (unsigned int c = 0; c < CTL__MAX; c++) {
		const struct readback *row = &j->rows[c];
		bool is_waived = (waived & CONTROL_BIT(c)) != 0 &&
		    control_is_waivable((enum control)c);

		if (row->state != READBACK_FAULT || row->class != FAULT_HOST)
			continue;
		if (gap_add(j, host, (enum control)c, row->step, row->err,
			is_waived) == -1)
			return (-1);
	}
	return (0);
}

int
gaps_add_waived(struct job *j, const struct host *host, enum control ctl,
    unsigned int step, int err)
{
	return (gap_add(j, host, ctl, step, err, true));
}
