/*
 * job.c - the held job: sets its rows, waits at the gate, executes.
 *
 * The last code of ours in the process that becomes the command.  Everything
 * after the plan's filter (write, read, execve, exit_group) must be in it.
 * The search is execvp(3)'s, along the plan's PATH, but nothing is handed to
 * a shell: a file without a format is the broker's to judge (ENOEXEC).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"
#define JOB_NOT_RELEASED 126
#define JOB_NOT_EXECUTED 127

/* Returns only an errno: ELIBBAD for a file whose interpreter is not there. */
static int
exec_path(const struct plan *p, const char *path)
{
	/* execve(2) changes neither; its prototype is older than const. */
	union {
		const char *const *in;
		char *const *out;
	} argv = {.in = p->argv}, envp = {.in = p->envp};

	(void)execve(path, argv.out, envp.out);
	return (errno == ENOENT && access(path, F_OK) == 0 ? ELIBBAD : errno);
}

static int
exec_command(const struct plan *p)
{
	const char *name = p->argv[0], *dirs = PATH_DEFAULT;
	char path[PLAN_PATH_MAX];
	int err, kept = ENOENT;
	size_t len;

	if (name[0] == '\0')
		return (ENOENT);
	if (strchr(name, '/') != NULL)
		return (exec_path(p, name));
	for (uint32_t i = p->envc; i-- > 0;) {
		if (strncmp(p->envp[i], "PATH=", 5) == 0)
			dirs = &p->envp[i][5];
	}
	for (;; dirs += len + 1) {
		len = strcspn(dirs, ":");
		if (len + strlen(name) + sizeof("./") <= sizeof(path)) {
			memcpy(path, dirs, len);
			/* An empty one is the working directory. */
			(void)stpcpy(stpcpy(&path[len], len == 0 ? "./" : "/"),
			    name);
			err = exec_path(p, path);
			if (err == EACCES)
				kept = err;
			else if (err != ENOENT && err != ENOTDIR)
				return (err);
		}
		if (dirs[len] == '\0')
			return (kept);
	}
}

_Noreturn void
job_main(struct launch *l)
{
	char word = WORD_HELD;

	/* So the launcher learns our pid: see job_verify(). */
	if (fcntl(l->host_proc, F_SETOWN, getpid()) == -1)
		_exit(JOB_NOT_RELEASED);
	rows_apply(l, AT_JOB);
	if (write(l->gate, &word, 1) != 1 || read(l->gate, &word, 1) != 1 ||
	    word != WORD_GO || !rows_are_held(l))
		_exit(JOB_NOT_RELEASED);
	l->board->exec_errno = exec_command(l->plan);
	_exit(JOB_NOT_EXECUTED);
}
