/*
 * attack_job.c - one job of doctor --attack, from its limits to the settled
 * row: run's own sequence, in a process that ends with it.  Tells doctor what
 * came of it, through a pipe.  Called by attack.c, in the child.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"
#include "io.h"
#include "signals.h"

#define PROGRAM "agsbx-attack"
#define ARGV_MAX (2 + ATTACK__MAX * (1 + ATTACK_WORDS_MAX))

/* What a job of so few attempts needs; a policy that gives less stays. */
static const struct lowered {
	enum attack_batch batch;
	enum limit limit;
	uint64_t value;
} lowered[] = {
    {ATTACK_BASE, LIMIT_WALL, 20000},
    {ATTACK_LIMITS, LIMIT_WALL, 20000},
    {ATTACK_LIMITS, LIMIT_MAX_PROCS, 32},
    {ATTACK_LIMITS, LIMIT_NOFILE, 64},
    {ATTACK_LIMITS, LIMIT_SCRATCH, 4U << 20},
    {ATTACK_LIMITS, LIMIT_MAX_FILE, 1U << 20},
    {ATTACK_MEMORY, LIMIT_WALL, 20000},
    {ATTACK_MEMORY, LIMIT_MEMORY, 64U << 20},
    {ATTACK_OUTPUT, LIMIT_WALL, 20000},
    {ATTACK_OUTPUT, LIMIT_MAX_OUTPUT, 1U << 20},
    {ATTACK_CPU, LIMIT_WALL, 20000},
    {ATTACK_CPU, LIMIT_CPU, 1000},
    {ATTACK_WALL, LIMIT_WALL, 1000},
};

static const char *const notes[ATTACK_BATCH__MAX] = {
    [ATTACK_BASE] = "doctor --attack: the policy",
    [ATTACK_LIMITS] = "doctor --attack: limits",
    [ATTACK_MEMORY] = "doctor --attack: memory",
    [ATTACK_OUTPUT] = "doctor --attack: output",
    [ATTACK_CPU] = "doctor --attack: CPU time",
    [ATTACK_WALL] = "doctor --attack: wall clock",
};

static void
lower_limits(struct policy *p, enum attack_batch batch)
{
	for (size_t i = 0; i < sizeof(lowered) / sizeof(lowered[0]); i++) {
		const struct lowered *l = &lowered[i];

		if (l->batch != batch ||
		    (p->limits[l->limit] != 0 &&
			p->limits[l->limit] <= l->value))
			continue;
		p->limits[l->limit] = l->value;
		p->limit_origins[l->limit] =
		    (struct origin){.flag = "--attack"};
	}
}

/* The words of one attempt: "+" or, tried by the first process, "=" and its
 * name, then its arguments. */
static int
add_attempt(const struct attack_scene *sc, enum attack a, const char **argv,
    size_t *n)
{
	const struct attack_info *info = &attack_infos[a];
	char *word;

	if (asprintf(&word, "%c%s", info->batch == ATTACK_INIT ? '=' : '+',
		info->name) == -1)
		return (-1);
	argv[(*n)++] = word;
	for (size_t i = 0; i < ATTACK_WORDS_MAX; i++) {
		if (info->words[i] == NULL)
			break;
		word = attack_scene_expand(sc, info->words[i]);
		if (word == NULL)
			return (-1);
		argv[(*n)++] = word;
	}
	return (0);
}

/* A flood goes to stdout itself, all else to the program's own pipe. */
static int
resolve(struct session *s, const struct attack_trial *t, int program,
    struct diag *d)
{
	static const char *flood[] = {"rs_stdout_flood", PROGRAM, NULL};
	static const char *argv[ARGV_MAX + 1];
	const char *const *args = argv;
	size_t n = 0;

	argv[n++] = "batch";
	for (enum attack a = 0; a < ATTACK__MAX; a++) {
		if (attack_job(a) != t->batch ||
		    attack_scene_lacks(&t->scene, a) != NULL)
			continue;
		if (add_attempt(&t->scene, a, argv, &n) == -1)
			return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	}
	argv[n] = NULL;
	if (t->batch == ATTACK_OUTPUT)
		args = flood;
	return (command_resolve(&s->command, FORM_FILE, PROGRAM, args, NULL,
	    program, d));
}

/* Its output is kept and looked at; only a flood must be able to end it. */
static int
prepare_streams(struct session *s, enum attack_batch batch, struct diag *d)
{
	bool is_live = batch == ATTACK_OUTPUT;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null == -1 || dup2(null, STDOUT_FILENO) == -1 ||
	    dup2(null, STDERR_FILENO) == -1)
		return (diag_set(d, DIAG_INTERNAL, "/dev/null: %s",
		    strerror(errno)));
	io_close(&null);
	s->opts.no_stdin = true;
	s->cli->json_fd = is_live ? -1 : STDOUT_FILENO;
	s->policy->keep_json = !is_live;
	return (0);
}

static int
run(struct session *s, struct attack_trial *t, int program, struct diag *d)
{
	if (prepare_streams(s, t->batch, d) == -1 ||
	    attack_scene_open(&t->scene, s, d) == -1 ||
	    resolve(s, t, program, d) == -1)
		return (-1);
	s->opts.note = notes[t->batch];
	s->has_row = true;
	s->judge = attack_judge;
	s->judge_arg = t;
	policy_use_tenant(s->policy,
	    s->opts.tenant != NULL ? s->opts.tenant : s->job.tenant);
	lower_limits(s->policy, t->batch);
	if (session_prepare(s, d) == -1 || session_admit(s, d) == -1 ||
	    session_run(s) == -1)
		return (-1);
	return (0);
}

/* What the row says, for doctor. */
static void
tell_end(const struct session *s, struct attack_told *told)
{
	const struct job *j = &s->job;

	(void)strlcpy(told->id, j->id, sizeof(told->id));
	(void)strlcpy(told->tenant, j->tenant, sizeof(told->tenant));
	if (s->reraise != 0) {
		told->end = ATTACK_JOB_INTERRUPTED;
		told->signal = s->reraise;
	} else if (j->state == JOB_ERROR || j->reason == REASON_EXEC) {
		(void)diag_set(&told->d, DIAG_INTERNAL, "job %s: %s", j->id,
		    j->detail != NULL ? j->detail : "out of memory");
	} else {
		told->end = j->state == JOB_REFUSED ? ATTACK_JOB_REFUSED :
						      ATTACK_JOB_ENDED;
	}
}

_Noreturn void
attack_job_run(struct session *s, enum attack_batch batch, int program, int out)
{
	static struct attack_told told;
	static struct attack_trial trial;
	int rc;

	trial = (struct attack_trial){.batch = batch, .told = &told};
	if (run(s, &trial, program, &s->d) == -1)
		told.d = s->d;
	else
		tell_end(s, &told);
	attack_scene_close(&trial.scene);
	ledger_close(s->ledger);
	rc = io_write_all(out, &told, sizeof(told));
	_exit(rc == 0 ? EXIT_OK : EXIT_ERROR);
}
