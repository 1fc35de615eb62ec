/*
 * kernel_abi.h - kernel interfaces that the headers of the oldest supported
 * system (Debian 12: Linux 6.1, glibc 2.36) do not have yet, with the version
 * each came with.
 *
 * Whether the running kernel has one is decided by asking it (the Landlock
 * ABI, EINVAL, E2BIG, ENOSYS), never by its version: vendors carry features
 * back, and a container can be told another uname.  Nothing else is missing:
 * the mount API is in glibc's <sys/mount.h>, and no part uses the pidfd
 * ioctls of 6.11, since 6.1 has to do without them.
 */
#ifndef COMMON_KERNEL_ABI_H
#define COMMON_KERNEL_ABI_H

#include <linux/landlock.h>

#include <stdint.h>

/* Landlock, by ABI. */
#ifndef LANDLOCK_ACCESS_FS_REFER /* ABI 2, 5.19 */
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE /* ABI 3, 6.2 */
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP /* ABI 4, 6.7 */
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV /* ABI 5, 6.10 */
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET /* ABI 6, 6.12 */
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif
#ifndef LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF /* ABI 7, 6.15 */
#define LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF (1U << 0)
#define LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON (1U << 1)
#define LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF (1U << 2)
#endif

/*
 * struct landlock_ruleset_attr with every member up to ABI 7.  A kernel takes
 * a larger struct than its own as long as what it does not know is zero
 * (E2BIG otherwise); a right it does not know is EINVAL for the whole.
 */
struct kabi_landlock_ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* ABI 4, 6.7 */
	uint64_t scoped;	     /* ABI 6, 6.12 */
};
_Static_assert(sizeof(struct kabi_landlock_ruleset_attr) == 24,
    "the kernel's layout");

/* Every file right of an ABI: bits 0 to 12, then one or none an ABI. */
#define KABI_LANDLOCK_FS_ABI1 ((1ULL << 13) - 1)
#define KABI_LANDLOCK_FS_ABI2 (KABI_LANDLOCK_FS_ABI1 | LANDLOCK_ACCESS_FS_REFER)
#define KABI_LANDLOCK_FS_ABI3 \
	(KABI_LANDLOCK_FS_ABI2 | LANDLOCK_ACCESS_FS_TRUNCATE)
#define KABI_LANDLOCK_FS_ABI5 \
	(KABI_LANDLOCK_FS_ABI3 | LANDLOCK_ACCESS_FS_IOCTL_DEV)

#endif
