/*
 * output.c - the standard streams are pipes, each in its one direction.
 *
 * The broker counts what comes out of its ends and ends the job at the
 * ceiling; that only holds when there is nothing but a pipe to write to.  A
 * file could be truncated through /proc/self/fd, a socket carries
 * descriptors, a terminal takes input.  Runs in the job, after its
 * descriptors are in place.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "launcher.h"

static const int modes[] = {O_RDONLY, O_WRONLY, O_WRONLY};
#define STREAM_COUNT (sizeof(modes) / sizeof(modes[0]))

int
output_apply(struct launch *l)
{
	(void)l; /* the broker made the pipes, descriptors.c placed them */
	return (0);
}

int
output_verify(struct launch *l)
{
	struct stat st;
	int flags;

	readback_want(l, STREAM_COUNT);
	for (int fd = 0; fd < (int)STREAM_COUNT; fd++) {
		if (fstat(fd, &st) == -1 || (flags = fcntl(fd, F_GETFL)) == -1)
			return (fault_at(l, STEP_STDIO, errno, FAULT_OURS));
		if (!S_ISFIFO(st.st_mode) || (flags & O_ACCMODE) != modes[fd])
			return (fault_at(l, STEP_STDIO, EINVAL, FAULT_OURS));
	}
	readback_got(l, STREAM_COUNT);
	return (0);
}
