/*
 * sys.c - raw system calls, one function each and nothing else.
 *
 * Kept apart so that an auditor finds every unwrapped entry into the kernel in
 * one place and a test build can replace them.  Called by all of launcher/.
 */
#include <linux/capability.h>
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
sys_pidfd_kill(int pidfd, int sig)
{
	return ((int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0));
}

int
sys_close_range(unsigned int first, unsigned int last, unsigned int flags)
{
	return ((int)syscall(SYS_close_range, first, last, flags));
}

int
sys_openat2(int dirfd, const char *path, const struct open_how *how)
{
	return ((int)syscall(SYS_openat2, dirfd, path, how, sizeof(*how)));
}

int
sys_open_tree(int dirfd, const char *path, unsigned int flags)
{
	return ((
	    int)syscall(SYS_open_tree, dirfd, path, flags | OPEN_TREE_CLOEXEC));
}

int
sys_move_mount(int from, int dirfd, const char *path)
{
	return ((int)syscall(SYS_move_mount, from, "", dirfd, path,
	    MOVE_MOUNT_F_EMPTY_PATH));
}

int
sys_mount_setattr(int dirfd, const char *path, unsigned int flags,
    const struct mount_attr *attr)
{
	return ((int)syscall(SYS_mount_setattr, dirfd, path, flags, attr,
	    sizeof(*attr)));
}

int
sys_fsopen(const char *fstype)
{
	return ((int)syscall(SYS_fsopen, fstype, FSOPEN_CLOEXEC));
}

int
sys_fsconfig_string(int fs, const char *key, const char *value)
{
	return (
	    (int)syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0));
}

int
sys_fsconfig_flag(int fs, const char *key)
{
	return (
	    (int)syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, key, NULL, 0));
}

int
sys_fsconfig_create(int fs)
{
	return (
	    (int)syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
}

int
sys_fsconfig_reconfigure(int fs)
{
	return ((int)syscall(SYS_fsconfig, fs, FSCONFIG_CMD_RECONFIGURE, NULL,
	    NULL, 0));
}

int
sys_fsmount(int fs, unsigned int attrs)
{
	return ((int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attrs));
}

int
sys_pivot_root(const char *new_root, const char *put_old)
{
	return ((int)syscall(SYS_pivot_root, new_root, put_old));
}

int
sys_landlock_abi(void)
{
	return ((int)syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION));
}

int
sys_landlock_create(const void *attr, size_t size)
{
	return ((int)syscall(SYS_landlock_create_ruleset, attr, size, 0));
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
sys_landlock_restrict(int ruleset)
{
	return ((int)syscall(SYS_landlock_restrict_self, ruleset, 0));
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
sys_capset_none(void)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};

	return ((int)syscall(SYS_capset, &head, none));
}

int
sys_keyring_join_new(void)
{
	return ((int)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0,
	    0, 0));
}

int
sys_signal_default(int sig)
{
	/* The kernel's struct sigaction: handler, flags, restorer, mask. */
	unsigned long action[4] = {0};

	return ((int)syscall(SYS_rt_sigaction, sig, action, NULL,
	    sizeof(action[3])));
}

long
sys_canary(long nr)
{
	return (syscall(nr));
}
