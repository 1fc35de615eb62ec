/*
 * kernel_abi.h - what the headers of Debian 12 (Linux 6.1) lack of Landlock.
 * The kernel is asked for its ABI, never its version.
 */
#ifndef COMMON_KERNEL_ABI_H
#define COMMON_KERNEL_ABI_H

#include <linux/landlock.h>

#include <stdint.h>

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE /* ABI 3, 6.2 */
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV /* ABI 5, 6.10 */
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_SCOPE_SIGNAL /* ABI 6, 6.12 */
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif

/* A kernel takes a larger struct than its own if the rest is 0 (else E2BIG);
 * one right that it does not know is EINVAL for the whole. */
struct kabi_landlock_ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* ABI 4, 6.7 */
	uint64_t scoped;	     /* ABI 6, 6.12 */
};

/* Every file right of an ABI: 4 brought none, and 2 was LANDLOCK_..._REFER. */
#define KABI_LANDLOCK_FS_ABI1 ((1ULL << 13) - 1)
#define KABI_LANDLOCK_FS_ABI2 ((1ULL << 14) - 1)
#define KABI_LANDLOCK_FS_ABI3 ((1ULL << 15) - 1)
#define KABI_LANDLOCK_FS_ABI5 ((1ULL << 16) - 1)

#endif
