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

/* How to run it all the same, unless that is not the tenant's to say. */
static void
print_waiver(const struct job *j, const struct policy *p)
{
	control_set permitted = policy_tenant_waivers(p, j->tenant);

	for (unsigned int i = 0; i < j->gap_count; i++)
		if (!j->gaps[i].is_waived &&
		    (permitted & CONTROL_BIT(j->gaps[i].control)) == 0) {
			(void)fprintf(stderr,
			    "  accept  not by tenant %s: the policy's "
			    "\"degraded\" forbids it to waive %s\n",
			    j->tenant, controls[j->gaps[i].control].name);
			return;
		}
	(void)fprintf(stderr, "  accept  --allow-degraded=");
	print_gap_names(j, ",");
	(void)fprintf(stderr, "   (kept on the job's row)\n");
}

void
report_refusal(const struct job *j, const struct policy *p)
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
	if (launch_gaps_are_waivable(j))
		print_waiver(j, p);
}
