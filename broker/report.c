/*
 * What a person is told on stderr when a job is over or refused.  Everything
 * that came from a job or from argv goes through visible_line().  Prints only;
 * a stderr that is gone changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "control.h"
#include "session.h"
#include "text.h"

void
report_closing(const struct job *j, const struct policy *p)
{
	char *line = text_closing_line(j, p);

	(void)fprintf(stderr, "%s\n",
	    line != NULL ? line : "agsbx: out of memory");
	free(line);
}

/* The names of the gaps that keep the job from running. */
static void
print_gap_names(const struct job *j, const char *separator)
{
	const char *before = "";

	for (unsigned int i = 0; i < j->gap_count; i++) {
		if (j->gaps[i].is_waived)
			continue;
		(void)fprintf(stderr, "%s%s", before,
		    controls[j->gaps[i].control].name);
		before = separator;
	}
}

void
report_refusal(const struct job *j)
{
	(void)fprintf(stderr, "agsbx: refused: ");
	print_gap_names(j, ", ");
	(void)fprintf(stderr,
	    " cannot be held on this host; the job did not run\n");
	for (unsigned int i = 0; i < j->gap_count; i++) {
		const struct job_gap *g = &j->gaps[i];
		char *cause;

		if (g->is_waived)
			continue;
		cause = visible_line(g->cause);
		(void)fprintf(stderr, "  %-7s %s\n", controls[g->control].name,
		    cause != NULL ? cause : "out of memory");
		if (g->fix != NULL)
			(void)fprintf(stderr, "  fix     %s\n", g->fix);
		free(cause);
	}
	if (!launch_gaps_are_waivable(j))
		return;
	(void)fprintf(stderr, "  accept  --allow-degraded=");
	print_gap_names(j, ",");
	(void)fprintf(stderr, "   (kept on the job's row)\n");
}
