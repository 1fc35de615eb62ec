/*
 * io.h - whole reads and writes of small files, and fields of /proc texts.
 * Owner: io.c.  libc only; nothing is allocated; errno is kept for the caller.
 */
#ifndef COMMON_IO_H
#define COMMON_IO_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads path (relative to dirfd, AT_FDCWD allowed) whole into buf and ends it
 * with a NUL.  Returns the length, or -1: EOVERFLOW when it does not fit.
 */
long io_read_file(int dirfd, const char *path, char *buf, size_t size);

/* Writes text with a single write(2), as /proc files want.  0, or -1. */
int io_write_file(int dirfd, const char *path, const char *text);

/* Writes all of it, over short writes and EINTR.  0, or -1. */
int io_write_all(int fd, const void *bytes, size_t len);

/* Closes *fd unless it is -1, sets it to -1 and keeps errno. */
void io_close(int *fd);

/*
 * The number after "key:" at the start of a line of text (/proc/PID/status,
 * fdinfo), in the given base.  0, or -1 with errno ENOENT, EINVAL or ERANGE.
 */
int io_field_u64(const char *text, const char *key, int base, uint64_t *out);

/* A number of digits only, up to the end or white space; 0, or -1 with errno
 * EINVAL or ERANGE.  base is 2 to 16; no sign, no prefix. */
int io_parse_u64(const char *text, int base, uint64_t *out);

/* n in decimal, written to the end of buf; returns where it starts. */
#define IO_DECIMAL_MAX 21
const char *io_format_u64(char buf[IO_DECIMAL_MAX], uint64_t n);

#endif
