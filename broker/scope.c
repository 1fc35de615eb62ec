/*
 * The way into a delegated cgroup that every desktop and server with systemd
 * has: systemd-run(1) asks the user's manager for a scope around its own
 * process and then executes what it was given.  Called by session.c, before
 * anything was read that cannot be read twice, and while nothing is confined.
 */
#include <sys/pidfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"
#include "scope.h"

#define NOT_EXECUTED 127
#define TRY_MS 10000 /* a manager that starts units at the same time is slow */

static const char *const prefix[] = {"systemd-run", "--user", "--scope",
    "--quiet", "--collect", "-p", "Delegate=yes", "--"};
#define PREFIX_COUNT (sizeof(prefix) / sizeof(prefix[0]))

/* prefix, program, then args with their NULL; malloced, its strings are not. */
static char **
make_argv(const char *program, char *const *args)
{
	size_t count = 0;
	char **argv;

	while (args[count] != NULL)
		count++;
	argv = calloc(PREFIX_COUNT + count + 2, sizeof(*argv));
	if (argv == NULL)
		return (NULL);
	/* exec takes them without const, and changes nothing. */
	for (size_t i = 0; i < PREFIX_COUNT; i++)
		argv[i] = (char *)(uintptr_t)prefix[i];
	argv[PREFIX_COUNT] = (char *)(uintptr_t)program;
	for (size_t i = 0; i < count; i++)
		argv[PREFIX_COUNT + 1 + i] = args[i];
	return (argv);
}

/* Starts it with nothing to read and nowhere to write. */
static pid_t
spawn_try(const char *systemd_run)
{
	char *const none[] = {NULL};
	char **argv = make_argv("/bin/true", none);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid = argv == NULL || null == -1 ? -1 : fork();

	if (pid == 0) {
		if (dup2(null, STDIN_FILENO) != -1 &&
		    dup2(null, STDOUT_FILENO) != -1 &&
		    dup2(null, STDERR_FILENO) != -1)
			(void)execv(systemd_run, argv);
		_exit(NOT_EXECUTED);
	}
	io_close(&null);
	free(argv);
	return (pid);
}

/* The wait status of a child, which is killed when it takes too long. */
static int
wait_for(pid_t pid, bool *is_late)
{
	struct pollfd end = {.fd = pidfd_open(pid, 0), .events = POLLIN};
	int status = -1;
	int n = end.fd == -1 ? -1 : poll(&end, 1, TRY_MS);

	*is_late = n == 0;
	if (n != 1)
		(void)kill(pid, SIGKILL); /* ours, and not reaped yet */
	io_close(&end.fd);
	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			return (-1);
	return (status);
}

static bool
manager_gives_scope(const struct scope *scope, char *text, size_t size)
{
	pid_t pid = spawn_try(scope->systemd_run);
	bool is_late;
	int status;

	if (pid == -1) {
		leaf_say(text, size, "cannot try %s: %s", scope->systemd_run,
		    strerror(errno));
		return (false);
	}
	status = wait_for(pid, &is_late);
	if (status == 0)
		return (true);
	if (is_late)
		leaf_say(text, size, "it gave no scope in %d s", TRY_MS / 1000);
	else if (WIFEXITED(status))
		leaf_say(text, size, "it gave no scope: %s exited with %d",
		    scope->systemd_run, WEXITSTATUS(status));
	else
		leaf_say(text, size,
		    "it gave no scope: %s was ended by signal %d",
		    scope->systemd_run, WTERMSIG(status));
	return (false);
}

static void
execute_anew(const struct scope *scope, char *text, size_t size)
{
	char self[2048];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char **argv;

	if (len == -1) {
		leaf_say(text, size, "/proc/self/exe: %s", strerror(errno));
		return;
	}
	self[len] = '\0';
	argv = make_argv(self, scope->argv + 1);
	if (argv == NULL || setenv(SCOPE_GUARD, "1", 1) == -1 ||
	    (scope->keep_fd > STDERR_FILENO &&
		fcntl(scope->keep_fd, F_SETFD, 0) == -1)) {
		leaf_say(text, size, "cannot execute agsbx anew: %s",
		    strerror(errno));
		free(argv);
		return;
	}
	(void)execv(scope->systemd_run, argv);
	leaf_say(text, size, "cannot execute %s: %s", scope->systemd_run,
	    strerror(errno));
	free(argv);
}

void
scope_enter(const struct scope *scope, char *text, size_t size)
{
	if (getenv(SCOPE_GUARD) != NULL)
		leaf_say(text, size, "agsbx runs in a scope of it already");
	else if (!scope->is_allowed)
		leaf_say(text, size, "not asked: [cgroup] systemd is no");
	else if (!scope->has_manager)
		leaf_say(text, size,
		    "none: $XDG_RUNTIME_DIR has no systemd/private of this "
		    "user");
	else if (manager_gives_scope(scope, text, size))
		execute_anew(scope, text, size);
}
