/*
 * attack_fs_ro.c - probes of the group fs that change what is shown read-only,
 * each by another call: args[0] is a file of the host, args[1] a free name
 * beside it.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

#define TRIES_RO(name, call) \
	int attempt_fs_ro_##name(char *const *args) \
	{ \
		return (errno_of(call)); \
	}

static const struct timespec times[2];

TRIES_RO(link, link(args[0], args[1]))
TRIES_RO(unlink, unlink(args[0]))
TRIES_RO(rename, rename(args[0], args[1]))
TRIES_RO(truncate, truncate(args[0], 0))
TRIES_RO(mkdir, mkdir(args[1], 0700))
TRIES_RO(symlink, symlink("/", args[1]))
TRIES_RO(fifo, mkfifo(args[1], 0600))
TRIES_RO(chmod, chmod(args[0], 0644))
TRIES_RO(utime, utimensat(AT_FDCWD, args[0], times, 0))
TRIES_RO(xattr, setxattr(args[0], "user.agsbx", "!", 1, 0))

int
attempt_fs_ro_socket(char *const *args)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	(void)strncpy(un.sun_path, args[1], sizeof(un.sun_path) - 1);
	rc = errno_of(
	    fd == -1 ? -1 : bind(fd, (struct sockaddr *)&un, sizeof(un)));
	(void)close(fd);
	return (rc);
}
