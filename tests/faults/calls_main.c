/*
 * calls: makes every system call of one role fail, each once, and counts how
 * that ended.
 *
 *	calls ROLE each|every AGSBX run --json OPTION... PROBE
 *
 * each: every system call number with every fault, the calls of one number
 * sharing its faults; every: each single call with every fault.  One line
 * "ok" or "FAIL" for each system call number, as tests/lib.sh prints.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "trial.h"

struct campaign {
	char *const *argv;
	enum role role;
	bool is_every;
	struct healthy healthy;
	struct call *calls;
	size_t call_count;
	unsigned int per_nr[TRACE_NR_MAX]; /* of the role */
	unsigned int unborn[TRACE_NR_MAX]; /* those that come before main() */
	struct count total;
	bool has_failed;
};

/* One run; its line when it is a defect. */
static int
try_fault(struct campaign *c, struct count *count, int nr,
    unsigned int occurrence, int fault)
{
	struct trial t = {.argv = c->argv,
	    .healthy = &c->healthy,
	    .is_before_main = occurrence < c->unborn[nr],
	    .injection = {.deed = DEED_FAULT,
		.role = c->role,
		.nr = nr,
		.occurrence = occurrence,
		.fault = fault}};

	if (trial_run(&t) == -1) {
		(void)printf("FAIL %s %s: the run could not be made: %s\n",
		    role_names[c->role], call_name(nr), strerror(errno));
		trial_free(&t);
		return (-1);
	}
	if (t.ending == ENDING_WRONG)
		(void)printf("  %s %s #%u %s: %s\n    %s\n",
		    role_names[c->role], call_name(nr), occurrence,
		    fault_name(fault), t.why, t.words);
	count_add(count, &t);
	count_add(&c->total, &t);
	trial_free(&t);
	return (0);
}

/* All faults of one number; which of its calls has which is spread. */
static int
try_number(struct campaign *c, int nr, struct count *count)
{
	unsigned int calls = c->per_nr[nr], first, last;
	unsigned int kind = call_kind(nr);

	for (unsigned int i = 0; i < FAULT_COUNT; i++) {
		int fault = fault_at_index(i);

		if (!fault_is_plausible(kind, fault))
			continue;
		first = c->is_every ? 0 : i * calls / FAULT_COUNT;
		last = c->is_every ? calls - 1 : first;
		for (unsigned int k = first; k <= last; k++)
			if (try_fault(c, count, nr, k, fault) == -1)
				return (-1);
	}
	return (0);
}

/* What the faults of one number came to, as the line's first word. */
static const char *
word_for(const struct count *count, bool is_tried, unsigned int kind)
{
	if (!is_tried || count->endings[ENDING_WRONG] != 0)
		return ("FAIL");
	if (count->runs == 0 || count->endings[ENDING_MISSED] < count->runs)
		return ("ok");
	return ((kind & CALL_CHANCE) != 0 ? "SKIP" : "FAIL");
}

static void
run_number(struct campaign *c, int nr)
{
	struct count count = {.runs = 0};
	const char *word, *name = role_names[c->role];
	unsigned int kind = call_kind(nr);

	if (kind == 0) {
		(void)printf("FAIL %s: system call %d is not in calls.c\n",
		    name, nr);
		c->has_failed = true;
		return;
	}
	word = word_for(&count, try_number(c, nr, &count) == 0, kind);
	if (strcmp(word, "SKIP") == 0)
		(void)printf("SKIP %s %s: not made again, it depends on the "
			     "speed of others: ",
		    name, call_name(nr));
	else
		(void)printf("%s %s %s: %u calls, ", word, name, call_name(nr),
		    c->per_nr[nr]);
	count_print(&count);
	(void)fflush(stdout);
	c->has_failed = c->has_failed || strcmp(word, "FAIL") == 0;
}

/* The loader's last call unmaps its cache of library names. */
static void
count_calls(struct campaign *c)
{
	bool is_born = c->role != ROLE_BROKER;

	for (size_t i = 0; i < c->call_count; i++) {
		const struct call *call = &c->calls[i];

		if (call->role != c->role)
			continue;
		c->per_nr[call->nr]++;
		if (!is_born)
			c->unborn[call->nr]++;
		if (call->nr == SYS_munmap)
			is_born = true;
	}
}

static unsigned int
count_role(const struct campaign *c)
{
	unsigned int sum = 0;

	for (int nr = 0; nr < TRACE_NR_MAX; nr++)
		sum += c->per_nr[nr];
	return (sum);
}

static int
role_find(const char *name)
{
	for (int role = 0; role < ROLE_OTHER; role++)
		if (strcmp(role_names[role], name) == 0)
			return (role);
	return (-1);
}

int
main(int argc, char **argv)
{
	struct campaign c = {.has_failed = false};
	char *before;
	int role = argc > 4 ? role_find(argv[1]) : -1;

	if (role == -1) {
		(void)fprintf(stderr,
		    "usage: calls ROLE each|every AGSBX run ARG...\n");
		return (2);
	}
	c.role = (enum role)role;
	c.is_every = strcmp(argv[2], "every") == 0;
	c.argv = argv + 3;
	before = snapshot_take();
	if (trace_prepare() == -1 ||
	    healthy_take(c.argv, &c.healthy, &c.calls, &c.call_count) == -1)
		return (1);
	count_calls(&c);
	for (int nr = 0; nr < TRACE_NR_MAX; nr++)
		if (c.per_nr[nr] != 0)
			run_number(&c, nr);
	(void)printf("NOTE %s, %u calls: ", role_names[c.role], count_role(&c));
	count_print(&c.total);
	free(c.calls);
	healthy_free(&c.healthy);
	if (!snapshot_is_same(before, role_names[c.role]))
		c.has_failed = true;
	return (c.has_failed ? 1 : 0);
}
