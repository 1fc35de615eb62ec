/*
 * attack_setid.c - probes of the group fs that leave a set-id file of the
 * caller in a bind: args[0] is a file of the host, args[1] a free name beside
 * it, args[2] their directory.
 */
#include <linux/openat2.h>

#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

#define MODE 04755
#define NR_FCHMODAT2 452 /* Linux 6.6; older headers have no name for it */

#define TRIES_SETID(name, call) \
	int attempt_fs_setid_##name(char *const *args) \
	{ \
		return (errno_of(call)); \
	}

TRIES_SETID(chmod, chmod(args[0], MODE))
TRIES_SETID(fchmod, fchmod(open(args[0], O_RDONLY | O_CLOEXEC), 02755))
TRIES_SETID(open, open(args[1], O_WRONLY | O_CREAT | O_CLOEXEC, MODE))
TRIES_SETID(openat2,
    syscall(SYS_openat2, AT_FDCWD, args[1],
	&(const struct open_how){.flags = O_WRONLY | O_CREAT, .mode = MODE},
	sizeof(struct open_how)))
TRIES_SETID(mknod, mknod(args[1], S_IFREG | MODE, 0))

int
attempt_fs_setid_fchmodat2(char *const *args)
{
	int rc = errno_of(syscall(NR_FCHMODAT2, AT_FDCWD, args[0], MODE, 0));

	return (rc == ENOSYS ? DONE_NOT_HERE : rc);
}

int
attempt_fs_setid_tmpfile(char *const *args)
{
	char name[64];
	int fd = open(args[2], O_WRONLY | O_TMPFILE | O_CLOEXEC, MODE);

	if (fd == -1)
		return (errno);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return (errno_of(
	    linkat(AT_FDCWD, name, AT_FDCWD, args[1], AT_SYMLINK_FOLLOW)));
}
