/*
 * io.c - whole reads and writes of small files, and fields of /proc texts.
 *
 * Allocates nothing and keeps no state, so that init and the held job can
 * call it between fork and exec.  Used by launcher and broker.
 */
#include <errno.h>
#include <fcntl.h>
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
	size_t have = 0;
	ssize_t n = 1;
	int fd;

	if ((fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC)) == -1)
		return (-1);
	/* The NUL's byte is read into as well: full means too long. */
	while (n != 0 && have < size) {
		if ((n = read(fd, buf + have, size - have)) > 0)
			have += (size_t)n;
		else if (n == -1 && errno != EINTR)
			break;
	}
	io_close(&fd);
	if (n == -1)
		return (-1);
	if (have == size) {
		errno = EOVERFLOW;
		return (-1);
	}
	buf[have] = '\0';
	return ((long)have);
}

int
io_write_file(int dirfd, const char *path, const char *text)
{
	size_t len = strlen(text);
	ssize_t n;
	int fd;

	if ((fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC)) == -1)
		return (-1);
	do
		n = write(fd, text, len);
	while (n == -1 && errno == EINTR);
	if (n != -1 && (size_t)n != len) {
		errno = EIO;
		n = -1;
	}
	io_close(&fd);
	return (n == -1 ? -1 : 0);
}

int
io_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;
	ssize_t n;

	while (len > 0) {
		if ((n = write(fd, at, len)) == -1) {
			if (errno == EINTR)
				continue;
			return (-1);
		}
		at += n;
		len -= (size_t)n;
	}
	return (0);
}

/* The value of one digit, or base where c is none of that base. */
static unsigned int
digit_value(char c, unsigned int base)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c == '\0' ? NULL : strchr(digits, c);
	unsigned int value;

	if (at == NULL)
		return (base);
	value = (unsigned int)(at - digits) % 16;
	return (value < base ? value : base);
}

int
io_parse_u64(const char *text, int base, uint64_t *out)
{
	unsigned int digit, radix;
	uint64_t value = 0;
	const char *at;

	errno = EINVAL;
	if (base < 2 || base > 16)
		return (-1);
	radix = (unsigned int)base;
	for (at = text; (digit = digit_value(*at, radix)) != radix; at++) {
		if (value > (UINT64_MAX - digit) / radix) {
			errno = ERANGE;
			return (-1);
		}
		value = value * radix + digit;
	}
	if (at == text || strchr(" \t\n", *at) == NULL)
		return (-1);
	*out = value;
	return (0);
}

int
io_field_u64(const char *text, const char *key, int base, uint64_t *out)
{
	size_t len = strlen(key);

	for (const char *line = text; line != NULL;) {
		if (strncmp(line, key, len) == 0 && line[len] == ':') {
			line += len + 1;
			return (io_parse_u64(line + strspn(line, " \t"), base,
			    out));
		}
		if ((line = strchr(line, '\n')) != NULL)
			line++;
	}
	errno = ENOENT;
	return (-1);
}

const char *
io_format_u64(char buf[IO_DECIMAL_MAX], uint64_t n)
{
	char *p = &buf[IO_DECIMAL_MAX - 1];

	*p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	return (p);
}
