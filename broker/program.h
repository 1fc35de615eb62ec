/*
 * program.h - the sealed copy of a program.  Owner: program.c.
 *
 * program_open() first, then one or more copies into it, then program_seal():
 * after that nobody can change what will run, and sha256 is of what runs.
 * All return 0, or -1 with d (DIAG_COMMAND, or DIAG_INTERNAL: no memory).
 */
#ifndef BROKER_PROGRAM_H
#define BROKER_PROGRAM_H

#include <sys/types.h>

#include <sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "job.h"
#include "lang.h"

struct program {
	const char *what; /* for messages: FILE as named, "CODE" */
	int fd;		  /* the copy, a memfd; the caller closes it */
	uint64_t bytes;
	char head[LANG_HEAD_SIZE]; /* its first head_len bytes */
	size_t head_len;
	SHA2_CTX hash;
};

int program_open(struct program *p, struct diag *d);
int
program_add(struct program *p, const void *bytes, size_t len, struct diag *d);
/* Reads fd to its end, from where it stands. */
int program_add_stream(struct program *p, int fd, struct diag *d);
/* fd must be a regular file: from its start, wherever its offset is. */
int program_add_file(struct program *p, int fd, struct diag *d);
int
program_seal(struct program *p, char sha256[SHA256_HEX_SIZE], struct diag *d);

/* "a directory" and so on; for messages. */
const char *program_file_kind(mode_t mode);

#endif
