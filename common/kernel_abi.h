/*
 * kernel_abi.h - what the headers of Debian 12 (Linux 6.1) lack of Landlock.
 * The kernel is asked for its ABI, never its version.
 */
#ifndef COMMON_KERNEL_ABI_H
#define COMMON_KERNEL_ABI_H

#include <stdint.h>

#define KABI_LANDLOCK_TRUNCATE (1ULL << 14)  /* ABI 3, 6.2 */
#define KABI_LANDLOCK_IOCTL_DEV (1ULL << 15) /* ABI 5, 6.10 */
#define KABI_LANDLOCK_SCOPE_UNIX (1ULL << 0) /* ABI 6, 6.12: abstract ones */
#define KABI_LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
/* Every file right of an ABI: 2 brought the 14th of them, 4 none. */
#define KABI_LANDLOCK_FS(abi) \
	((1ULL << ((abi) >= 5 ? 16 : (abi) >= 3 ? 15 : 12 + (abi))) - 1)

/* A kernel takes a larger struct than its own if the rest is 0 (else E2BIG);
 * one right that it does not know is EINVAL for the whole. */
struct kabi_landlock_ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* ABI 4, 6.7 */
	uint64_t scoped;	     /* ABI 6, 6.12 */
};

#endif
