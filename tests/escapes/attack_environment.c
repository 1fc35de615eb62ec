/*
 * attack_environment.c - probes of the group environment: see environment.def.
 */
#include <linux/keyctl.h>

#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

static int
show_variable(const char *name)
{
	const char *value = getenv(name);

	if (value == NULL)
		return (ENOENT);
	return (write(STDOUT_FILENO, value, strlen(value)) == -1 ? errno : 0);
}

int
attempt_ef_env_secret(char *const *args)
{
	(void)args;
	return (show_variable("AGSBX_TOKEN"));
}

int
attempt_ef_hijack(char *const *args)
{
	return (show_variable(args[0]));
}

/* args[1]: which one, where it is not 9. */
int
attempt_ef_leaked_fd(char *const *args)
{
	int fd = args[1] == NULL ? 9 : (int)strtol(args[1], NULL, 10);

	return (show_file_at(fd, args[0]));
}

int
attempt_ef_session_key(char *const *args)
{
	char buf[256];
	long key = syscall(SYS_request_key, "user", args[0], NULL, 0), n;

	if (key == -1)
		return (errno);
	n = syscall(SYS_keyctl, KEYCTL_READ, key, buf, sizeof(buf));
	if (n == -1)
		return (errno);
	return (write(STDOUT_FILENO, buf, (size_t)n) == -1 ? errno : 0);
}

int
attempt_ef_devtty(char *const *args)
{
	(void)args;
	if (open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) == -1)
		return (errno);
	return (hold());
}

/* Says at the end of the file what came of it, where that is its output. */
int
attempt_ef_reopen_stdout(char *const *args)
{
	int fd = open("/proc/self/fd/1", O_RDWR | O_TRUNC | O_CLOEXEC);

	(void)args;
	return (errno_of(fd));
}

int
attempt_ef_shared_ofd(char *const *args)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	(void)args;
	return (errno_of(flags == -1 ?
		-1 :
		fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK)));
}

/* Its own state is what the witness looks at. */
int
attempt_ef_ignored_signal(char *const *args)
{
	(void)args;
	return (hold());
}

int
attempt_ef_umask(char *const *args)
{
	(void)args;
	return (hold());
}
