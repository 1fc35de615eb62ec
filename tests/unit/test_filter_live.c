/*
 * test_filter_live.c - loads the floor and then the plan filter in a child, and
 * asks the kernel what test_filter.c asked the interpreter.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <signal.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "filter_oracle.h"

static int
load(const struct filter *f)
{
	/* The kernel only reads the instructions; its type says otherwise. */
	union {
		const struct sock_filter *in;
		struct sock_filter *out;
	} insns = {.in = f->insns};
	struct sock_fprog prog = {(unsigned short)f->len, insns.out};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return (-1);
	return ((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog));
}

struct live_row {
	long nr;
	unsigned long a0;
	unsigned long a1;
	int err_floor; /* after the floor alone; 0: it works; -1: not asked */
	int err_plan;  /* after both */
};
static const struct live_row live_rows[] = {
    {SYS_getpid, 0, 0, 0, 0},
    {SYS_unshare, CLONE_NEWUSER, 0, EPERM, EPERM},
    {SYS_ptrace, 0, 0, EPERM, EPERM},
    {SYS_keyctl, 0, 0, EPERM, EPERM},
    {SYS_clone3, 0, 0, ENOSYS, ENOSYS},
    {SYS_clone, CLONE_NEWNET | SIGCHLD, 0, EPERM, EPERM},
    {SYS_ioctl, (unsigned long)-1, 1UL << 32 | TIOCSTI, EPERM, ENOTTY},
    {SYS_ioctl, (unsigned long)-1, TCGETS, EBADF, EBADF},
    {SYS_socket, 40, SOCK_STREAM, EAFNOSUPPORT, EAFNOSUPPORT},
    {SYS_socket, 1UL << 32 | 40, SOCK_STREAM, EAFNOSUPPORT, EAFNOSUPPORT},
    {SYS_prlimit64, 1, 0, EPERM, EPERM},
    {SYS_fchmod, (unsigned long)-1, 04755, EPERM, EPERM},
    {SYS_fchmod, (unsigned long)-1, 0755, EBADF, EBADF},
    {SYS_setpriority, PRIO_PGRP, 0, EPERM, EPERM},
    {SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
	EPERM, EPERM},
    {SYS_personality, 0x40000, 0, -1, EPERM},
    {CANARY_FLOOR_NR, 0, 0, CANARY_FLOOR_ERRNO, ENOSYS},
    {CANARY_PLAN_NR, 0, 0, ENOSYS, CANARY_PLAN_ERRNO},
};

/* The index of the first row that the kernel answers differently, or -1. */
static int
first_wrong(bool has_plan)
{
	size_t i;

	for (i = 0; i < COUNT(live_rows); i++) {
		const struct live_row *r = &live_rows[i];
		int want = has_plan ? r->err_plan : r->err_floor;
		long rc;

		if (want == -1)
			continue;
		errno = 0;
		rc = syscall(r->nr, r->a0, r->a1, 0, 0, 0);
		if (want == 0 ? rc == -1 : (rc != -1 || errno != want))
			return ((int)i);
	}
	return (-1);
}

#define LIVE_LOAD 100
#define LIVE_OK 101

static void
live_child(bool has_plan)
{
	int wrong;

	if (load(&filter_floor) == -1 || (has_plan && load(&filter_plan) == -1))
		_exit(LIVE_LOAD);
	wrong = first_wrong(has_plan);
	_exit(wrong == -1 ? LIVE_OK : wrong);
}

static int
wait_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return (status);
}

static void
kernel_answers_the_same(void **state)
{
	unsigned int has_plan;

	(void)state;
	for (has_plan = 0; has_plan < 2; has_plan++) {
		pid_t pid = fork();
		int status;

		assert_true(pid != -1);
		if (pid == 0)
			live_child(has_plan != 0);
		status = wait_status(pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) != LIVE_OK)
			fail_msg("%s: row %d of live_rows",
			    has_plan ? "both" : "floor", WEXITSTATUS(status));
	}
}

#ifdef __x86_64__
static void
call_x32(void)
{
	(void)syscall(X32_BIT | SYS_getpid);
}

static void
call_i386(void)
{
	long rc = 20; /* getpid of i386, writev of x86-64 */

	__asm__ volatile("int $0x80"
			 : "+a"(rc)
			 :
			 : "memory", "r8", "r9", "r10", "r11");
}

static int
status_of(void (*call)(void), bool is_filtered)
{
	pid_t pid = fork();

	assert_true(pid != -1);
	if (pid == 0) {
		/* cmocka's handler would go on with the tests in here */
		(void)signal(SIGSEGV, SIG_DFL);
		if (is_filtered && load(&filter_floor) == -1)
			_exit(LIVE_LOAD);
		call();
		_exit(LIVE_OK);
	}
	return (wait_status(pid));
}
#endif

static void
kernel_kills_other_abis(void **state)
{
	(void)state;
#ifdef __x86_64__
	int status = status_of(call_x32, true);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
	status = status_of(call_i386, false);
	if (!WIFEXITED(status)) {
		print_message("SKIP: no int 0x80 here; x32 was killed\n");
		return;
	}
	status = status_of(call_i386, true);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
#else
	print_message("SKIP: one ABI only\n");
	skip();
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kernel_answers_the_same),
	    cmocka_unit_test(kernel_kills_other_abis),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
