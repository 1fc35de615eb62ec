/*
 * attack.h - what the probes share.  Owner: attack.c.
 *
 * A probe does one thing that a job must not be able to do.  It knows nothing
 * of the sandbox, and is the same program naked and inside.  It returns 0 when
 * it did it, DONE_NOT_HERE when this kernel has no such thing, else the errno
 * that refused it.
 */
#ifndef TESTS_ATTACK_H
#define TESTS_ATTACK_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#define DONE_NOT_HERE (-1)
#define ATTACK_ESCAPED 10  /* exit status: it did it */
#define ATTACK_NOT_HERE 11 /* this host has no such thing */

typedef int attack_fn(char *const *args);
#define ATTEMPT(name, ...) attack_fn attempt_##name;
#include "catalogue.def"
#undef ATTEMPT

/* By the name without "attempt_"; NULL: none. */
attack_fn *attack_find(const char *name);
/* attack_batch.c: the exit status. */
int attack_batch(char **words);

/* "holding", then waits until the runner has looked: always 0. */
int hold(void);
/* 0 when r is not -1, else errno. */
int errno_of(long r);
/* hold(), when r is not -1. */
int hold_if(long r);
/* A whole attempt of one expression; HOLDS: what it made is looked at. */
#define TRIES(name, r) \
	int attempt_##name(char *const *args) \
	{ \
		(void)args; \
		return (errno_of(r)); \
	}
#define HOLDS(name, r) \
	int attempt_##name(char *const *args) \
	{ \
		(void)args; \
		return (hold_if(r)); \
	}
/* The file's bytes to stdout. */
int show_file(const char *path);
int show_file_at(int dir, const char *path);
/* Makes path with one byte in it. */
int plant_file(const char *path);
/* Ends and waits for it; never fails. */
void end_child(pid_t pid);

#endif
