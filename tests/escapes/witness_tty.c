/*
 * witness_tty.c - the witness at the other end of the caller's terminal.
 */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

/* Whatever is typed is echoed. */
static bool
judge_typed(struct trial *t)
{
	struct pollfd fd = {.fd = t->tty, .events = POLLIN};
	char text[64];
	ssize_t n;

	if (poll(&fd, 1, 100) != 1 || (fd.revents & POLLIN) == 0)
		return (false);
	n = read(t->tty, text, sizeof(text));
	return (n > 0 && memchr(text, '#', (size_t)n) != NULL);
}

WITNESS(typed, NULL, judge_typed, false, "what the terminal echoes");
