/*
 * attack_lifecycle.c - probes of the group lifecycle: see lifecycle.def.
 * What they leave behind ends by itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define LIFE_S 6 /* the broker looks for 3 s whether anything is left */
#define CHAINS 8

static void
mark(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	(void)!write(fd, "!", 1);
	(void)close(fd);
}

/* Forgets everything that it inherited. */
static void
forget(void)
{
	(void)setsid();
	for (int sig = 1; sig < 64; sig++)
		(void)signal(sig, SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		(void)close(fd);
}

int
attempt_lc_daemonise(char *const *args)
{
	pid_t pid = fork();

	if (pid == 0) {
		forget();
		if (fork() != 0)
			_exit(0);
		for (int i = 0; i < LIFE_S * 50; i++) {
			mark(args[0]);
			(void)usleep(20000);
		}
		_exit(0);
	}
	if (pid == -1)
		return (errno);
	(void)usleep(100000);
	return (0);
}

/* Each link lives for a moment, marks, forks the next and ends. */
int
attempt_lc_pid_hop(char *const *args)
{
	const time_t end = time(NULL) + LIFE_S;

	for (int i = 0; i < CHAINS; i++) {
		if (fork() != 0)
			continue;
		forget();
		while (time(NULL) < end) {
			mark(args[0]);
			(void)usleep(5000);
			if (fork() != 0)
				_exit(0);
		}
		_exit(0);
	}
	(void)usleep(50000);
	return (0);
}

int
attempt_lc_lease_stall(char *const *args)
{
	int fd = open(args[0], O_WRONLY | O_CLOEXEC);

	(void)signal(SIGIO, SIG_IGN); /* it is told that somebody waits */
	return (fd == -1 ? errno : hold_if(fcntl(fd, F_SETLEASE, F_WRLCK)));
}
