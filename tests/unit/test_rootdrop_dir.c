/*
 * What cannot become a state directory when root hands it over.  That it is
 * made and given: test_rootdrop.c.
 */
#include "child_fixture.h"

#include <sys/stat.h>

#include <limits.h>

#include "rootdrop.h"

static char base[] = "/tmp/agsbx-rootdrop.XXXXXX";
static char dir[64];

static int
make_base(void **state)
{
	(void)state;
	if (mkdtemp(base) == NULL)
		return (-1);
	(void)snprintf(dir, sizeof(dir), "%s/state", base);
	return (0);
}

static int
remove_base(void **state)
{
	(void)state;
	return (rmdir(base));
}

/* Who gives to itself takes the same way, and needs no root. */
static struct rootdrop
giver(void)
{
	return ((struct rootdrop){.is_root = true,
	    .uid = getuid(),
	    .gid = getgid(),
	    .name = "nobody"});
}

static void
want_not_given(const char *path, const char *words)
{
	const struct rootdrop r = giver();
	struct diag d = {0};

	assert_int_equal(rootdrop_give_dir(&r, path, &d), -1);
	assert_int_equal(d.code, DIAG_LEDGER);
	if (strstr(d.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", d.message, words);
}

static void
test_no_directory(void **state)
{
	char path[4096];
	FILE *f;

	(void)state;
	want_not_given("/", "/ cannot be a state directory");
	want_not_given("///", "/// cannot be a state directory");
	want_not_given("state", "state cannot be a state directory");
	(void)snprintf(path, sizeof(path), "%s/%0*d", base, NAME_MAX + 1, 0);
	want_not_given(path, "cannot be a state directory");
	(void)snprintf(path, sizeof(path), "/%0*d", 2048, 0);
	want_not_given(path, "path too long: /0000");
	(void)snprintf(path, sizeof(path), "%s/none/state", base);
	want_not_given(path, "none/state: No such file or directory");
	f = fopen(dir, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	want_not_given(dir, "/state: Not a directory");
	assert_int_equal(unlink(dir), 0);
}

/* A slash at the end is the same directory. */
static void
test_slashes(void **state)
{
	const struct rootdrop r = giver();
	char path[80];
	struct diag d = {0};
	struct stat st;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s//", dir);
	assert_int_equal(rootdrop_give_dir(&r, path, &d), 0);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_uid, r.uid);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(rmdir(dir), 0);
}

static void
check_not_given(int nr, int err, const char *words)
{
	const struct rootdrop r = giver();
	struct diag d = {0};

	break_syscall(nr, err);
	CHECK(rootdrop_give_dir(&r, dir, &d) == -1);
	CHECK(d.code == DIAG_LEDGER);
	check_says(d.message, words);
}

static void
child_full(void)
{
	check_not_given(SYS_mkdirat, ENOSPC, "/state: No space left on device");
}

static void
child_not_given(void)
{
	check_not_given(SYS_fchown, EPERM,
	    "/state to nobody: Operation not permitted");
}

static void
test_system_calls(void **state)
{
	(void)state;
	in_child(child_full);
	assert_int_equal(access(dir, F_OK), -1);
	in_child(child_not_given);
	assert_int_equal(rmdir(dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_directory),
	    cmocka_unit_test(test_slashes),
	    cmocka_unit_test(test_system_calls),
	};

	return (cmocka_run_group_tests(tests, make_base, remove_base));
}
