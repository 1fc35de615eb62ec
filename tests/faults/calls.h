/*
 * calls.h - which system calls may fail, and how.  Owner: calls.c.
 */
#ifndef TESTS_FAULTS_CALLS_H
#define TESTS_FAULTS_CALLS_H

#include <stdbool.h>

/* How one call is made to fail; the errno, or one of these two. */
enum {
	FAULT_SHORT = -1, /* it is asked for, or answers, half */
	FAULT_NONE = 0,
};

/* What a call is to the injector; bits. */
enum {
	CALL_ANY = 1 << 0,  /* what a filter, an LSM or any kernel may answer */
	CALL_FD = 1 << 1,   /* it makes a descriptor */
	CALL_PATH = 1 << 2, /* it looks at a path or an object with a mode */
	CALL_SPACE = 1 << 3, /* it writes or makes something */
	CALL_WAIT = 1 << 4,  /* it may wait */
	CALL_LESS = 1 << 5,  /* its third argument is a count */
	CALL_CUT = 1 << 6,   /* its result is a count of its own making */
	CALL_DONE = 1 << 7,  /* it takes place all the same: close(2) */
	CALL_NEVER = 1 << 8, /* it cannot fail, by its nature */
	/* Only where another process was slow: the next run may lack it. */
	CALL_CHANCE = 1 << 9,
};

/* The bits of a call; 0: the table does not know it. */
unsigned int call_kind(int nr);
/* Its name; static. */
const char *call_name(int nr);

/* The number of faults there are, and each of them: an errno or FAULT_SHORT. */
enum {
	FAULT_COUNT = 11
};
int fault_at_index(unsigned int index);
/* Whether a call of these bits can fail that way. */
bool fault_is_plausible(unsigned int kind, int fault);
/* The errno's name, or "short"; static. */
const char *fault_name(int fault);

#endif
