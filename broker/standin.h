/*
 * standin.h - what bounds a job's memory where no cgroup does, and how much
 * that can be.  Owner: standin.c.  Explains only.
 */
#ifndef BROKER_STANDIN_H
#define BROKER_STANDIN_H

#include <stdbool.h>
#include <stdint.h>

#include "host.h"
#include "policy.h"

struct standin {
	uint64_t data_bytes; /* RLIMIT_DATA of each process */
	uint64_t processes;  /* RLIMIT_NPROC in the job's user namespace */
	uint64_t scratch_bytes;
	uint64_t descriptors;  /* of each process */
	uint64_t socket_bytes; /* of each descriptor */
	uint64_t worst_bytes;  /* all of that, at most what the host has */
	bool is_whole_host;
};

void
standin_find(struct standin *s, const struct host *h, const struct policy *p);
/* A socket's buffers at their largest; 0: unknown. */
uint64_t standin_socket_bytes(const char *proc_sys_net);

#endif
