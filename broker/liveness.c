/*
 * liveness.c - a broker's sign of life: an OFD lock on one byte of agsbx.lock,
 * which the kernel drops with the broker however it ends.  Unlike a pid it is
 * also right across containers that share the directory.  Knows no ledger.
 */
#include <sys/random.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "ledger.h"

/*
 * Bytes are drawn at random from so many that none is ever met again: the row
 * of a dead broker would look alive while another one held its byte.
 */
#define BYTE_MASK ((INT64_C(1) << 40) - 1)
#define TRIES 16
#define LOCK_PATH_MAX 2048

static int
fail(const char *path, struct diag *d)
{
	return (diag_at(d, DIAG_LEDGER, path, 0, "%s; use another --state-dir",
	    errno == ESTALE ? "is not a plain file, or was just replaced" :
			      strerror(errno)));
}

static int
lock_path(const char *dir, char path[LOCK_PATH_MAX], struct diag *d)
{
	int len = snprintf(path, LOCK_PATH_MAX, "%s/agsbx.lock", dir);

	if (len > 0 && len < LOCK_PATH_MAX)
		return (0);
	errno = ENAMETOOLONG;
	return (fail(dir, d));
}

static struct flock
lock_of(int64_t byte)
{
	/* l_pid must be 0 for OFD locks. */
	return ((struct flock){.l_type = F_WRLCK,
	    .l_whence = SEEK_SET,
	    .l_start = byte,
	    .l_len = 1});
}

static int
draw_byte(int64_t *byte)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return (-1);
	*byte = (int64_t)(random & BYTE_MASK) + 1;
	return (0);
}

/* Locks a byte that nobody holds. */
static int
take_byte(int fd, int64_t *byte)
{
	struct flock lock;

	for (int i = 0; i < TRIES; i++) {
		if (draw_byte(byte) == -1)
			return (-1);
		lock = lock_of(*byte);
		if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
			return (0);
		if (errno != EAGAIN && errno != EACCES)
			return (-1);
	}
	errno = EBUSY;
	return (-1);
}

/* A lock on a file that was moved away would be seen by nobody. */
static int
check_in_place(int fd, const char *path)
{
	struct stat ours, named;

	if (fstat(fd, &ours) == -1 || lstat(path, &named) == -1)
		return (-1);
	if (S_ISREG(ours.st_mode) && ours.st_dev == named.st_dev &&
	    ours.st_ino == named.st_ino)
		return (0);
	errno = ESTALE;
	return (-1);
}

int
liveness_take(const char *dir, int64_t *byte, struct diag *d)
{
	char path[LOCK_PATH_MAX];
	int fd;

	if (lock_path(dir, path, d) == -1)
		return (-1);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd == -1)
		return (fail(path, d));
	if (take_byte(fd, byte) == 0 && check_in_place(fd, path) == 0) {
		/* Who clears away old files leaves it; it is never written. */
		(void)futimens(fd, NULL);
		return (fd);
	}
	(void)fail(path, d);
	io_close(&fd);
	return (-1);
}

int
liveness_probe(const char *dir, int64_t byte, struct diag *d)
{
	struct flock lock = lock_of(byte);
	char path[LOCK_PATH_MAX];
	int fd, rc;

	if (lock_path(dir, path, d) == -1)
		return (-1);
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		/* Without the file nobody can take a lock on it. */
		return (errno == ENOENT ? 0 : fail(path, d));
	rc = fcntl(fd, F_OFD_GETLK, &lock);
	if (rc == -1)
		rc = fail(path, d);
	else
		rc = lock.l_type != F_UNLCK ? 1 : 0;
	io_close(&fd);
	return (rc);
}

bool
liveness_is_lost(const char *dir)
{
	char path[LOCK_PATH_MAX];
	struct diag d = {0};
	struct stat st;

	return (lock_path(dir, path, &d) == 0 && lstat(path, &st) == -1);
}
