/*
 * text_attack.c - what came of doctor --attack, attempt by attempt, for a
 * person.  Nothing in it is a job's own bytes.  Called by doctor.c.
 */
#include <stdio.h>

#include "attack.h"
#include "text.h"

static void
print_counts(FILE *f, const struct attack_report *r)
{
	const char *comma = "";

	for (enum attack_verdict v = 0; v < ATTACK_VERDICT__MAX; v++) {
		unsigned int count = attack_count(r, v);

		if (count == 0)
			continue;
		(void)fprintf(f, "%s%u %s", comma, count, attack_verdicts[v]);
		comma = ", ";
	}
	(void)fprintf(f, "\n");
}

static void
print_jobs(FILE *f, const struct attack_report *r)
{
	(void)fprintf(f, "In the ledger, for tenant %s:", r->tenant);
	for (enum attack_batch b = 0; b < ATTACK_BATCH__MAX; b++)
		if (r->jobs[b][0] != '\0')
			(void)fprintf(f, " %s", r->jobs[b]);
	(void)fprintf(f, "\n");
}

void
text_attack(FILE *f, const struct attack_report *r)
{
	char name[ATTACK_NAME_SIZE];

	(void)fprintf(f, "\nATTEMPTS to get out of jobs of this policy:\n");
	for (enum attack a = 0; a < ATTACK__MAX; a++) {
		const struct attack_result *one = &r->results[a];

		(void)fprintf(f, "  %-10s %-16s %s: %s\n",
		    one->verdict == ATTACK_ESCAPED ?
			"ESCAPED" :
			attack_verdicts[one->verdict],
		    attack_name(a, name), attack_infos[a].tries, one->why);
	}
	print_counts(f, r);
	if (r->jobs[ATTACK_BASE][0] != '\0')
		print_jobs(f, r);
}

void
text_attack_alarm(FILE *f, const struct attack_report *r)
{
	char name[ATTACK_NAME_SIZE];

	if (attack_count(r, ATTACK_ESCAPED) == 0)
		return;
	(void)fprintf(f,
	    "agsbx: ESCAPED: a job of this policy can get out on this host; "
	    "run no untrusted code here:");
	for (enum attack a = 0; a < ATTACK__MAX; a++)
		if (r->results[a].verdict == ATTACK_ESCAPED)
			(void)fprintf(f, " %s", attack_name(a, name));
	(void)fprintf(f, "\n");
}
