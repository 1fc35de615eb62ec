/*
 * Sums of runs by how they ended.  Called by calls_main.c and kills_main.c.
 */
#include <stdio.h>

#include "trial.h"

void
count_add(struct count *c, const struct trial *t)
{
	c->runs++;
	c->endings[t->ending]++;
	if (t->run.ms > c->slowest_ms)
		c->slowest_ms = t->run.ms;
}

void
count_print(const struct count *c)
{
	const char *sep = " ";

	(void)printf("%u runs:", c->runs);
	for (unsigned int i = 0; i < ENDING__MAX; i++) {
		if (c->endings[i] == 0)
			continue;
		(void)printf("%s%u %s", sep, c->endings[i], ending_names[i]);
		sep = ", ";
	}
	(void)printf("; slowest %lld ms\n", (long long)c->slowest_ms);
}
