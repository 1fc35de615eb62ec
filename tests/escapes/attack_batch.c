/*
 * attack_batch.c - many attempts in one job, for agsbx doctor --attack:
 *
 *   agsbx-attack batch [+NAME | =NAME [ARG...]]...
 *
 * +NAME is tried by a child of its own, =NAME by this process, whose parent is
 * the job's init.  Says of which build it is, then of each attempt
 * "attempt NAME escaped|absent|errno|signal NUMBER HEX", where HEX is the
 * beginning of its output.  Called by attack.c.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"
#include "build_id.h"

#define OUTPUT_MAX 1024
#define LIMIT_S 15 /* for one attempt */

static int saved_stdout;

struct outcome {
	int status; /* as waitpid(2) has it */
	int err;
	char output[OUTPUT_MAX];
	size_t len;
};

/* Its answer to a parent: an errno does not fit an exit status with it. */
static int
run_here(attack_fn *fn, char *const *args, int to)
{
	int rc;

	(void)dup2(to, STDOUT_FILENO);
	rc = fn(args);
	(void)dup2(saved_stdout, STDOUT_FILENO);
	return (rc);
}

/* All of it, and no more than is kept. */
static void
read_output(int from, struct outcome *o)
{
	char spill[4096];
	ssize_t n;

	while ((n = read(from, spill, sizeof(spill))) > 0) {
		size_t room = sizeof(o->output) - o->len;
		size_t take = (size_t)n < room ? (size_t)n : room;

		memcpy(o->output + o->len, spill, take);
		o->len += take;
	}
}

static int
try_in_child(attack_fn *fn, char *const *args, struct outcome *o)
{
	int out[2], back[2], rc;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) == -1 || pipe2(back, O_CLOEXEC) == -1 ||
	    (pid = fork()) == -1)
		return (-1);
	if (pid == 0) {
		(void)alarm(LIMIT_S);
		rc = run_here(fn, args, out[1]);
		_exit(write(back[1], &rc, sizeof(rc)) != sizeof(rc));
	}
	(void)close(out[1]);
	(void)close(back[1]);
	/* What it left behind may keep its output open: the answer ends it. */
	if (read(back[0], &o->err, sizeof(o->err)) != sizeof(o->err))
		o->err = EIO;
	(void)waitpid(pid, &o->status, 0);
	(void)fcntl(out[0], F_SETFL, O_NONBLOCK);
	read_output(out[0], o);
	(void)close(out[0]);
	(void)close(back[0]);
	return (0);
}

static int
try_here(attack_fn *fn, char *const *args, struct outcome *o)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC | O_NONBLOCK) == -1)
		return (-1);
	o->err = run_here(fn, args, out[1]);
	(void)close(out[1]);
	read_output(out[0], o);
	(void)close(out[0]);
	return (0);
}

static void
say(const char *name, const struct outcome *o)
{
	const char *kind = "errno";
	int number = o->err;

	if (WIFSIGNALED(o->status)) {
		kind = "signal";
		number = WTERMSIG(o->status);
	} else if (o->err == 0) {
		kind = "escaped";
	} else if (o->err == DONE_NOT_HERE) {
		kind = "absent";
	}
	(void)printf("attempt %s %s %d ", name, kind, number);
	for (size_t i = 0; i < o->len; i++)
		(void)printf("%02x", (unsigned char)o->output[i]);
	(void)printf("\n");
	(void)fflush(stdout);
}

int
attack_batch(char **words)
{
	char **word = words, **args;
	attack_fn *fn;

	saved_stdout = dup(STDOUT_FILENO);
	(void)printf("agsbx-attack %s\n", AGSBX_BUILD_ID);
	(void)fflush(stdout);
	while (*word != NULL) {
		struct outcome o = {.status = 0};
		char *name = *word;

		args = ++word;
		while (*word != NULL && **word != '+' && **word != '=')
			word++;
		if ((fn = attack_find(name + 1)) == NULL)
			return (2);
		/* The arguments end where the next name was. */
		char *next = *word;

		*word = NULL;
		if ((name[0] == '=' ? try_here(fn, args, &o) :
				      try_in_child(fn, args, &o)) == 0)
			say(name + 1, &o);
		*word = next;
	}
	return (0);
}
