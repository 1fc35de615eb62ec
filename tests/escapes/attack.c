/*
 * attack.c - agsbx-attack NAME COMM [ARG...]: tries one thing of the catalogue.
 * Many of them in one job: attack_batch.c.
 *
 * Static, without a library, so that it runs naked and in any job.  Its last
 * line says "escaped", "absent" or "refused ERRNO"; the runner believes the
 * errno and, with one exception, not that it escaped.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

static const struct {
	const char *name;
	attack_fn *fn;
} attacks[] = {
#define ATTEMPT(name, ...) {#name, attempt_##name},
#include "catalogue.def"
#undef ATTEMPT
};

int
errno_of(long r)
{
	return (r == -1 ? errno : 0);
}

int
hold(void)
{
	char byte;

	(void)!write(STDOUT_FILENO, "holding\n", 8);
	while (read(STDIN_FILENO, &byte, 1) == -1 && errno == EINTR)
		continue;
	return (0);
}

int
hold_if(long r)
{
	return (r == -1 ? errno : hold());
}

int
show_file_at(int dir, const char *path)
{
	char buf[4096];
	ssize_t n;
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);

	if (fd == -1)
		return (errno);
	n = read(fd, buf, sizeof(buf));
	if (n > 0)
		(void)!write(STDOUT_FILENO, buf, (size_t)n);
	(void)close(fd);
	return (errno_of(n));
}

int
show_file(const char *path)
{
	return (show_file_at(AT_FDCWD, path));
}

int
plant_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t n;

	if (fd == -1)
		return (errno);
	n = write(fd, "!", 1);
	(void)close(fd);
	return (errno_of(n));
}

void
end_child(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

attack_fn *
attack_find(const char *name)
{
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		if (strcmp(attacks[i].name, name) == 0)
			return (attacks[i].fn);
	return (NULL);
}

int
main(int argc, char **argv)
{
	attack_fn *fn = argc >= 3 ? attack_find(argv[1]) : NULL;
	int rc;

	if (argc >= 2 && strcmp(argv[1], "batch") == 0)
		return (attack_batch(argv + 2));
	if (fn == NULL) {
		dprintf(STDERR_FILENO,
		    "usage: agsbx-attack NAME COMM [ARG] | batch ...\n");
		return (2);
	}
	(void)prctl(PR_SET_NAME, argv[2]);
	rc = fn(argv + 3);
	if (rc == 0)
		dprintf(STDOUT_FILENO, "\nescaped\n");
	else if (rc == DONE_NOT_HERE)
		dprintf(STDOUT_FILENO, "\nabsent\n");
	else
		dprintf(STDOUT_FILENO, "\nrefused %d\n", rc);
	return (rc == 0		    ? ATTACK_ESCAPED :
		rc == DONE_NOT_HERE ? ATTACK_NOT_HERE :
				      0);
}
