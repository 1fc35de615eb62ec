/*
 * io.h - whole reads and writes of small files, and fields of /proc texts.
 * The int functions return 0, or -1 with errno.
 */
#ifndef COMMON_IO_H
#define COMMON_IO_H

#include <stddef.h>
#include <stdint.h>

/* Reads path (beneath dirfd, or AT_FDCWD) whole into buf and ends it with a
 * NUL.  The length, or -1: EOVERFLOW when it does not fit. */
long io_read_file(int dirfd, const char *path, char *buf, size_t size);

/* Writes text, with a single write(2) wherever the file takes it whole. */
int io_write_file(int dirfd, const char *path, const char *text);

/* Writes all of it, over short writes and EINTR. */
int io_write_all(int fd, const void *bytes, size_t len);

/* Closes *fd unless it is -1, sets it to -1 and keeps errno. */
void io_close(int *fd);

/* The number after "key:" at the start of a line of text (/proc/PID/status);
 * ENOENT: no such line. */
int io_field_u64(const char *text, const char *key, int base, uint64_t *out);

/* Digits of base 8, 10 or 16, up to the end or a space: EINVAL or ERANGE. */
int io_parse_u64(const char *text, int base, uint64_t *out);

/* n in decimal, with a NUL; returns where that stands. */
#define IO_DECIMAL_MAX 21
char *io_put_u64(char *to, uint64_t n);

#endif
