/*
 * confine.c: a step that fails, and one that only says it worked, is found.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>

#include "confine_fixture.h"

static void
assert_confine_fails(const char *state_dir, enum diag_code code,
    const char *words)
{
	struct diag d = {.code = DIAG_NONE, .message = ""};
	bool has = false;

	CHECK(confine_self(&(struct confine_paths){state_dir, -1}, false, &has,
		  &d) == -1);
	CHECK(d.code == code);
	check_says(d.message, words);
}

static void
child_missing_dir(void)
{
	assert_confine_fails("/nonexistent", DIAG_INTERNAL,
	    "cannot confine the broker: /nonexistent: No such file");
}

/* The canary can fail: here the rule lets it through. */
static void
child_canary(void)
{
	assert_confine_fails("/proc", DIAG_INTERNAL, "Landlock let");
}

/* A system call that "succeeds" and does nothing must be found out. */
static void
child_seccomp_lies(void)
{
	break_syscall(SYS_seccomp, 0);
	assert_confine_fails(NULL, DIAG_INTERNAL, "Seccomp_filters");
}

static void
child_landlock_lies(void)
{
	break_syscall(SYS_landlock_restrict_self, 0);
	assert_confine_fails(NULL, DIAG_INTERNAL, "Landlock let");
}

static void
child_seccomp_fails(void)
{
	break_syscall(SYS_seccomp, EINVAL);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "cannot confine the broker: seccomp: Invalid argument");
}

static void
child_prctl_fails(void)
{
	break_syscall(SYS_prctl, EINVAL);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "no_new_privs: Invalid argument");
}

static void
child_ruleset_fails(void)
{
	break_syscall(SYS_landlock_create_ruleset, EPERM);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "landlock_create_ruleset: Operation not permitted");
}

static void
child_rule_fails(void)
{
	break_syscall(SYS_landlock_add_rule, EINVAL);
	assert_confine_fails("/tmp", DIAG_INTERNAL, "landlock_add_rule");
}

static void
child_restrict_fails(void)
{
	break_syscall(SYS_landlock_restrict_self, E2BIG);
	assert_confine_fails(NULL, DIAG_INTERNAL, "landlock_restrict_self");
}

static void
child_status_fails(void)
{
	break_syscall(SYS_pread64, EIO);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "read /proc/self/status: Input/output error");
}

static void
child_open_fails(void)
{
	break_syscall(SYS_openat, EMFILE);
	assert_confine_fails(NULL, DIAG_INTERNAL, "open /proc/self/status");
}

static void
child_no_landlock(void)
{
	break_syscall(SYS_landlock_create_ruleset, ENOSYS);
	assert_confine_fails(NULL, DIAG_REFUSED, "--allow-degraded=landlock");
}

static void
child_landlock_waived(void)
{
	struct diag d;
	bool has = true;

	break_syscall(SYS_landlock_create_ruleset, EOPNOTSUPP);
	CHECK(confine_self(&(struct confine_paths){NULL, -1}, true, &has, &d) ==
	    0);
	CHECK(!has);
	CHECK(socket(AF_UNIX, SOCK_STREAM, 0) == -1 && errno == EPERM);
}

static void
test_failures(void **state)
{
	static void (*const children[])(void) = {child_seccomp_fails,
	    child_prctl_fails, child_ruleset_fails, child_status_fails,
	    child_open_fails, child_no_landlock, child_landlock_waived};

	(void)state;
	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		in_child(children[i]);
}

static void
test_landlock_failures(void **state)
{
	static void (*const children[])(void) = {child_missing_dir,
	    child_canary, child_seccomp_lies, child_landlock_lies,
	    child_rule_fails, child_restrict_fails};

	(void)state;
	if (!has_landlock())
		skip();
	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		in_child(children[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_failures),
	    cmocka_unit_test(test_landlock_failures),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
