/*
 * main.c - agsbx-launcher: hardens itself, then serves the broker.
 *
 * Started by agsbx with a SOCK_SEQPACKET socket as descriptor 3.  Neither
 * arguments nor environment are looked at.  It says nothing in words: all
 * that goes wrong is an exit code or a message.
 */
#include <sys/prctl.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "launcher.h"

#define BROKER_FD 3

static int
harden(void)
{
	sigset_t all;

	/* A terminal's signals are for the broker, which ends us by EOF. */
	(void)sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, NULL) == -1 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1 ||
	    die_with_parent(BROKER_FD) == -1 ||
	    close_range(BROKER_FD + 1, ~0U, 0) == -1 ||
	    fcntl(BROKER_FD, F_SETFD, FD_CLOEXEC) == -1)
		return (-1);
	/* 0 to 2 are taken, so that nothing that is received lands there. */
	for (int fd = 0; fd < BROKER_FD; fd++) {
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) != fd)
			return (-1);
	}
	return (0);
}

int
main(void)
{
	struct channel ch = {.fd = BROKER_FD,
	    .side = SIDE_LAUNCHER,
	    .state = CH_NEW};

	return (harden() == -1 ? 1 : serve(&ch));
}
