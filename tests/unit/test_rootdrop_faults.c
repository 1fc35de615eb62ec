/*
 * rootdrop.c: a step of the drop that fails, and one that only says it worked,
 * is found.  Most of it needs no root: who becomes itself takes the same way.
 */
#include "child_fixture.h"

#include <sys/mount.h>

#include <grp.h>
#include <linux/securebits.h>

#include "rootdrop.h"

/* As whom everything is done that does not say otherwise. */
static struct rootdrop
myself(void)
{
	return ((struct rootdrop){.is_root = true,
	    .uid = getuid(),
	    .gid = getgid(),
	    .name = "nobody"});
}

/* An id that is not ours, whoever we are. */
static struct rootdrop
another(void)
{
	struct rootdrop r = myself();

	r.uid += 7;
	r.gid += 7;
	return (r);
}

/* ---- the drop ---- */

static void
check_not_dropped(const struct rootdrop *r, const char *words)
{
	struct diag d = {0};

	CHECK(rootdrop_drop(r, &d) == -1);
	CHECK(d.code == DIAG_INTERNAL);
	check_says(d.message, words);
}

static void
check_drop_fails(int nr, int err, const char *why)
{
	const struct rootdrop r = myself();

	if (nr != SYS_setgroups)
		break_syscall(SYS_setgroups, 0); /* not ours to call */
	break_syscall(nr, err);
	check_not_dropped(&r, "cannot become nobody: ");
	check_not_dropped(&r, why);
}

static void
child_setgroups_fails(void)
{
	check_drop_fails(SYS_setgroups, EPERM, "Operation not permitted");
}

static void
child_setresgid_fails(void)
{
	check_drop_fails(SYS_setresgid, EINVAL, "Invalid argument");
}

/* RLIMIT_NPROC of the account is reached. */
static void
child_setresuid_fails(void)
{
	check_drop_fails(SYS_setresuid, EAGAIN,
	    "Resource temporarily unavailable");
}

/* All three say that they worked. */
static void
child_all_lie(void)
{
	const struct rootdrop r = another();

	break_syscall(SYS_setgroups, 0);
	break_syscall(SYS_setresgid, 0);
	break_syscall(SYS_setresuid, 0);
	check_not_dropped(&r, "became nobody, but something of root is left");
}

/* Each id for itself. */
static void
child_uid_lies(void)
{
	struct rootdrop r = myself();

	r.uid += 7;
	break_syscall(SYS_setgroups, 0);
	break_syscall(SYS_setresuid, 0);
	check_not_dropped(&r, "something of root is left");
}

static void
child_gid_lies(void)
{
	struct rootdrop r = myself();

	r.gid += 7;
	break_syscall(SYS_setgroups, 0);
	break_syscall(SYS_setresgid, 0);
	check_not_dropped(&r, "something of root is left");
}

static void
test_drop_fails(void **state)
{
	(void)state;
	in_child(child_setgroups_fails);
	in_child(child_setresgid_fails);
	in_child(child_setresuid_fails);
}

static void
test_drop_lies(void **state)
{
	(void)state;
	in_child(child_all_lie);
	in_child(child_uid_lies);
	in_child(child_gid_lies);
}

/* ---- as root: what the kernel really leaves ---- */

static void
child_group_is_left(void)
{
	const gid_t group = 0;
	const struct rootdrop r = another();

	CHECK(setgroups(1, &group) == 0);
	break_syscall(SYS_setgroups, 0);
	check_not_dropped(&r, "something of root is left");
}

/* The permitted set stays, the effective one goes. */
static void
child_capabilities_are_left(void)
{
	const struct rootdrop r = another();

	CHECK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0);
	check_not_dropped(&r, "something of root is left");
}

/* Nothing goes: root could be had again. */
static void
child_is_never_dropped(void)
{
	const struct rootdrop r = another();

	CHECK(prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0) == 0);
	check_not_dropped(&r, "something of root is left");
	CHECK(getuid() == 0); /* as the proof itself found out */
}

static void
child_is_dropped(void)
{
	const struct rootdrop r = another();
	struct diag d = {0};

	CHECK(rootdrop_drop(&r, &d) == 0);
	CHECK(getuid() == r.uid && getgid() == r.gid);
}

/* Nobody to become: only files say who there is, and they say nothing. */
static void
child_no_account(void)
{
	const char *const files[] = {"/etc/passwd", "/etc/nsswitch.conf"};
	struct rootdrop r;
	struct diag d = {0};

	CHECK(unshare(CLONE_NEWNS) == 0);
	CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		CHECK(access(files[i], F_OK) == -1 ||
		    mount("/dev/null", files[i], NULL, MS_BIND, NULL) == 0);
	CHECK(rootdrop_plan(&r, &d) == -1);
	CHECK(d.code == DIAG_INTERNAL);
	check_says(d.message, "there is no account agsbx or nobody to become");
}

static void
test_root(void **state)
{
	struct rootdrop r;
	struct diag d = {0};

	(void)state;
	assert_int_equal(rootdrop_plan(&r, &d), 0);
	if (!r.is_root) {
		print_message("only root has an identity to drop\n");
		skip();
	}
	in_child(child_is_dropped); /* what follows can succeed */
	in_child(child_group_is_left);
	in_child(child_capabilities_are_left);
	in_child(child_is_never_dropped);
	in_child(child_no_account);
}

/* ---- who it is planned to be ---- */

/* As if root had started it, whoever we are. */
static void
child_map_is_unreadable(void)
{
	struct rootdrop r;
	struct diag d = {0};

	break_syscall(SYS_getuid, 0);
	break_syscall(SYS_openat, EACCES);
	CHECK(rootdrop_plan(&r, &d) == -1);
	check_says(d.message,
	    "cannot read /proc/self/uid_map: Permission denied");
	_exit(0); /* nothing can be opened any more */
}

static void
child_is_lonely(void)
{
	struct rootdrop r;
	struct diag d = {0};
	char said[256] = "";
	int ends[2];

	CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) != -1);
	be_lonely_root(0);
	CHECK(rootdrop_plan(&r, &d) == 0);
	CHECK(r.is_lonely && !r.is_root);
	CHECK(rootdrop_give_dir(&r, "/nowhere", &d) == 0);
	CHECK(rootdrop_drop(&r, &d) == 0);
	CHECK(getuid() == 0);
	CHECK(read(ends[0], said, sizeof(said) - 1) > 0);
	check_says(said,
	    "agsbx: started as root of a user namespace that maps "
	    "one id: there is nobody else to become\n");
}

static void
test_plan(void **state)
{
	(void)state;
	in_child(child_map_is_unreadable);
	skip_without_userns();
	in_child(child_is_lonely);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_drop_fails),
	    cmocka_unit_test(test_drop_lies),
	    cmocka_unit_test(test_root),
	    cmocka_unit_test(test_plan),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
