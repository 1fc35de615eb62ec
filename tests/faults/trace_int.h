/*
 * trace_int.h - between trace.c, which follows the processes, and inject.c,
 * which changes a system call.
 */
#ifndef TESTS_FAULTS_TRACE_INT_H
#define TESTS_FAULTS_TRACE_INT_H

#include "trace.h"

enum {
	TRACEES_MAX = 64
};

struct tracee {
	pid_t pid;
	enum role role;
	int64_t born_at;
	bool is_alive;
	bool is_free;	  /* its calls are nobody's business any more */
	bool is_injected; /* the call that it is in */
	size_t record;	  /* of that call in the list, + 1 */
};

struct tracer {
	const struct trace_options *o;
	struct trace_result *r;
	struct tracee tracees[TRACEES_MAX];
	size_t count;
	size_t capacity; /* of r->calls */
	unsigned int counts[ROLE__MAX][TRACE_NR_MAX];
	int64_t started_at; /* this and what follows: monotonic us; 0: none */
	int64_t left_at;    /* the end of patience after the broker's */
	int64_t kill_at;    /* DEED_STOP's second half */
	int64_t attack_at;  /* an attack at an instant */
};

/* The first process that had that role; NULL when there was none. */
struct tracee *tracer_find_role(struct tracer *tr, enum role role);
int64_t trace_now_us(void);

/* clock.c */
/* A process of that role is born: the victim's attack has its time now. */
void clock_arm(struct tracer *tr, enum role role);
/* Does what is due. */
void clock_look(struct tracer *tr);
void clock_kill_all(const struct tracer *tr);

/* inject.c: kills or stops the victim, if it lives. */
void inject_attack(struct tracer *tr);
/* inject.c: at a system call stop of t.  0, or -1 with errno (ESRCH: t is
 * dead). */
int inject_syscall(struct tracer *tr, struct tracee *t);

#endif
