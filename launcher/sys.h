/*
 * sys.h - system calls that libc has no wrapper for, or wraps with state of
 * its own.  Owner: sys.c, the only file of the launcher with raw numbers.
 * Each gives the kernel's result, or -1 with errno.
 */
#ifndef LAUNCHER_SYS_H
#define LAUNCHER_SYS_H

#include <linux/filter.h>

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

struct mount_attr; /* <sys/mount.h> */
struct open_how;   /* <linux/openat2.h> */

/* As fork(2); *pidfd is set in the parent when it is not NULL. */
pid_t sys_clone(uint64_t flags, int *pidfd);
int sys_openat2(int dirfd, const char *path, const struct open_how *how);
int sys_open_tree(int dirfd, const char *path, unsigned int flags);
/* Moves the mount that from is (MOVE_MOUNT_F_EMPTY_PATH) to path. */
int sys_move_mount(int from, int dirfd, const char *path);
int sys_mount_setattr(int dirfd, const char *path, unsigned int flags,
    const struct mount_attr *attr);
int sys_fsopen(const char *fstype);
int sys_fsconfig_string(int fs, const char *key, const char *value);
int sys_fsconfig_flag(int fs, const char *key);
int sys_fsconfig_create(int fs);
/* The options set since then, on a file system that is mounted. */
int sys_fsconfig_reconfigure(int fs);
int sys_fsmount(int fs, unsigned int attrs); /* MOUNT_ATTR_* */
int sys_pivot_root(const char *new_root, const char *put_old);
/* The ABI that the kernel has; -1 with ENOSYS or EOPNOTSUPP when none. */
int sys_landlock_abi(void);
int sys_landlock_create(const void *attr, size_t size);
int sys_landlock_add_path(int ruleset, int fd, uint64_t access);
int sys_landlock_restrict(int ruleset);
int sys_seccomp_load(const struct sock_filter *insns, uint32_t len);
int sys_keyring_join_new(void);
/* Also for the two signals that libc keeps for itself. */
int sys_signal_default(int sig);
/* A system call by number, without arguments: for the filters' canaries. */
int sys_canary(int nr);

#endif
