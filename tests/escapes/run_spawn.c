/*
 * run_spawn.c - what a trial executes: agsbx-test or the naked probe, with the
 * words, the environment and the inheritance that the catalogue asks for.
 */
#include <linux/keyctl.h>

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define DOC_FD 3
#define LEAKED_FD 9

struct setup setup;

const char *
trial_expand(const struct trial *t, const char *word, char *buf, size_t size)
{
	char *out = buf;
	size_t left = size;
	int n;

	for (; *word != '\0' && left > 1; word++) {
		if (*word != '%') {
			*out = *word;
			n = 1;
		} else {
			word++;
			n = *word == 'd' ?
			    snprintf(out, left, "%s", t->dir) :
			    *word == 't' ?
			    snprintf(out, left, "%s", t->token) :
			    *word == 'p' ?
			    snprintf(out, left, "%d", t->victim) :
			    *word == 's' ?
			    snprintf(out, left, "%s%s",
				t->is_naked ? t->dir : "", "/shown") :
			    *word == 'o' ?
			    snprintf(out, left, "%s%s",
				t->is_naked ? t->dir : "", "/tools") :
			    *word == 'v' ?
			    snprintf(out, left, "%s", t->variant) :
			    *word == 'g' ?
			    snprintf(out, left, "%s", setup.leaves) :
			    *word == 'c' ? snprintf(out, left, "%s", t->comm) :
			    *word == 'n' ? snprintf(out, left, "%u", t->port) :
					   snprintf(out, left, "%%");
		}
		if (n < 0 || (size_t)n >= left)
			break;
		out += n;
		left -= (size_t)n;
	}
	*out = '\0';
	return (buf);
}

static char *
expand_new(const struct trial *t, const char *word)
{
	char buf[1024];

	return (strdup(trial_expand(t, word, buf, sizeof(buf))));
}

static void
add_words(const struct trial *t, char **argv, size_t *n,
    const char *const *words)
{
	for (size_t i = 0; i < ATTEMPT_ARGS && words[i] != NULL; i++)
		argv[(*n)++] = expand_new(t, words[i]);
}

static void
put_env(const struct trial *t)
{
	char list[256] = "", buf[1024];
	const struct attempt *a = t->attempt;

	(void)clearenv();
	(void)putenv(strdup("PATH=/usr/local/bin:/usr/bin:/bin"));
	(void)putenv(strdup("LANG=C.UTF-8"));
	(void)setenv("HOME", trial_expand(t, "%d/home", buf, sizeof(buf)), 1);
	for (size_t i = 0; i < ATTEMPT_ARGS && a->env[i] != NULL; i++)
		(void)putenv(expand_new(t, a->env[i]));
	for (size_t i = 0;
	     i < ATTEMPT_ARGS && a->naked_env[i] != NULL && t->is_naked; i++)
		(void)putenv(expand_new(t, a->naked_env[i]));
	if (t->is_naked)
		return;
	for (size_t i = 0; i < a->layer_count; i++) {
		if ((t->without & (1U << i)) == 0)
			continue;
		if (list[0] != '\0')
			(void)strncat(list, ",", 2);
		(void)strncat(list, ablation_name(a->layers[i].ablation), 64);
	}
	(void)setenv(ABLATE_ENV, list, 1);
}

/* What drill.sh finds in its environment. */
static void
put_drill(const struct trial *t, char **argv)
{
	(void)setenv("B", setup.build, 1);
	(void)setenv("D", t->dir, 1);
	(void)setenv("TOKEN", t->token, 1);
	(void)setenv("COMM", t->comm, 1);
	(void)setenv("WAIVERS", setup.waivers, 1);
	(void)setenv("NAKED", t->is_naked ? "1" : "", 1);
	(void)setenv("VARIANT", t->variant != NULL ? t->variant : "", 1);
	argv[0] = strdup("/bin/bash");
	argv[1] = strdup("tests/escapes/drill.sh");
	argv[2] = strdup(t->attempt->id);
	argv[3] = NULL;
}

static void
put_argv(const struct trial *t, char **argv)
{
	static char program[1024], attack[1024], waivers[512], state[128];
	const char *run[] = {program, "run", "--json-fd", "3", "--state-dir",
	    state};
	size_t n = 0;

	(void)snprintf(attack, sizeof(attack), "%s/agsbx-attack", setup.build);
	(void)snprintf(program, sizeof(program), "%s/agsbx-test", setup.build);
	(void)snprintf(waivers, sizeof(waivers), "--allow-degraded=%s",
	    setup.waivers);
	(void)snprintf(state, sizeof(state), "%s/state", t->dir);
	if (!t->is_naked) {
		for (; n < sizeof(run) / sizeof(run[0]); n++)
			argv[n] = strdup(run[n]);
		if (setup.waivers[0] != '\0')
			argv[n++] = waivers;
		add_words(t, argv, &n, t->attempt->options);
	}
	argv[n++] = attack;
	argv[n++] = strdup(t->attempt->id);
	argv[n++] = strdup(t->comm);
	add_words(t, argv, &n, t->attempt->args);
	argv[n] = NULL;
}

/* Its own session keyring, with the secret in it. */
static int
give_key(const struct trial *t)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) == -1 ||
	    syscall(SYS_add_key, "user", t->comm, t->token, strlen(t->token),
		KEY_SPEC_SESSION_KEYRING) == -1)
		return (-1);
	return (0);
}

_Noreturn void
trial_exec(const struct trial *t, const int *theirs, const char *tty)
{
	char *argv[48];
	int fd;

	(void)setsid();
	if (t->attempt->has_tty && tty != NULL) {
		fd = open(tty, O_RDWR);
		(void)ioctl(fd, TIOCSCTTY, 0);
		(void)close(fd);
	}
	if (t->attempt->has_key && give_key(t) == -1)
		_exit(126);
	if (t->is_naked && t->attempt->has_leaf && leaf_enter(t->comm) == -1)
		_exit(126);
	if (t->is_naked && t->attempt->is_naked_root && become_root(t) == -1)
		_exit(126);
	if (t->attempt->logs_stdout)
		(void)dup2(t->listener, theirs[1]);
	for (int i = 0; i < 4; i++)
		(void)fcntl(theirs[i], F_SETFD, 0);
	(void)dup2(theirs[0], STDIN_FILENO);
	(void)dup2(theirs[1], STDOUT_FILENO);
	(void)dup2(theirs[2], STDERR_FILENO);
	(void)dup2(theirs[3], DOC_FD);
	(void)close_range(DOC_FD + 1, ~0U, 0);
	if (t->attempt->leaks_fd &&
	    (fd = open("/", O_RDONLY | O_DIRECTORY)) != -1)
		(void)dup2(fd, LEAKED_FD);
	if (t->attempt->leaks_tty && (fd = open("/dev/tty", O_RDWR)) != -1)
		(void)dup2(fd, LEAKED_FD);
	/* Those that our own caller ignores are none of ours: a shell ignores
	 * two for what it starts in the background. */
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		(void)signal(sig, SIG_DFL);
	if (t->attempt->is_careless) {
		(void)signal(SIGUSR1, SIG_IGN);
		(void)umask(0);
	}
	put_env(t);
	if (t->attempt->is_drill)
		put_drill(t, argv);
	else
		put_argv(t, argv);
	(void)execv(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}
