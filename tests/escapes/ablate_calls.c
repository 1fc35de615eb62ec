/*
 * ablate_calls.c - stands between the launcher's objects and libc.
 *
 * Each function does what libc's does, less what is ablated.  The row that is
 * being set (ablate_row()) tells calls of one kind apart.
 */
#include <linux/sched.h>
#include <linux/seccomp.h>

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <net/if.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ablate.h"
#include "kernel_abi.h"
#include "launcher.h"

static pid_t init_pid; /* in init and job: init as getpid() has it */
static pid_t job_pid;  /* in init */

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);

/* The namespaces that are left out, or whose row is a stub. */
static uint64_t
spaces_less(uint64_t flags)
{
	static const struct {
		enum ablation ablation;
		uint64_t flag;
	} spaces[] = {{ABL_NS_PID, CLONE_NEWPID}, {ABL_NS_NET, CLONE_NEWNET},
	    {ABL_NS_IPC, CLONE_NEWIPC}, {ABL_NS_UTS, CLONE_NEWUTS},
	    {ABL_NS_CG, CLONE_NEWCGROUP}};
	const char *stub = getenv(STUB_ENV);

	for (size_t i = 0; i < COUNT(spaces); i++) {
		if (ablated(spaces[i].ablation))
			flags &= ~spaces[i].flag;
	}
	for (enum control ctl = 0; stub != NULL && ctl < CTL__MAX; ctl++) {
		if (strcmp(controls[ctl].name, stub) == 0)
			flags &= ~controls[ctl].clone_flag;
	}
	return (flags);
}

/* lc.eof: the ends that init should close stay open in it. */
static void
keep_sockets(void)
{
	int type;
	socklen_t size = sizeof(type);

	for (int fd = 0; fd < 64; fd++) {
		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0)
			(void)fcntl(fd, F_DUPFD_CLOEXEC, 100);
	}
}

/* The clone that makes the first namespaces, and the one that makes the job. */
static long
clone_less(struct clone_args *args, size_t size)
{
	bool is_init = (args->flags & CLONE_NEWUSER) != 0;
	long pid;

	if (is_init)
		args->flags = spaces_less(args->flags);
	pid = __real_syscall(SYS_clone3, args, size);
	if (pid == 0 && is_init)
		init_pid = (pid_t)__real_syscall(SYS_getpid);
	if (pid == 0 && is_init && ablated(ABL_LC_EOF))
		keep_sockets();
	else if (pid > 0 && !is_init)
		job_pid = (pid_t)pid;
	return (pid);
}

static long
seccomp_less(unsigned long op, unsigned long flags,
    const struct sock_fprog *prog)
{
	static struct sock_filter insns[ABLATE_INSNS_MAX];
	struct sock_fprog less = {.filter = insns};

	less.len = (unsigned short)ablate_filter(insns, prog->filter, prog->len,
	    ablate_row() == CTL_FLOOR_FILTER);
	return (__real_syscall(SYS_seccomp, op, flags, &less));
}

long
__wrap_syscall(long nr, ...)
{
	struct kabi_landlock_ruleset_attr ruleset;
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_clone3)
		return (clone_less((void *)a[0], (size_t)a[1]));
	if (nr == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER &&
	    getenv(ABLATE_ENV) != NULL)
		return (seccomp_less((unsigned long)a[0], (unsigned long)a[1],
		    (const void *)a[2]));
	if (nr == SYS_keyctl && ablated(ABL_KEY_SESSION))
		return (0);
	if (nr == SYS_rt_sigaction && ablated(ABL_SG_RESET))
		return (0);
	if (nr == SYS_landlock_create_ruleset && a[0] != 0 &&
	    ablated(ABL_LL_SCOPE)) {
		memcpy(&ruleset, (const void *)a[0], sizeof(ruleset));
		ruleset.scoped = 0;
		a[0] = (long)&ruleset;
	}
	return (__real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]));
}

int __real_unshare(int flags);
int __wrap_unshare(int flags);

/* The launcher's own try of a third user namespace must not succeed. */
int
__wrap_unshare(int flags)
{
	uint64_t less = spaces_less((unsigned int)flags);

	if (flags == CLONE_NEWUSER && ablated(ABL_UC_USERNS)) {
		errno = ENOSPC;
		return (-1);
	}
	/* The try of one that there is must fail, whichever it is. */
	if (ablate_row() == CTL_NSCOUNTS)
		return (__real_unshare(flags));
	/* A row of its own makes one namespace; the last has two. */
	return (less == 0 ? 0 : __real_unshare(flags));
}

int __real_fstatat(int dir, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int dir, const char *path, struct stat *st, int flags);

/* A namespace that was left out seems to be another one than ours. */
int
__wrap_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	static const struct {
		enum ablation ablation;
		const char *path;
	} links[] = {{ABL_NS_PID, "ns/pid"}, {ABL_NS_NET, "ns/net"},
	    {ABL_NS_IPC, "ns/ipc"}, {ABL_NS_UTS, "ns/uts"},
	    {ABL_NS_CG, "ns/cgroup"}};
	int rc = __real_fstatat(dir, path, st, flags);

	for (size_t i = 0; i < COUNT(links); i++) {
		if (strncmp(path, links[i].path, strlen(links[i].path)) == 0 &&
		    ablated(links[i].ablation))
			st->st_ino ^= 1;
	}
	return (rc);
}

#define USERNS_MAX "sys/user/max_user_namespaces"

int __real_io_write_file(int dir, const char *name, const char *text);
int __wrap_io_write_file(int dir, const char *name, const char *text);
long __real_io_read_file(int dir, const char *name, char *buf, size_t size);
long __wrap_io_read_file(int dir, const char *name, char *buf, size_t size);

/* Files that are not written, and what they seem to hold. */
static struct {
	enum ablation ablation;
	const char *name;
	char text[32];
} kept[] = {{ABL_UC_USERNS, USERNS_MAX, ""}, {ABL_CG_MEM, "memory.max", ""},
    {ABL_CG_SWAP, "memory.swap.max", ""},
    {ABL_CG_GROUP, "memory.oom.group", ""}, {ABL_CG_PIDS, "pids.max", ""},
    {ABL_CG_CPU, "cpu.max", ""}};

static char *
kept_text(const char *name)
{
	for (size_t i = 0; i < COUNT(kept); i++) {
		if (strcmp(name, kept[i].name) == 0 &&
		    ablated(kept[i].ablation))
			return (kept[i].text);
	}
	return (NULL);
}

int
__wrap_io_write_file(int dir, const char *name, const char *text)
{
	char *instead = kept_text(name);

	if (instead == NULL)
		return (__real_io_write_file(dir, name, text));
	(void)stpncpy(instead, text, sizeof(kept[0].text) - 1);
	return (0);
}

/* CPU time is read from the leaf, or from the stat of a living process. */
long
__wrap_io_read_file(int dir, const char *name, char *buf, size_t size)
{
	const char *last = strrchr(name, '/'), *instead = kept_text(name);

	if (strcmp(name, "cpu.stat") == 0 && ablated(ABL_CLOCK_CPU))
		instead = "usage_usec 0\n";

	if (last != NULL && strcmp(last, "/stat") == 0 &&
	    ablated(ABL_CLOCK_CPU))
		return (-1);
	if (instead == NULL)
		return (__real_io_read_file(dir, name, buf, size));
	(void)stpcpy(buf, instead);
	return ((long)strlen(buf));
}

int __real_sethostname(const char *name, size_t len);
int __wrap_sethostname(const char *name, size_t len);
int __real_setdomainname(const char *name, size_t len);
int __wrap_setdomainname(const char *name, size_t len);

/* Never the host's. */
int
__wrap_sethostname(const char *name, size_t len)
{
	return (ablated(ABL_NS_UTS) ? 0 : __real_sethostname(name, len));
}
int
__wrap_setdomainname(const char *name, size_t len)
{
	return (ablated(ABL_NS_UTS) ? 0 : __real_setdomainname(name, len));
}

int __real_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

int
__wrap_ioctl(int fd, unsigned long request, void *arg)
{
	if (request == SIOCSIFFLAGS && ablated(ABL_NS_NET))
		return (0);
	return (__real_ioctl(fd, request, arg));
}

pid_t __real_getpid(void);
pid_t __wrap_getpid(void);
int __real_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig);

/* Init asks whether it is pid 1; the job needs its own number. */
pid_t
__wrap_getpid(void)
{
	pid_t pid = __real_getpid();

	return (ablated(ABL_NS_PID) && pid == init_pid ? 1 : pid);
}

/* Without a pid namespace -1 would be every process of the user. */
int
__wrap_kill(pid_t pid, int sig)
{
	const char *stub = getenv(STUB_ENV);
	bool is_bare =
	    ablated(ABL_NS_PID) || (stub != NULL && strcmp(stub, "pidns") == 0);
	int rc;

	/* The job stops itself: no namespace will end it when init dies. */
	if (is_bare && sig == SIGSTOP) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		rc = __real_kill(pid, sig);
		(void)prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
		return (rc);
	}
	if (pid != -1 || !is_bare)
		return (__real_kill(pid, sig));
	return (job_pid > 0 ? __real_kill(job_pid, sig) : 0);
}

pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);

/* Any child for the job. */
pid_t
__wrap_waitpid(pid_t pid, int *status, int options)
{
	pid_t got = __real_waitpid(pid, status, options);

	return (got > 0 && pid == -1 && status != NULL && ablated(ABL_LC_INIT) ?
		job_pid :
		got);
}

int __real_msg_recv(struct channel *ch, struct msg *m);
int __wrap_msg_recv(struct channel *ch, struct msg *m);

/* lc.eof: a broker that is gone is waited for. */
int
__wrap_msg_recv(struct channel *ch, struct msg *m)
{
	int n = __real_msg_recv(ch, m);

	while (n != 1 && ablated(ABL_LC_EOF))
		(void)pause();
	return (n);
}

mode_t __real_umask(mode_t mask);
mode_t __wrap_umask(mode_t mask);

mode_t
__wrap_umask(mode_t mask)
{
	return (ablated(ABL_SG_RESET) && ablate_row() == CTL_SESSION ?
		0 :
		__real_umask(mask));
}
