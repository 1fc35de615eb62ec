/*
 * trial.h - one faulty run from its fresh directories to the verdict on it.
 * Owner: trial.c; judge.c decides.
 */
#ifndef TESTS_FAULTS_TRIAL_H
#define TESTS_FAULTS_TRIAL_H

#include <jansson.h>

#include "trace.h"

/* How a run ended, where that is right. */
enum ending {
	ENDING_HARMLESS, /* 0: the whole confinement, the whole output */
	ENDING_REFUSED,	 /* 3 */
	ENDING_ERROR,	 /* 1 */
	ENDING_JOB,	 /* 2: and the job's own end explains it */
	ENDING_UNBORN,	 /* the loader gave up before main() */
	ENDING_KILLED,	 /* agsbx itself was the victim */
	ENDING_MISSED,	 /* the fault found no call */
	ENDING_WRONG,	 /* a defect: why says which */
};
enum {
	ENDING__MAX = ENDING_WRONG + 1
};

extern const char *const ending_names[ENDING__MAX];

/* What one undisturbed run was like: the measure of all others. */
struct healthy {
	char *witness;		    /* malloced */
	json_t *confinement;	    /* of the document on stdout */
	json_t *output;		    /* stdout of the job */
	int64_t life_us[ROLE__MAX]; /* of each, stopped at none of its calls */
};

/* How many runs ended in which way. */
struct count {
	unsigned int runs;
	unsigned int endings[ENDING__MAX];
	int64_t slowest_ms;
};

struct trial {
	char *const *argv;	       /* agsbx run --json ... PROBE */
	const struct healthy *healthy; /* NULL in the undisturbed run */
	struct injection injection;
	bool is_before_main; /* the fault meets the loader of agsbx */
	bool is_recorded;
	/* Out. */
	struct trace_result run;
	json_t *document;     /* on stdout of agsbx; NULL: none */
	char *words;	      /* stderr, malloced */
	json_t *rows;	      /* of jobs --json after recover */
	json_t *recovered[2]; /* recover --json, twice */
	enum ending ending;
	char why[1024];
};

/* Makes the run and judges it: 0; -1 when it could not be made at all. */
int trial_run(struct trial *t);
void trial_free(struct trial *t);

/* The measure; -1 when that run itself is not right (said on stdout). */
int healthy_take(char *const *argv, struct healthy *h, struct call **calls,
    size_t *count);
void healthy_free(struct healthy *h);

/* snapshot.c: mounts and cgroups of the host, malloced; NULL with errno. */
char *snapshot_take(void);
/* Frees before; its line, "ok" or "FAIL", is printed. */
bool snapshot_is_same(char *before, const char *name);

/* count.c */
void count_add(struct count *c, const struct trial *t);
/* On stdout, with the newline: N runs: N ENDING, ...; slowest N ms. */
void count_print(const struct count *c);

/* judge.c: fills ending and why.  leftover names what is in the directories
 * that must not be there; NULL: nothing. */
void judge(struct trial *t, const char *leftover);

#endif
