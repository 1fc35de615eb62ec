/*
 * kernel_abi.h - kernel interfaces that the headers of the oldest supported
 * system (Debian 12: Linux 6.1, glibc 2.36) do not have yet, with the version
 * each came with.
 *
 * Whether the running kernel has one is decided by calling it (ENOSYS,
 * ENOTTY, EINVAL, E2BIG, the Landlock ABI), never by its version: vendors
 * carry features back, and containers lie about uname.
 */
#ifndef COMMON_KERNEL_ABI_H
#define COMMON_KERNEL_ABI_H

#include <linux/ioctl.h>
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

/* An enumerator in newer headers: no #ifndef could see it. */
#define KABI_LANDLOCK_RULE_NET_PORT 2 /* ABI 4, 6.7 */

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

struct kabi_landlock_net_port_attr { /* ABI 4, 6.7 */
	uint64_t allowed_access;
	uint64_t port;
};

/* Every file right of an ABI: bits 0 to 12, then one or none an ABI. */
#define KABI_LANDLOCK_FS_ABI1 ((1ULL << 13) - 1)
#define KABI_LANDLOCK_FS_ABI2 (KABI_LANDLOCK_FS_ABI1 | LANDLOCK_ACCESS_FS_REFER)
#define KABI_LANDLOCK_FS_ABI3 \
	(KABI_LANDLOCK_FS_ABI2 | LANDLOCK_ACCESS_FS_TRUNCATE)
#define KABI_LANDLOCK_FS_ABI5 \
	(KABI_LANDLOCK_FS_ABI3 | LANDLOCK_ACCESS_FS_IOCTL_DEV)

/* pidfd ioctls: the namespaces 6.11, the info 6.13. */
#define KABI_PIDFS_IOCTL_MAGIC 0xFF
#define KABI_PIDFD_NS(nr) _IO(KABI_PIDFS_IOCTL_MAGIC, (nr))
#define KABI_PIDFD_GET_CGROUP_NAMESPACE KABI_PIDFD_NS(1)
#define KABI_PIDFD_GET_IPC_NAMESPACE KABI_PIDFD_NS(2)
#define KABI_PIDFD_GET_MNT_NAMESPACE KABI_PIDFD_NS(3)
#define KABI_PIDFD_GET_NET_NAMESPACE KABI_PIDFD_NS(4)
#define KABI_PIDFD_GET_PID_NAMESPACE KABI_PIDFD_NS(5)
#define KABI_PIDFD_GET_USER_NAMESPACE KABI_PIDFD_NS(9)
#define KABI_PIDFD_GET_UTS_NAMESPACE KABI_PIDFD_NS(10)

#define KABI_PIDFD_INFO_PID (1ULL << 0)	     /* always given */
#define KABI_PIDFD_INFO_CREDS (1ULL << 1)    /* always given */
#define KABI_PIDFD_INFO_CGROUPID (1ULL << 2) /* when asked for */

struct kabi_pidfd_info { /* the first published size, 6.13 */
	uint64_t mask;	 /* in: asked for; out: given */
	uint64_t cgroupid;
	uint32_t pid; /* as the caller's pid namespace sees it */
	uint32_t tgid;
	uint32_t ppid;
	uint32_t ruid;
	uint32_t rgid;
	uint32_t euid;
	uint32_t egid;
	uint32_t suid;
	uint32_t sgid;
	uint32_t fsuid;
	uint32_t fsgid;
	int32_t exit_code; /* 6.15 */
};
_Static_assert(sizeof(struct kabi_pidfd_info) == 64, "the kernel's layout");
#define KABI_PIDFD_GET_INFO \
	_IOWR(KABI_PIDFS_IOCTL_MAGIC, 11, struct kabi_pidfd_info)

/* Mount API. */
#ifndef MOVE_MOUNT_BENEATH /* 6.5 */
#define MOVE_MOUNT_BENEATH 0x00000200
#endif
#define KABI_FSCONFIG_CMD_CREATE_EXCL 8 /* 6.6; an enumerator later */

#endif
