/*
 * exec.c - finds and executes the plan's command, as execvp(3) would.
 *
 * PATH is the plan's, and nothing is allocated.  Unlike execvp(3) it does not
 * hand a file without a format to a shell: that is the broker's to decide
 * (ENOEXEC).  A file that is there and still gives ENOENT lacks its
 * interpreter (of a script or an ELF): that is told apart as ELIBBAD.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

static int
exec_path(const struct plan *p, const char *path)
{
	/* execve(2) changes neither; its prototype is older than const. */
	union {
		const char *const *in;
		char *const *out;
	} argv = {.in = p->argv}, envp = {.in = p->envp};

	(void)execve(path, argv.out, envp.out);
	if (errno == ENOENT && access(path, F_OK) == 0)
		return (ELIBBAD);
	return (errno);
}

static const char *
plan_getenv(const struct plan *p, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = 0; i < p->envc; i++) {
		if (strncmp(p->envp[i], name, len) == 0 &&
		    p->envp[i][len] == '=')
			return (p->envp[i] + len + 1);
	}
	return (NULL);
}

/* dir/name into path; an empty dir is the working directory. */
static int
path_join(char path[PLAN_PATH_MAX], const char *dir, size_t len,
    const char *name)
{
	size_t name_len = strlen(name);

	if (len >= PLAN_PATH_MAX - 3 || name_len > PLAN_PATH_MAX - 3 - len)
		return (ENAMETOOLONG);
	memcpy(path, len == 0 ? "." : dir, len == 0 ? 1 : len);
	len = len == 0 ? 1 : len;
	path[len] = '/';
	memcpy(path + len + 1, name, name_len + 1);
	return (0);
}

/* What lets the search go on; any other error is the answer. */
static bool
is_elsewhere(int err)
{
	return (err == ENOENT || err == ENOTDIR || err == EACCES ||
	    err == ENAMETOOLONG);
}

int
exec_command(const struct plan *p)
{
	const char *dirs = plan_getenv(p, "PATH");
	char path[PLAN_PATH_MAX];
	int err, kept = ENOENT;
	size_t len;

	if (p->argv[0][0] == '\0')
		return (ENOENT);
	if (strchr(p->argv[0], '/') != NULL)
		return (exec_path(p, p->argv[0]));
	for (dirs = dirs == NULL ? PATH_DEFAULT : dirs;; dirs += len + 1) {
		len = strcspn(dirs, ":");
		err = path_join(path, dirs, len, p->argv[0]);
		if (err == 0)
			err = exec_path(p, path);
		if (!is_elsewhere(err))
			return (err);
		if (err == EACCES)
			kept = EACCES;
		if (dirs[len] == '\0')
			return (kept);
	}
}
