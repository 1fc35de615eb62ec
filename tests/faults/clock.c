/*
 * All that a traced run does by the clock: an attack at an instant, the second
 * half of SIGSTOP and SIGKILL, and the end of what would last forever.  Called
 * by trace.c, at least at each tick.
 */
#include <sys/prctl.h>
#include <sys/time.h>

#include <signal.h>
#include <time.h>

#include "trace_int.h"

#define TICK_US 10000	 /* a deadline is looked at that often */
#define HUNG_US 30000000 /* agsbx has hung */
#define LEFT_US 5000000	 /* after its end: something lives on */

int64_t
trace_now_us(void)
{
	struct timespec ts = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail */
	return ((int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
}

static void
on_tick(int sig)
{
	(void)sig; /* only to interrupt waitpid(2) */
}

int
trace_prepare(void)
{
	const struct sigaction act = {.sa_handler = on_tick};
	const struct itimerval every = {.it_interval.tv_usec = TICK_US,
	    .it_value.tv_usec = TICK_US};

	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == -1 ||
	    sigaction(SIGALRM, &act, NULL) == -1)
		return (-1);
	return (setitimer(ITIMER_REAL, &every, NULL));
}

void
clock_arm(struct tracer *tr, enum role role)
{
	const struct injection *in = &tr->o->injection;
	const struct itimerval in_time = {.it_interval.tv_usec = TICK_US,
	    .it_value = {in->after_us / 1000000, in->after_us % 1000000}};

	if (in->after_us == 0 || in->victim != role)
		return;
	tr->attack_at = trace_now_us() + in->after_us;
	(void)setitimer(ITIMER_REAL, &in_time, NULL); /* else a tick later */
}

void
clock_kill_all(const struct tracer *tr)
{
	for (size_t i = 0; i < tr->count; i++)
		if (tr->tracees[i].is_alive)
			(void)kill(tr->tracees[i].pid, SIGKILL);
}

void
clock_look(struct tracer *tr)
{
	const struct tracee *broker = tracer_find_role(tr, ROLE_BROKER);
	const struct tracee *victim;
	int64_t now = trace_now_us();

	if (tr->attack_at != 0 && now >= tr->attack_at) {
		tr->attack_at = 0;
		inject_attack(tr);
	}
	if (tr->kill_at != 0 && now >= tr->kill_at) {
		tr->kill_at = 0;
		victim = tracer_find_role(tr, tr->o->injection.victim);
		if (victim->is_alive)
			(void)kill(victim->pid, SIGKILL);
	}
	if (broker != NULL && !broker->is_alive && tr->left_at == 0)
		tr->left_at = now + LEFT_US;
	if (tr->left_at != 0 && now >= tr->left_at) {
		tr->r->left_process = true;
		clock_kill_all(tr);
	} else if (tr->left_at == 0 && now - tr->started_at >= HUNG_US) {
		tr->r->has_hung = true;
		clock_kill_all(tr);
	}
}
