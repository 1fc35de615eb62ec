/*
 * kills: SIGKILL, and SIGSTOP then SIGKILL, of broker, launcher and init: at
 * system calls of each role in turn, and at random instants.
 *
 *	kills steps|every INSTANTS AGSBX run --json OPTION... PROBE
 *
 * steps: at every call that sends, waits for, begins or ends something, which
 * is where the protocol goes from state to state; every: at every call.  Each
 * line that begins with "ok" or "FAIL" is a test, as tests/lib.sh prints them.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "trial.h"

enum {
	INSTANTS_MAX = 100000
};

struct campaign {
	char *const *argv;
	struct healthy healthy;
	struct call *calls;
	size_t call_count;
	bool is_every;
	struct count total;
	bool has_failed;
};

static const char *const deed_names[] = {
    [DEED_KILL] = "SIGKILL",
    [DEED_STOP] = "SIGSTOP, SIGKILL",
};

static int
try_kill(struct campaign *c, struct count *count, const struct injection *in)
{
	struct trial t = {.argv = c->argv,
	    .healthy = &c->healthy,
	    .injection = *in};

	if (trial_run(&t) == -1) {
		(void)printf("FAIL kill: the run could not be made: %s\n",
		    strerror(errno));
		trial_free(&t);
		return (-1);
	}
	if (t.ending == ENDING_WRONG)
		(void)printf("  %s of %s at %s %s #%u, %d us: %s\n    %s\n",
		    deed_names[in->deed], role_names[in->victim],
		    role_names[in->role], call_name(in->nr), in->occurrence,
		    in->after_us, t.why, t.words);
	count_add(count, &t);
	count_add(&c->total, &t);
	trial_free(&t);
	return (0);
}

static void
say(struct campaign *c, const struct count *count, bool is_right,
    const char *where, const struct injection *in)
{
	is_right = is_right && count->endings[ENDING_WRONG] == 0 &&
	    count->endings[ENDING_MISSED] < count->runs;
	if (!is_right)
		c->has_failed = true;
	(void)printf("%s %s of %s %s: ", is_right ? "ok" : "FAIL",
	    deed_names[in->deed], role_names[in->victim], where);
	count_print(count);
	(void)fflush(stdout);
}

static bool
is_step(int nr)
{
	static const int steps[] = {SYS_sendmsg, SYS_recvmsg, SYS_sendto,
	    SYS_poll, SYS_clone, SYS_clone3, SYS_execve, SYS_execveat,
	    SYS_waitid, SYS_wait4, SYS_pivot_root, SYS_unshare, SYS_fdatasync,
	    SYS_exit_group};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] == nr)
			return (true);
	return (false);
}

/* As the role in.role makes its calls, somebody dies. */
static void
kill_at_calls(struct campaign *c, struct injection in)
{
	struct count count = {.runs = 0};
	bool is_right = true;
	char where[64];

	for (size_t i = 0; i < c->call_count && is_right; i++) {
		const struct call *call = &c->calls[i];

		if (call->role != in.role ||
		    (!c->is_every && !is_step(call->nr)))
			continue;
		in.nr = call->nr;
		in.occurrence = call->occurrence;
		is_right = try_kill(c, &count, &in) == 0;
	}
	(void)snprintf(where, sizeof(where), "at a call of %s",
	    role_names[in.role]);
	say(c, &count, is_right, where, &in);
}

/* Within the time that the victim lives when nobody stops it at its calls; one
 * that came after its end is no kill, and another is made: on a busy host lives
 * differ so much that most may be late. */
static void
kill_at_instants(struct campaign *c, struct injection in, unsigned int count)
{
	struct count done = {.runs = 0};
	bool is_right = true;
	int span_us = (int)c->healthy.life_us[in.victim];

	while (is_right && done.runs < 20 * count &&
	    done.runs - done.endings[ENDING_MISSED] < count) {
		in.after_us = 1 + (int)(random() % span_us);
		is_right = try_kill(c, &done, &in) == 0;
	}
	say(c, &done,
	    is_right && done.runs - done.endings[ENDING_MISSED] == count,
	    "at random instants", &in);
}

static void
kill_all(struct campaign *c, unsigned int instants)
{
	for (int deed = DEED_KILL; deed <= DEED_STOP; deed++) {
		for (int who = ROLE_BROKER; who <= ROLE_INIT; who++) {
			struct injection in = {.deed = (enum deed)deed,
			    .victim = (enum role)who};

			for (int at = who; at <= ROLE_JOB; at++) {
				in.role = (enum role)at;
				kill_at_calls(c, in);
			}
			kill_at_instants(c, in, (instants + 5) / 6);
		}
	}
}

/* A positive number, or 0. */
static unsigned int
number(const char *text, unsigned long max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	return (*end == '\0' && n <= max ? (unsigned int)n : 0);
}

int
main(int argc, char **argv)
{
	struct campaign c = {.has_failed = false};
	char *before;
	unsigned int instants = argc > 4 ? number(argv[2], INSTANTS_MAX) : 0;

	if (instants == 0) {
		(void)fprintf(stderr,
		    "usage: kills steps|every INSTANTS AGSBX run ARG...\n");
		return (2);
	}
	c.is_every = strcmp(argv[1], "every") == 0;
	c.argv = argv + 3;
	before = snapshot_take();
	if (trace_prepare() == -1 ||
	    healthy_take(c.argv, &c.healthy, &c.calls, &c.call_count) == -1)
		return (1);
	kill_all(&c, instants);
	(void)printf("NOTE kills: ");
	count_print(&c.total);
	free(c.calls);
	healthy_free(&c.healthy);
	if (!snapshot_is_same(before, "kills"))
		c.has_failed = true;
	return (c.has_failed ? 1 : 0);
}
