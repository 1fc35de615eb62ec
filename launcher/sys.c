/*
 * sys.c - raw system calls, one function each and nothing else: an auditor
 * finds every unwrapped entry into the kernel here.
 */
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include <sys/mount.h>
#include <sys/syscall.h>

#include <signal.h>
#include <unistd.h>

#include "sys.h"

/* A function that is its system call: SYS(name, (parameters), arguments). */
#define SYS(name, params, ...) \
	int name params \
	{ \
		return ((int)syscall(__VA_ARGS__)); \
	}

SYS(sys_openat2, (int dirfd, const char *path, const struct open_how *how),
    SYS_openat2, dirfd, path, how, sizeof(*how))
SYS(sys_open_tree, (int dirfd, const char *path, unsigned int flags),
    SYS_open_tree, dirfd, path, flags | OPEN_TREE_CLOEXEC)
SYS(sys_move_mount, (int from, int dirfd, const char *path), SYS_move_mount,
    from, "", dirfd, path, MOVE_MOUNT_F_EMPTY_PATH)
SYS(sys_mount_setattr,
    (int dirfd, const char *path, unsigned int flags,
	const struct mount_attr *attr),
    SYS_mount_setattr, dirfd, path, flags, attr, sizeof(*attr))
SYS(sys_fsopen, (const char *fstype), SYS_fsopen, fstype, FSOPEN_CLOEXEC)
SYS(sys_fsconfig_string, (int fs, const char *key, const char *value),
    SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0)
SYS(sys_fsconfig_flag, (int fs, const char *key), SYS_fsconfig, fs,
    FSCONFIG_SET_FLAG, key, NULL, 0)
SYS(sys_fsconfig_create, (int fs), SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL,
    NULL, 0)
SYS(sys_fsconfig_reconfigure, (int fs), SYS_fsconfig, fs,
    FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0)
SYS(sys_fsmount, (int fs, unsigned int attrs), SYS_fsmount, fs, FSMOUNT_CLOEXEC,
    attrs)
SYS(sys_pivot_root, (const char *new_root, const char *put_old), SYS_pivot_root,
    new_root, put_old)
SYS(sys_landlock_abi, (void), SYS_landlock_create_ruleset, NULL, 0,
    LANDLOCK_CREATE_RULESET_VERSION)
SYS(sys_landlock_create, (const void *attr, size_t size),
    SYS_landlock_create_ruleset, attr, size, 0)
SYS(sys_landlock_restrict, (int ruleset), SYS_landlock_restrict_self, ruleset,
    0)
SYS(sys_keyring_join_new, (void), SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL,
    0, 0, 0)
SYS(sys_canary, (int nr), nr)

pid_t
sys_clone(uint64_t flags, int *pidfd)
{
	struct clone_args args = {.flags = flags, .exit_signal = SIGCHLD};

	if (pidfd != NULL) {
		args.flags |= CLONE_PIDFD;
		args.pidfd = (uintptr_t)pidfd;
	}
	return ((pid_t)syscall(SYS_clone3, &args, sizeof(args)));
}

int
sys_landlock_add_path(int ruleset, int fd, uint64_t access)
{
	struct landlock_path_beneath_attr attr = {.allowed_access = access,
	    .parent_fd = fd};

	return ((int)syscall(SYS_landlock_add_rule, ruleset,
	    LANDLOCK_RULE_PATH_BENEATH, &attr, 0));
}

int
sys_seccomp_load(const struct sock_filter *insns, uint32_t len)
{
	union {
		const struct sock_filter *in;
		struct sock_filter *out;
	} filter = {.in = insns}; /* the kernel only reads it */
	struct sock_fprog prog = {.len = (unsigned short)len,
	    .filter = filter.out};

	return ((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog));
}

int
sys_signal_default(int sig)
{
	/* The kernel's struct sigaction: handler, flags, restorer, mask. */
	unsigned long action[4] = {0};

	return ((int)syscall(SYS_rt_sigaction, sig, action, NULL,
	    sizeof(action[3])));
}
