/*
 * sys.h - what every part of the launcher uses of the system, and the system
 * calls that libc does not wrap, or wraps with state.
 */
#ifndef LAUNCHER_SYS_H
#define LAUNCHER_SYS_H

#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <net/if.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A function that is its system call: SYS(name, (parameters), arguments). */
#define SYS(name, params, ...) \
	static inline int name params \
	{ \
		return ((int)syscall(__VA_ARGS__)); \
	}

SYS(sys_openat2, (int dirfd, const char *path, const struct open_how *how),
    SYS_openat2, dirfd, path, how, sizeof(*how))
SYS(sys_pivot_root, (const char *new_root, const char *put_old), SYS_pivot_root,
    new_root, put_old)
SYS(sys_landlock, (const void *attr, size_t size, uint32_t flags),
    SYS_landlock_create_ruleset, attr, size, flags)
SYS(sys_landlock_add_path, (int ruleset, int fd, uint64_t access),
    SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
    &((struct landlock_path_beneath_attr){access, fd}), 0)
SYS(sys_landlock_restrict, (int ruleset), SYS_landlock_restrict_self, ruleset,
    0)
/* The kernel only reads insns. */
SYS(sys_seccomp_load, (const struct sock_filter *insns, uint32_t len),
    SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
    &((struct sock_fprog){(unsigned short)len,
	(struct sock_filter *)(uintptr_t)insns}))
SYS(sys_keyring_join_new, (void), SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL,
    0, 0, 0)
/* Also libc's own two; the words are handler, flags, restorer and mask. */
SYS(sys_signal_default, (int sig), SYS_rt_sigaction, sig,
    ((unsigned long[4]){0}), NULL, sizeof(unsigned long))
/* What init is born into; without these its kill(-1) would reach the host. */
#define CLONE_INIT ((uint64_t)(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
/* As fork(2); pidfd may be NULL, and cgroup, a directory, -1. */
SYS(sys_clone, (uint64_t flags, int *pidfd, int cgroup), SYS_clone3,
    &((struct clone_args){.flags = flags | (pidfd != NULL ? CLONE_PIDFD : 0) |
	    (cgroup != -1 ? CLONE_INTO_CGROUP : 0ULL),
	.pidfd = (uintptr_t)pidfd,
	.cgroup = cgroup != -1 ? (unsigned int)cgroup : 0,
	.exit_signal = SIGCHLD}),
    sizeof(struct clone_args))
/* A system call by number, without arguments: for the filters' canaries. */
SYS(sys_canary, (int nr), nr)

#endif
