/*
 * attempt.h - one row of the catalogue, and what came of one trial of it.
 *
 * An attempt is tried naked (as the same uid, no sandbox), with everything
 * held, and with each subset of its cut set left out.  Whether it escaped is
 * decided by a witness outside of the job; which layer refused it, by the
 * errno, signal or verdict that only this layer gives.
 */
#ifndef TESTS_ATTEMPT_H
#define TESTS_ATTEMPT_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ablate.h"
#include "control.h"

#define ATTEMPT_LAYERS 6
#define ATTEMPT_ARGS 8

/* What a layer answers with: an errno (or a sentinel), or one of these. */
#define ANSWER_SIGNAL(sig) (10000 + (sig))
#define ANSWER_NO_LAUNCH 20000 /* and the control that was the reason */
#define ANSWER_LAUNCH(id) (ANSWER_NO_LAUNCH + (int)CTL_##id)
#define ANSWER_ENDED(reason) (30000 + ENDED_##reason)
#define ANSWER_VIOLATION 39997 /* agsbx: the launcher broke the protocol */
#define ANSWER_NOTICED 39998   /* agsbx, audit, recover: it was found out */
#define ANSWER_POLICY 39999    /* agsbx itself says that it may not be asked */
#define ANSWER_NOTHING 40000   /* it went on, and nothing came of it */

/* Verdicts of the broker that are the answer of a layer. */
enum ended {
	ENDED_WALL,
	ENDED_CPU,
	ENDED_MEMORY,
	ENDED_PROCESSES,
	ENDED_OUTPUT,
	ENDED_EXEC,
	ENDED__MAX
};

/* In the order in which the kernel asks them: the first that is not ablated
 * answers. */
struct layer {
	enum ablation ablation;
	int answer;
};

struct trial;
/* Before the trial: what the witness will look at; 0, or -1 with errno. */
typedef int witness_prepare(struct trial *t);
/* While the job holds (.is_held) or after its end: did it escape? */
typedef bool witness_judge(struct trial *t);

struct witness {
	const char *what; /* for the report */
	witness_prepare *prepare;
	witness_judge *judge;
	bool is_held; /* judged while the probe waits: see attack.h hold() */
};

/* Why a host cannot show an attempt, or NULL. */
typedef const char *host_need(void);

struct attempt {
	const char *id;
	enum control control; /* CTL__MAX: none, a guard of the broker */
	const char *tries;
	const struct witness *witness;
	struct layer layers[ATTEMPT_LAYERS];
	size_t layer_count;
	/* Words of trial.h's expand(): paths, tokens, numbers of the trial. */
	const char *args[ATTEMPT_ARGS];	   /* of the probe */
	const char *options[ATTEMPT_ARGS]; /* of agsbx run */
	const char *env[ATTEMPT_ARGS]; /* of agsbx, and of the naked probe */
	const char *naked_env[ATTEMPT_ARGS]; /* of the naked probe alone */
	const char *wants; /* what the witness looks for, where it asks */
	host_need *needs;  /* NULL: every host */
	/* Everything is done with each of these as %v; ends with NULL. */
	const char *const *const *variants;
	int landlock_abi;     /* the first of which the layer ll.fs is here */
	unsigned int rounds;  /* 0: one */
	unsigned int limit_s; /* 0: 20 */
	const char *skipped;  /* why it is not tried at all, or NULL */
	bool is_drill;	      /* drill.sh, in place of a job with the probe */
	bool has_naked;	      /* of a drill: there is something without agsbx */
	bool leaks_fd;	      /* descriptor 9 is the host's root directory */
	bool has_key;	      /* the caller's session keyring holds %t */
	bool is_naked_root;   /* naked as root of a user namespace of its own,
				where %d/shown is a read-only bind */
	bool has_leaf;	      /* naked in a cgroup of its own */
	const char *leaf_memory; /* with this memory.max */
	bool has_tty;		 /* a terminal controls the caller */
	bool leaks_tty;		 /* and descriptor 9 is this terminal */
	bool logs_stdout;	 /* stdout is a file of the host, t->listener */
	bool is_careless;	 /* the caller: umask 0, SIGUSR1 ignored */
	bool is_residual; /* it gets out, and no layer is there to refuse */
};

extern const struct attempt attempts[];
extern const size_t attempt_count;

#endif
