/*
 * program.c - copies CODE, FILE or a stream into a sealed memfd, counting,
 * hashing and keeping the first bytes.  A file is judged and read through one
 * descriptor.  Executes nothing.  Called by command.c.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "plan.h"
#include "program.h"

#define CHUNK_SIZE (128U * 1024)
#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
#ifndef MFD_NOEXEC_SEAL /* 6.3; vm.memfd_noexec=2 demands it */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static int
cannot(struct diag *d, const char *what, const char *doing)
{
	return (diag_set(d, DIAG_COMMAND, "cannot %s %s: %s", doing, what,
	    strerror(errno)));
}

int
program_open(struct program *p, struct diag *d)
{
	unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;

	p->bytes = 0;
	p->head_len = 0;
	SHA256Init(&p->hash);
	p->fd = memfd_create("program", flags | MFD_NOEXEC_SEAL);
	if (p->fd == -1 && errno == EINVAL)
		p->fd = memfd_create("program", flags);
	if (p->fd == -1)
		return (cannot(d, "the program", "make a copy of"));
	return (0);
}

int
program_add(struct program *p, const void *bytes, size_t len, struct diag *d)
{
	if (len > PLAN_PROGRAM_MAX - p->bytes)
		return (diag_set(d, DIAG_COMMAND,
		    "%s is larger than %" PRIu64 " MiB; show its directory "
		    "with --bind-ro and run it as a command",
		    p->what, (uint64_t)PLAN_PROGRAM_MAX >> 20));
	if (p->head_len < sizeof(p->head)) {
		size_t n = sizeof(p->head) - p->head_len;
		n = len < n ? len : n;
		memcpy(p->head + p->head_len, bytes, n);
		p->head_len += n;
	}
	SHA256Update(&p->hash, bytes, len);
	p->bytes += len;
	if (io_write_all(p->fd, bytes, len) == -1)
		return (cannot(d, p->what, "copy"));
	return (0);
}

/* Our stdin may be O_NONBLOCK by the doing of whoever shares it. */
static bool
wait_readable(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return (errno == EINTR || (errno == EAGAIN && poll(&pfd, 1, -1) != -1));
}

/* is_file: from its start, whatever the offset of the descriptor is. */
static ssize_t
read_chunk(int fd, void *buf, bool is_file, uint64_t at)
{
	ssize_t n;

	do {
		n = is_file ? pread(fd, buf, CHUNK_SIZE, (off_t)at) :
			      read(fd, buf, CHUNK_SIZE);
	} while (n == -1 && wait_readable(fd));
	return (n);
}

static int
copy_descriptor(struct program *p, int fd, bool is_file, struct diag *d)
{
	char *chunk = malloc(CHUNK_SIZE);
	int rc = 0;

	if (chunk == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	while (rc == 0) {
		ssize_t n = read_chunk(fd, chunk, is_file, p->bytes);
		if (n == 0)
			break;
		rc = n == -1 ? cannot(d, p->what, "read") :
			       program_add(p, chunk, (size_t)n, d);
	}
	free(chunk);
	return (rc);
}

int
program_add_stream(struct program *p, int fd, struct diag *d)
{
	return (copy_descriptor(p, fd, false, d));
}

/* What FILE is, when it is no regular file. */
const char *
program_file_kind(mode_t mode)
{
	static const struct {
		mode_t type;
		const char *name;
	} kinds[] = {
	    {S_IFDIR, "a directory"},
	    {S_IFIFO, "a named pipe (give the program on stdin with -)"},
	    {S_IFCHR, "a device"},
	    {S_IFBLK, "a device"},
	    {S_IFSOCK, "a socket"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((mode & S_IFMT) == kinds[i].type)
			return (kinds[i].name);
	return ("no regular file");
}

int
program_add_file(struct program *p, int fd, struct diag *d)
{
	struct stat st;

	if (fstat(fd, &st) == -1)
		return (cannot(d, p->what, "read"));
	if (!S_ISREG(st.st_mode))
		return (diag_set(d, DIAG_COMMAND, "%s is %s", p->what,
		    program_file_kind(st.st_mode)));
	return (copy_descriptor(p, fd, true, d));
}

/* Not even we can change it any more: read back. */
int
program_seal(struct program *p, char sha256[SHA256_HEX_SIZE], struct diag *d)
{
	(void)SHA256End(&p->hash, sha256); /* cannot fail with a buffer */
	if (lseek(p->fd, 0, SEEK_SET) == -1 ||
	    fcntl(p->fd, F_ADD_SEALS, SEALS) == -1)
		return (cannot(d, "the program's copy", "seal"));
	int seals = fcntl(p->fd, F_GET_SEALS);
	if (seals == -1 || (seals & SEALS) != SEALS)
		return (cannot(d, "the program's copy", "see the seals of"));
	return (0);
}
