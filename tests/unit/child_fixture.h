/*
 * child_fixture.h - runs a test in a child, which may confine itself, become
 * somebody else, or be refused a system call.
 */
#ifndef TESTS_CHILD_FIXTURE_H
#define TESTS_CHILD_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A leak check at the end of a confined process would want clone and ptrace. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return ("detect_leaks=0");
}

/* In a child: a failed one ends it. */
#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			(void)dprintf(2, "%s:%d: %s (errno %d)\n", __FILE__, \
			    __LINE__, #cond, errno); \
			exit(1); \
		} \
	} while (0)

/* In a child: text must have these words. */
static inline void
check_says(const char *text, const char *words)
{
	if (strstr(text, words) != NULL)
		return;
	(void)dprintf(2, "\"%s\" does not say \"%s\"\n", text, words);
	exit(1);
}

/* Runs fn in a child: its wait status. */
static inline int
status_of(void (*fn)(void))
{
	int status = -1;

	(void)fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(30);
		fn();
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return (status);
}

/* Runs fn in a child, which must come to its end. */
static inline void
in_child(void (*fn)(void))
{
	int status = status_of(fn);

	if (status != 0)
		fail_msg("the child ended with status %#x", status);
}

/* In a child: makes one system call answer with err, or with 0, undone. */
static inline void
break_syscall(int nr, int err)
{
	struct sock_filter insns[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(insns) / sizeof(insns[0]), insns};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
}

static inline void
write_proc(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	CHECK(close(fd) == 0);
}

/* In a child: root of a user namespace that maps it alone. */
static inline void
be_lonely_root(int more_namespaces)
{
	unsigned int uid = getuid(), gid = getgid();
	char map[32];

	CHECK(unshare(CLONE_NEWUSER | more_namespaces) == 0);
	write_proc("/proc/self/setgroups", "deny");
	(void)snprintf(map, sizeof(map), "0 %u 1\n", uid);
	write_proc("/proc/self/uid_map", map);
	(void)snprintf(map, sizeof(map), "0 %u 1\n", gid);
	write_proc("/proc/self/gid_map", map);
}

static inline void
try_lonely_root(void)
{
	exit(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 ? 0 : 1);
}

/* Else the test is skipped: this host has no user namespaces for us. */
static inline void
skip_without_userns(void)
{
	if (status_of(try_lonely_root) == 0)
		return;
	print_message("no user namespace of our own\n");
	skip();
}

#endif
