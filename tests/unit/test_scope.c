/*
 * When agsbx executes itself in a scope of the user manager, and with what; the
 * manager and systemd-run(1) are a script of this test's.
 */
#include "child_fixture.h"

#include <sys/stat.h>

#include "scope.h"

static char dir[] = "/tmp/agsbx-test-XXXXXX";
static char program[64];
static char out[64];

/* Does what it is told when it is tried.  Else writes its arguments, and its
 * guard, a line each. */
static void
put_script(const char *when_tried)
{
	FILE *f = fopen(program, "w");

	assert_non_null(f);
	(void)fprintf(f,
	    "#!/bin/sh\n[ \"$7\" = -- ] || exit 9\n"
	    "[ \"$8\" != /bin/true ] || { %s; }\n"
	    "{ printf '%%s\\n' \"$@\" \"guard=$AGSBX_SCOPE\"; "
	    "[ ! -e /proc/self/fd/9 ] || echo fd9; } > %s\nexit 5\n",
	    when_tried, out);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(program, 0755), 0);
}

static int
setup(void **state)
{
	(void)state;
	if (mkdtemp(dir) == NULL)
		return (-1);
	(void)snprintf(program, sizeof(program), "%s/run", dir);
	(void)snprintf(out, sizeof(out), "%s/out", dir);
	return (unsetenv(SCOPE_GUARD));
}

static int
teardown(void **state)
{
	(void)state;
	(void)unlink(program);
	(void)unlink(out);
	return (rmdir(dir));
}

static const char *const args[] = {"agsbx", "run", "-c", "x y", "", NULL};

static struct scope
scope_of_test(void)
{
	return ((struct scope){.systemd_run = program,
	    .is_allowed = true,
	    .has_manager = true,
	    .keep_fd = -1,
	    .argv = (char **)(uintptr_t)args});
}

static void
want_text(const struct scope *scope, const char *words)
{
	char text[320] = "";

	scope_enter(scope, text, sizeof(text));
	if (strstr(text, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", text, words);
}

static void
test_not_asked(void **state)
{
	struct scope scope = scope_of_test();

	(void)state;
	put_script("exit 0");
	scope.is_allowed = false;
	want_text(&scope, "not asked: [cgroup] systemd is no");
	scope = scope_of_test();
	scope.has_manager = false;
	want_text(&scope, "none: $XDG_RUNTIME_DIR has no systemd/private");
	scope = scope_of_test();
	assert_int_equal(setenv(SCOPE_GUARD, "1", 1), 0);
	want_text(&scope, "in a scope of it already");
	assert_int_equal(unsetenv(SCOPE_GUARD), 0);
	assert_int_equal(access(out, F_OK), -1);
}

static void
test_no_scope(void **state)
{
	struct scope scope = scope_of_test();

	(void)state;
	put_script("exit 1");
	want_text(&scope, "/run exited with 1");
	put_script("kill $$");
	want_text(&scope, "it gave no scope: ");
	want_text(&scope, "/run was ended by signal 15");
	scope.systemd_run = "/nonexistent";
	want_text(&scope, "/nonexistent exited with 127");
	assert_int_equal(access(out, F_OK), -1);
}

static void
test_executed_anew(void **state)
{
	char got[1024] = "", want[1024], self[512], text[320];
	struct scope scope = scope_of_test();
	int status = -1;
	ssize_t len;
	pid_t pid;
	FILE *f;

	(void)state;
	put_script("exit 0");
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (dup3(STDERR_FILENO, 9, O_CLOEXEC) != 9)
			_exit(1);
		scope.keep_fd = 9;
		scope_enter(&scope, text, sizeof(text));
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5); /* the same process */
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	assert_true(len > 0);
	self[len] = '\0';
	(void)snprintf(want, sizeof(want),
	    "--user\n--scope\n--quiet\n--collect\n-p\nDelegate=yes\n--\n"
	    "%s\nrun\n-c\nx y\n\nguard=1\nfd9\n",
	    self);
	f = fopen(out, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) > 0);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(got, want);
}

/* ---- what fails on the way ---- */

static void
check_text(const struct scope *scope, const char *words)
{
	char text[320] = "";

	scope_enter(scope, text, sizeof(text));
	check_says(text, words);
}

static void
child_cannot_fork(void)
{
	const struct scope scope = scope_of_test();

	break_syscall(SYS_clone, EAGAIN);
	check_text(&scope, "cannot try ");
	check_text(&scope, "/run: Resource temporarily unavailable");
	CHECK(getenv(SCOPE_GUARD) == NULL);
}

/* A program that cannot be waited for is not left behind, and gives nothing. */
static void
child_cannot_wait(void)
{
	const struct scope scope = scope_of_test();

	break_syscall(SYS_pidfd_open, ENOSYS);
	(void)alarm(5); /* it is not waited for either */
	check_text(&scope, "it gave no scope: ");
	check_text(&scope, "/run was ended by signal 9");
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	CHECK(getenv(SCOPE_GUARD) == NULL);
}

/* --json-fd was closed by somebody else meanwhile. */
static void
child_keeps_nothing(void)
{
	struct scope scope = scope_of_test();

	scope.keep_fd = 999;
	check_text(&scope, "cannot execute agsbx anew: Bad file descriptor");
}

static void
child_cannot_execute(void)
{
	const struct scope scope = scope_of_test();

	check_text(&scope, "cannot execute ");
	/* Once tried, and never again by what may be executed later. */
	check_text(&scope, "agsbx runs in a scope of it already");
}

static void
test_system_calls(void **state)
{
	(void)state;
	put_script("exit 0");
	in_child(child_cannot_fork);
	in_child(child_keeps_nothing);
	put_script("exec sleep 60");
	in_child(child_cannot_wait);
	/* There when it was tried, and gone when it was needed. */
	put_script("rm \"$0\"; exit 0");
	in_child(child_cannot_execute);
	assert_int_equal(access(out, F_OK), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_not_asked),
	    cmocka_unit_test(test_no_scope),
	    cmocka_unit_test(test_system_calls),
	    cmocka_unit_test(test_executed_anew),
	};

	return (cmocka_run_group_tests(tests, setup, teardown));
}
