/*
 * witness_leaf.c - the witnesses that look at the probe's cgroup while it
 * holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static long long
number_of(const struct trial *t, const char *name)
{
	char text[64];

	return (leaf_read_of(t->probe, name, text, sizeof(text)) > 0 ?
		strtoll(text, NULL, 10) :
		0);
}

static bool
judge_charged(struct trial *t)
{
	return (number_of(t, "memory.current") +
		number_of(t, "memory.swap.current") >=
	    strtoll(t->attempt->wants, NULL, 10));
}

/* .wants: "FILE TEXT" */
static bool
judge_leaf(struct trial *t)
{
	char name[64], text[64];
	size_t len = strcspn(t->attempt->wants, " ");

	(void)snprintf(name, sizeof(name), "%.*s", (int)len, t->attempt->wants);
	if (leaf_read_of(t->probe, name, text, sizeof(text)) <= 0)
		return (false);
	text[strcspn(text, "\n")] = '\0';
	return (strcmp(text, t->attempt->wants + len + 1) == 0);
}

static int
prepare_left(struct trial *t)
{
	return (leaf_make(t, t->token));
}

static bool
judge_left(struct trial *t)
{
	return (leaf_is(t->probe, t->token));
}

static bool
judge_alive(struct trial *t)
{
	return (t->probe != 0);
}

WITNESS(charged, NULL, judge_charged, true, "memory.current of its cgroup");
WITNESS(leaf, NULL, judge_leaf, true, "a file of its cgroup");
WITNESS(left, prepare_left, judge_left, true, "/proc/PROBE/cgroup");
WITNESS(alive, NULL, judge_alive, true, "that it holds");
