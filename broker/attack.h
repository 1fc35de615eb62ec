/*
 * attack.h - agsbx doctor --attack: attempts to get out of jobs that are made
 * as every job is, under the caller's policy.  Owners: attack.c (who runs
 * them), attack_job.c (one job), attack_scene.c (what of the host is attacked),
 * attack_answer.c and attack_judge.c (what came of it); attacks.def.
 *
 * Each job is a broker of its own, a child of doctor: it has a row, confines
 * itself and settles as run does.  Nothing is ever tried outside of a job.
 */
#ifndef BROKER_ATTACK_H
#define BROKER_ATTACK_H

#include <sys/types.h>

#include "session.h"

/* The jobs, in their order.  What is tried by the job's first process, as the
 * child of init, is tried in the first of them. */
enum attack_batch {
	ATTACK_BASE,
	ATTACK_INIT, /* a part of BASE, and no job of its own */
	ATTACK_LIMITS,
	ATTACK_MEMORY,
	ATTACK_OUTPUT,
	ATTACK_CPU,
	ATTACK_WALL,
	ATTACK_BATCH__MAX
};

enum attack_witness {
	ATTACK_WORD,	 /* agsbx-attack says that it did it */
	ATTACK_TEXT,	 /* its output has what only the host has */
	ATTACK_LINE,	 /* its output is the line that only the host has */
	ATTACK_UPTIME,	 /* its output is how long the host has been up */
	ATTACK_PLANTED,	 /* the file is there */
	ATTACK_VICTIM,	 /* our own child is stopped */
	ATTACK_TCP,	 /* a connection came */
	ATTACK_ABSTRACT, /* the same */
	ATTACK_FLOOD,	 /* so many bytes came */
};

#define ATTACK_WORDS_MAX 3

struct attack_info {
	const char *name;
	enum control control;
	enum attack_batch batch;
	enum attack_witness witness;
	const char *wants; /* NULL: nothing */
	const char *tries;
	const char *words[ATTACK_WORDS_MAX];
};

enum attack {
#define ATTACK(name, ...) ATTACK_##name,
#include "attacks.def"
#undef ATTACK
	ATTACK__MAX
};
extern const struct attack_info attack_infos[ATTACK__MAX];

enum attack_verdict {
	ATTACK_SKIPPED,	   /* why: what this host or policy lacks */
	ATTACK_CONTAINED,  /* why: what refused it */
	ATTACK_OFF,	   /* it succeeded, and the policy asks for it */
	ATTACK_OPEN,	   /* it succeeded, and the control is waived */
	ATTACK_ESCAPED,	   /* it succeeded */
	ATTACK_UNANSWERED, /* nothing can be said: a fault of ours */
	ATTACK_VERDICT__MAX
};
extern const char *const attack_verdicts[ATTACK_VERDICT__MAX];

struct attack_result {
	enum attack_verdict verdict;
	char why[80];
};

struct attack_report {
	struct attack_result results[ATTACK__MAX];
	char jobs[ATTACK_BATCH__MAX][JOB_ID_SIZE]; /* "": there was none */
	char tenant[TENANT_BYTES_MAX + 1];
	bool is_refused; /* no job can run here */
};

#define ATTACK_NAME_SIZE 32
/* As people and documents have it, with hyphens; returns buf. */
const char *attack_name(enum attack a, char buf[ATTACK_NAME_SIZE]);
/* The job that tries it. */
enum attack_batch attack_job(enum attack a);
unsigned int
attack_count(const struct attack_report *r, enum attack_verdict verdict);

/* ---- attack.c ---- */
/*
 * All of them, from a session whose policy is loaded and that has been entered.
 * 0, the signal to end by, or -1 with d.
 */
int attack_all(struct session *s, struct attack_report *out, struct diag *d);

/* ---- attack_scene.c ---- */
struct attack_scene {
	char *state_dir;
	char *planted; /* a file that does not exist */
	char token[32];
	int tcp;
	int abstract;
	unsigned int port;
	int leaked;
	pid_t victim;
	char hostname[65];
	char boot_id[37];
	char cgroup[256]; /* "": the root of all */
	long up_s;
	unsigned long long inode; /* of state_dir, once it is there */
};
/* Made before the job's broker drops root or confines itself.  0, or -1. */
int attack_scene_open(struct attack_scene *sc, const struct session *s,
    struct diag *d);
void attack_scene_close(struct attack_scene *sc);
/* Why it cannot be shown here, or NULL. */
const char *attack_scene_lacks(const struct attack_scene *sc, enum attack a);
/* A word of attacks.def, malloced; NULL: out of memory. */
char *attack_scene_expand(const struct attack_scene *sc, const char *word);

/* ---- attack_job.c ---- */
/* What the job's broker tells doctor. */
struct attack_told {
	enum {
		ATTACK_JOB_FAILED, /* d */
		ATTACK_JOB_ENDED,
		ATTACK_JOB_REFUSED,
		ATTACK_JOB_INTERRUPTED
	} end;
	int signal;
	char id[JOB_ID_SIZE];
	char tenant[TENANT_BYTES_MAX + 1];
	struct diag d;
	struct attack_result results[ATTACK__MAX];
};
/* The child: never returns.  program: agsbx-attack; out: takes its words. */
_Noreturn void attack_job_run(struct session *s, enum attack_batch batch,
    int program, int out);

/* ---- attack_answer.c ---- */
#define ATTACK_OUTPUT_MAX 1024 /* as agsbx-attack cuts it */
/* What agsbx-attack says of one attempt. */
struct attack_answer {
	bool is_there;
	bool has_done_it;
	bool is_absent; /* this kernel has no such thing */
	int err;	/* the errno that refused it; 0: none */
	int signal;	/* that ended it; 0: none */
	char output[ATTACK_OUTPUT_MAX + 1];
};
/* From text, which may be NULL; name: of the attempt. */
void
attack_read_answer(const char *text, const char *name, struct attack_answer *a);

/* ---- attack_judge.c ---- */
struct attack_trial {
	enum attack_batch batch;
	struct attack_scene scene;
	struct attack_told *told;
};
/* For session.h's judge: results, and the row's detail. */
int attack_judge(struct session *s);

#endif
