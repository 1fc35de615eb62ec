/*
 * Signals without handlers: a signalfd that run.c polls.  A second signal is
 * seen there as a second record.
 */
#include <sys/signalfd.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

int
signals_open(struct diag *d)
{
	struct sigaction old;
	sigset_t set;
	int fd;

	if (sigemptyset(&set) == -1)
		goto fail;
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		if (sigaction(caught[i], NULL, &old) == -1)
			goto fail;
		/* A blocked signal is delivered even if it is ignored. */
		if (old.sa_handler != SIG_IGN &&
		    sigaddset(&set, caught[i]) == -1)
			goto fail;
	}
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1)
		goto fail;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd != -1)
		return (fd);
fail:
	return (diag_set(d, DIAG_INTERNAL, "cannot watch for signals: %s",
	    strerror(errno)));
}

int
signals_read(int fd)
{
	struct signalfd_siginfo info;
	ssize_t n = read(fd, &info, sizeof(info));

	if (n == (ssize_t)sizeof(info))
		return ((int)info.ssi_signo);
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return (0);
	if (n >= 0)
		errno = EIO;
	return (-1);
}

void
signals_release(void)
{
	sigset_t set;

	/* Only a number that is no signal could make these fail. */
	(void)sigemptyset(&set);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		(void)sigaddset(&set, caught[i]);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int
signals_reraise(int sig)
{
	struct sigaction act = {.sa_handler = SIG_DFL};
	sigset_t set;

	if (sigaction(sig, &act, NULL) == 0 && sigemptyset(&set) == 0 &&
	    sigaddset(&set, sig) == 0 && raise(sig) == 0)
		/* Pending while it is blocked, and delivered here. */
		(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	return (128 + sig);
}
