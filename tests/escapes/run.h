/*
 * run.h - what the files of the runner share.
 */
#ifndef TESTS_RUN_H
#define TESTS_RUN_H

#include "trial.h"
#include "witness.h"

/* run_dir.c: the trial's directory, secret and terminal, what its witness
 * looks at; 0, or -1 with errno.  tty: where a terminal is, or "". */
int trial_prepare(struct trial *t, char *tty, size_t size);
/* The lowest process that gave itself this name; 0: none. */
pid_t find_comm(const char *comm);
/* What any process may become that nothing confines: root of a user namespace
 * of its own, where %d/shown is a read-only bind, and /etc and /dev are its own;
 * 0, or -1 with errno. */
int become_root(const struct trial *t);
int copy_file(const char *from, const char *to);
int write_file(const char *dir, const char *name, const char *text);
long read_file(const char *dir, const char *name, char *buf, size_t size);

/* run_clean.c: the tree is gone afterwards, or its rest cannot be removed; all
 * children are, and what they left, but these. */
void remove_tree(const char *path);
void end_children(const pid_t *but, size_t count);

/* run_spawn.c: becomes what is tried.  theirs: stdin, stdout, stderr and where
 * the document goes. */
_Noreturn void
trial_exec(const struct trial *t, const int *theirs, const char *tty);

/* run_answer.c: who refused it, from the document, the status and the probe's
 * last line; 0, or -1 when that makes no sense. */
int trial_answer(struct trial *t);

/* run_leaf.c: cgroups by name, beside our own.  leaf_find() once, before all
 * others; 0 or the length, or -1 with errno. */
void leaf_find(void);
int leaf_make(struct trial *t, const char *name);
int leaf_enter(const char *name); /* the caller */
void leaf_remove(const char *name);
/* A file of the cgroup that the process is in, or that one's name. */
long leaf_read_of(pid_t pid, const char *name, char *buf, size_t size);
bool leaf_is(pid_t pid, const char *name);
bool leaf_is_told(const char *text); /* where they are */

/* run.c: an id as it is printed, into to. */
void print_id(char *to, const char *id);

/* run_names.c: adds a line for each other name; false: one means nothing. */
bool names_report(json_t *list);

/* run_judge.c: all trials of one attempt, as an object of the report. */
json_t *judge_attempt(const struct attempt *a);

/* witness_host.c: what the probe says, where its output is a log. */
void witness_read_log(struct trial *t);

/* witness_held.c: as witness_at_least. */
bool witness_judge_at_least(struct trial *t);

#define WITNESS(name, prepares, judges, holds, text) \
	const struct witness witness_##name = {.what = text, \
	    .prepare = prepares, \
	    .judge = judges, \
	    .is_held = holds}

#endif
