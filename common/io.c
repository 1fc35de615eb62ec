/*
 * io.c - whole reads and writes of small files, and fields of /proc texts,
 * without heap and state.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

void
io_close(int *fd)
{
	int saved = errno;

	/* Never again on EINTR: Linux has released the descriptor by then. */
	if (*fd != -1)
		(void)close(*fd);
	*fd = -1;
	errno = saved;
}

long
io_read_file(int dirfd, const char *path, char *buf, size_t size)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n = 1;

	if (fd == -1)
		return (-1);
	/* The NUL's byte is read into as well: full means too long. */
	while (have < size && (n = read(fd, buf + have, size - have)) > 0)
		have += (size_t)n;
	if (have == size) {
		errno = EOVERFLOW;
		n = -1;
	}
	io_close(&fd);
	if (n == -1)
		return (-1);
	buf[have] = '\0';
	return ((long)have);
}

int
io_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;
	ssize_t n;

	while (len > 0) {
		if ((n = write(fd, at, len)) > 0) {
			at += n;
			len -= (size_t)n;
		} else if (n == -1 && errno != EINTR)
			return (-1);
	}
	return (0);
}

int
io_write_file(int dirfd, const char *path, const char *text)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC);
	int rc = fd == -1 ? -1 : io_write_all(fd, text, strlen(text));

	io_close(&fd);
	return (rc);
}

int
io_parse_u64(const char *text, int base, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, base);
	/* It takes blanks and signs, which no number of /proc has. */
	if (errno == 0 &&
	    (!isxdigit((unsigned char)text[0]) ||
		strchr(" \t\n", *end) == NULL))
		errno = EINVAL;
	return (errno == 0 ? 0 : -1);
}

int
io_field_u64(const char *text, const char *key, int base, uint64_t *out)
{
	size_t len = strlen(key);

	while (strncmp(text, key, len) != 0 || text[len] != ':') {
		if ((text = strchr(text, '\n')) == NULL) {
			errno = ENOENT;
			return (-1);
		}
		text++;
	}
	text += len + 1;
	return (io_parse_u64(text + strspn(text, " \t"), base, out));
}

char *
io_put_u64(char *to, uint64_t n)
{
	if (n >= 10)
		to = io_put_u64(to, n / 10);
	*to = (char)('0' + n % 10);
	to[1] = '\0';
	return (to + 1);
}
