/*
 * Where the records are, and that root is gone before it is told.
 */
#include "child_fixture.h"

#include "records.h"
#include "rootdrop.h"

static void
check_none(const char *flag, enum diag_code code, const char *words)
{
	struct diag d = {0};

	CHECK(records_dir(flag, &d) == NULL);
	CHECK(d.code == code);
	check_says(d.message, words);
}

static void
child_finds(void)
{
	struct diag d = {0};
	char *dir = records_dir("/nowhere/state", &d);

	CHECK(dir != NULL && strcmp(dir, "/nowhere/state") == 0);
	CHECK(access("/nowhere", F_OK) == -1);	 /* nothing is made */
	CHECK(geteuid() != 0 && getegid() != 0); /* whoever began */
	free(dir);
}

static void
child_finds_nothing(void)
{
	check_none("", DIAG_USAGE, "--state-dir needs a directory");
}

static void
child_has_no_home(void)
{
	CHECK(unsetenv("AGSBX_STATE_DIR") == 0);
	CHECK(unsetenv("XDG_STATE_HOME") == 0 && unsetenv("HOME") == 0);
	be_lonely_root(0); /* for whom the place is as for anybody */
	check_none(NULL, DIAG_LEDGER, "no place for the ledger");
}

/* Root, or who takes itself for root, and cannot become anybody else. */
static void
child_stays_root(void)
{
	struct rootdrop r;
	struct diag d = {0};

	break_syscall(SYS_getuid, 0);
	break_syscall(SYS_setgroups, EPERM);
	CHECK(rootdrop_plan(&r, &d) == 0);
	if (r.is_lonely)
		return; /* this host has nobody else */
	check_none("/nowhere/state", DIAG_INTERNAL,
	    ": Operation not permitted");
}

static void
child_knows_no_map(void)
{
	break_syscall(SYS_getuid, 0);
	break_syscall(SYS_openat, EIO);
	check_none("/nowhere/state", DIAG_INTERNAL,
	    "cannot read /proc/self/uid_map: Input/output error");
	_exit(0); /* nothing can be opened any more */
}

static void
test_dir(void **state)
{
	(void)state;
	in_child(child_finds);
	in_child(child_finds_nothing);
}

static void
test_no_dir(void **state)
{
	(void)state;
	in_child(child_stays_root);
	in_child(child_knows_no_map);
	skip_without_userns();
	in_child(child_has_no_home);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dir),
	    cmocka_unit_test(test_no_dir),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
