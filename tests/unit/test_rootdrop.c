/*
 * Who agsbx becomes when root starts it, which directory it is given, and that
 * nothing of root is left.  The drop itself needs root and is skipped else.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rootdrop.h"

static void
test_uid_map(void **state)
{
	(void)state;
	assert_true(uid_map_is_single("         0       1000          1\n"));
	assert_false(uid_map_is_single("         0          0 4294967295\n"));
	assert_false(uid_map_is_single("0 1000 1\n1 100000 65536\n"));
	assert_false(uid_map_is_single("0 1000 1"));
	assert_false(uid_map_is_single(""));
	assert_false(uid_map_is_single("x\n"));
}

static void
test_plan(void **state)
{
	struct rootdrop r;
	struct diag d = {0};

	(void)state;
	assert_int_equal(rootdrop_plan(&r, &d), 0);
	if (getuid() != 0) {
		assert_false(r.is_root || r.is_lonely);
		assert_int_equal(rootdrop_drop(&r, &d), 0);
		assert_int_equal(rootdrop_give_dir(&r, "/nowhere", &d), 0);
		return;
	}
	if (r.is_lonely)
		return;
	assert_true(r.is_root);
	assert_int_not_equal(r.uid, 0);
	assert_int_not_equal(r.gid, 0);
}

static void
skip_unless_root(void)
{
	if (getuid() != 0) {
		print_message("only root has an identity to drop\n");
		skip();
	}
}

static void
skip_unless_dropping(const struct rootdrop *r)
{
	if (!r->is_root) {
		print_message("this user namespace maps root alone\n");
		skip();
	}
}

static void
test_give_dir(void **state)
{
	char base[] = "/tmp/agsbx-rootdrop.XXXXXX", dir[64];
	struct rootdrop r;
	struct diag d = {0};
	struct stat st;

	(void)state;
	skip_unless_root();
	assert_int_equal(rootdrop_plan(&r, &d), 0);
	skip_unless_dropping(&r);
	assert_non_null(mkdtemp(base));
	(void)snprintf(dir, sizeof(dir), "%s/state", base);
	/* The account could not come there. */
	assert_int_equal(rootdrop_give_dir(&r, dir, &d), -1);
	assert_non_null(strstr(d.message, "cannot be reached by"));
	assert_int_equal(access(dir, F_OK), -1);
	assert_int_equal(chmod(base, 0711), 0);
	/* New: made, closed, given. */
	assert_int_equal(rootdrop_give_dir(&r, dir, &d), 0);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_uid, r.uid);
	assert_int_equal(st.st_mode & 0777, 0700);
	/* Again: it is the account's already. */
	assert_int_equal(rootdrop_give_dir(&r, dir, &d), 0);
	/* One of root's own is not taken over. */
	assert_int_equal(chown(dir, 0, 0), 0);
	assert_int_equal(rootdrop_give_dir(&r, dir, &d), -1);
	assert_int_equal(d.code, DIAG_LEDGER);
	assert_non_null(strstr(d.message, "does not belong to"));
	assert_int_equal(rmdir(dir), 0);
	/* A link is not followed. */
	assert_int_equal(symlink("/etc", dir), 0);
	assert_int_equal(rootdrop_give_dir(&r, dir, &d), -1);
	assert_non_null(strstr(d.message, "cannot open"));
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(rmdir(base), 0);
	assert_int_equal(rootdrop_give_dir(&r, "/proc/x/y", &d), -1);
	assert_non_null(strstr(d.message, "cannot make"));
}

/* In a child: there is no way back. */
static int
drop_and_look(const struct rootdrop *r)
{
	struct diag d = {0};

	if (freopen("/dev/null", "w", stderr) == NULL ||
	    rootdrop_drop(r, &d) == -1)
		return (1);
	if (getuid() != r->uid || geteuid() != r->uid || getgid() != r->gid ||
	    getgroups(0, NULL) != 0)
		return (2);
	if (seteuid(0) == 0 || access("/root", R_OK) == 0)
		return (3);
	return (0);
}

static void
test_drop(void **state)
{
	struct rootdrop r;
	struct diag d = {0};
	int status;
	pid_t pid;

	(void)state;
	skip_unless_root();
	assert_int_equal(rootdrop_plan(&r, &d), 0);
	skip_unless_dropping(&r);
	pid = fork();
	if (pid == 0)
		_exit(drop_and_look(&r));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_uid_map),
	    cmocka_unit_test(test_plan),
	    cmocka_unit_test(test_give_dir),
	    cmocka_unit_test(test_drop),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
