/*
 * trial.h - one run of one attempt, naked or sandboxed.  Owner: run_trial.c.
 */
#ifndef TESTS_TRIAL_H
#define TESTS_TRIAL_H

#include <sys/types.h>

#include <jansson.h>

#include "attempt.h"

#define TRIAL_OUTPUT (64U * 1024)

struct trial {
	const struct attempt *attempt;
	bool is_naked;
	unsigned int without; /* bit i: layer i is left out */
	const char *variant;  /* one of the attempt's, or NULL */
	char dir[64];
	char token[40];
	char comm[16];	   /* the name that the probe gives itself */
	pid_t victim;	   /* a process of the host; 0: none */
	int listener;	   /* a socket of the host; -1: none */
	unsigned int port; /* of a TCP listener */
	int tty;	   /* the master of the caller's terminal; -1: none */
	long burned_ms;	   /* before the trial */
	long before;	   /* a number of the host's, before the trial */
	int shm;	   /* a System V segment; -1: none */
	/* what came of it */
	pid_t probe;	/* its pid as the host has it, while it holds */
	int status;	/* wait status of agsbx, or of the naked probe */
	int job_status; /* the job's exit status, -1: none */
	int answer;
	bool has_answer;
	bool is_late; /* it had to be ended */
	bool has_escaped;
	char output[TRIAL_OUTPUT]; /* stdout */
	size_t output_len;
	size_t output_seen; /* all that came, kept or not */
	char errors[4096];
	json_t *doc; /* agsbx.job/1 or agsbx.error/1; NULL: none */
};

/* Where the programs are, and what agsbx says of the host. */
struct setup {
	const char *build;   /* directory */
	char work[48];	     /* of this worker, where its trials are */
	char waivers[256];   /* "memory,landlock" or empty */
	const char *version; /* of agsbx */
	int landlock_abi;    /* -1: none */
	char leaves[256];    /* the cgroup above our own; empty: not ours */
	bool is_verbose;
};
extern struct setup setup;

/* Runs it and fills in what came of it.  0, or -1: the harness failed, and
 * errors says why. */
int trial_run(struct trial *t, const struct attempt *a, bool is_naked,
    unsigned int without, const char *variant);
void trial_end(struct trial *t); /* removes and frees what it left */

/* A word of the catalogue as text, in buf. */
const char *
trial_expand(const struct trial *t, const char *word, char *buf, size_t size);
/* "EACCES", "plan filter: never", "SIGSYS", "wall", ... */
const char *answer_text(int answer, char buf[64]);

#endif
