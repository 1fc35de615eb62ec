/*
 * host.h - what the host says of itself, read once while files can still be
 * opened: the broker is confined when it needs this to explain a gap.
 * Owner: host.c.  Explains only: whether a control holds is decided by the
 * launcher's read-back, never here.
 */
#ifndef BROKER_HOST_H
#define BROKER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "leaf.h"

#define HOST_UNKNOWN (-1)

struct host {
	char sysname[65];
	char release[65];
	char machine[65];
	char boot_id[37];
	/* sysctls; HOST_UNKNOWN where this kernel has none */
	long max_user_namespaces;
	long unprivileged_userns_clone;
	long apparmor_restrict_userns;
	bool is_proc_masked; /* something is mounted over parts of /proc */
	bool is_proc_hidepid;
	bool has_user_manager;	/* a systemd user manager answers */
	struct leaf_place leaf; /* leaf_find() fills it */
	uint64_t memory_bytes;	/* with swap; 0: unknown */
	uint64_t socket_bytes;	/* of one socket's buffers at most */
};

/* All of it but leaf. */
void host_read(struct host *h);

#endif
