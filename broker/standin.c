/*
 * The worst case of a job without a memory controller: every process at its
 * RLIMIT_DATA, the scratch full, every descriptor a socket with full buffers.
 * Shared memory is counted by none of these, so that the host's memory is the
 * bound in the end.  Called by host.c, text_doctor.c and doc_misc.c.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "io.h"
#include "standin.h"

/* min, default and max of a TCP buffer: the last one. */
static uint64_t
read_max(const char *dir, const char *file)
{
	unsigned long long max = 0;
	char path[128], text[96];

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >=
		(int)sizeof(path) ||
	    io_read_file(AT_FDCWD, path, text, sizeof(text)) == -1 ||
	    sscanf(text, "%*u %*u %llu", &max) != 1)
		return (0);
	return (max);
}

uint64_t
standin_socket_bytes(const char *proc_sys_net)
{
	return (read_max(proc_sys_net, "ipv4/tcp_rmem") +
	    read_max(proc_sys_net, "ipv4/tcp_wmem"));
}

static uint64_t
times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return (__builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product);
}

static uint64_t
plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return (__builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum);
}

void
standin_find(struct standin *s, const struct host *h, const struct policy *p)
{
	uint64_t each;

	*s = (struct standin){.data_bytes = 2 * p->limits[LIMIT_MEMORY],
	    .processes = p->limits[LIMIT_MAX_PROCS],
	    .scratch_bytes = p->limits[LIMIT_SCRATCH],
	    .descriptors = p->limits[LIMIT_NOFILE],
	    .socket_bytes = h->socket_bytes};
	each = plus(s->data_bytes, times(s->descriptors, s->socket_bytes));
	s->worst_bytes = plus(s->scratch_bytes, times(s->processes, each));
	s->is_whole_host =
	    h->memory_bytes != 0 && s->worst_bytes >= h->memory_bytes;
	if (s->is_whole_host)
		s->worst_bytes = h->memory_bytes;
}
