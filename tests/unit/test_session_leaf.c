/*
 * A run's part in its leaf: who names the place for it, whether the user's
 * manager is asked, and that no leaf is no secret.  The cgroup v2 tree is the
 * kernel's own, mounted where nobody else sees it.
 */
#include "child_fixture.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <glob.h>

#include "scope.h"
#include "session.h"

static char dir[] = "/tmp/agsbx-test-XXXXXX";
static char path[80];
static glob_t left;

static int
make_dir(void **state)
{
	(void)state;
	return (mkdtemp(dir) == NULL ? -1 : 0);
}

static int
remove_dir(void **state)
{
	(void)state;
	return (rmdir(dir));
}

static struct session *
new_session(void)
{
	static char name[] = "agsbx", doctor[] = "doctor";
	static char *argv[] = {name, doctor, NULL};
	static struct cli cli = {.json_fd = -1, .argv = argv};
	struct session *s = session_new(&cli);

	CHECK(s != NULL);
	s->policy = policy_new();
	CHECK(s->policy != NULL);
	CHECK(unsetenv("AGSBX_CGROUP") == 0);
	CHECK(unsetenv("XDG_RUNTIME_DIR") == 0);
	CHECK(unsetenv("DBUS_SESSION_BUS_ADDRESS") == 0);
	CHECK(unsetenv("AGSBX_SCOPE") == 0);
	return (s);
}

static void
mount_v2(void)
{
	be_lonely_root(CLONE_NEWNS | CLONE_NEWCGROUP);
	CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	if (mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL) == -1)
		exit(77);
}

/* In a child whose cgroup nobody gave to us. */
static struct session *
session_in_v2(void)
{
	struct session *s;

	mount_v2();
	s = new_session();
	session_find_leaf(s);
	if (s->host.leaf.parent[0] != '\0') {
		leaf_place_leave(&s->host.leaf);
		exit(77);
	}
	return (s);
}

static const char *
step(const struct session *s, enum leaf_step n)
{
	return (s->host.leaf.steps[n]);
}

/* ---- where ---- */

static void
child_names(void)
{
	struct session *s = session_in_v2();

	check_says(step(s, LEAF_STEP_NAMED),
	    "none: neither [cgroup] path nor $AGSBX_CGROUP");
	CHECK(setenv("AGSBX_CGROUP", "/nowhere", 1) == 0);
	session_find_leaf(s);
	check_says(step(s, LEAF_STEP_NAMED),
	    "/nowhere ($AGSBX_CGROUP) is no path beneath /sys/fs/cgroup");
	/* A policy's word comes before the environment's. */
	s->policy->cgroup_path = strdup("/sys/fs/cgroup/../elsewhere");
	s->policy->cgroup_origin = (struct origin){.file = "p.conf", .line = 7};
	session_find_leaf(s);
	check_says(step(s, LEAF_STEP_NAMED),
	    "/sys/fs/cgroup/../elsewhere (p.conf:7) is no path beneath");
	check_says(s->host.leaf.cause, "elsewhere (p.conf:7)");
	session_free(s);
}

/* ---- the manager ---- */

static void
put_manager(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(path, sizeof(path), "%s/systemd", dir);
	CHECK(mkdir(path, 0700) == 0);
	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s/systemd/private",
	    dir);
	CHECK(fd >= 0);
	CHECK(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	CHECK(close(fd) == 0);
	CHECK(setenv("XDG_RUNTIME_DIR", dir, 1) == 0);
}

static void
remove_manager(void)
{
	(void)snprintf(path, sizeof(path), "%s/systemd/private", dir);
	CHECK(unlink(path) == 0);
	(void)snprintf(path, sizeof(path), "%s/systemd", dir);
	CHECK(rmdir(path) == 0);
}

static void
child_asks(void)
{
	struct session *s = session_in_v2();

	session_enter(s);
	CHECK(s->host.release[0] != '\0' && !s->host.has_user_manager);
	check_says(step(s, LEAF_STEP_MANAGER),
	    "none: $XDG_RUNTIME_DIR has no systemd/private of this user");
	put_manager();
	session_enter(s);
	CHECK(s->host.has_user_manager);
	check_says(step(s, LEAF_STEP_MANAGER),
	    "it gave no scope: " SCOPE_SYSTEMD_RUN " exited with ");
	s->policy->no_systemd = true;
	session_enter(s);
	remove_manager();
	check_says(step(s, LEAF_STEP_MANAGER),
	    "not asked: [cgroup] systemd is no");
	check_says(s->host.leaf.fix,
	    "systemd-run --user --scope -p Delegate=yes agsbx run ...");
	session_free(s);
}

/* Root's turn comes when it has become somebody else. */
static void
child_is_root(void)
{
	struct session *s = session_in_v2();

	s->host = (struct host){.release = ""};
	s->root.is_root = true;
	session_enter(s);
	CHECK(s->host.release[0] != '\0');
	CHECK(s->host.leaf.cause[0] == '\0');
	CHECK(step(s, LEAF_STEP_MANAGER)[0] == '\0');
	session_free(s);
}

static void
want_in_v2(void (*fn)(void))
{
	int status = status_of(fn);

	if (status == 77 << 8) {
		print_message("no cgroup v2 for us, or one that is ours\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void
test_v2(void **state)
{
	(void)state;
	skip_without_userns();
	want_in_v2(child_names);
	want_in_v2(child_asks);
	want_in_v2(child_is_root);
}

/* ---- the leaf ---- */

static void
child_leaf(void)
{
	struct session *s = new_session();
	struct diag d = {0};
	char want[LEAF_PATH_MAX];

	CHECK(session_name_leaf(s, &d) == 0);
	CHECK(s->job.leaf == NULL && s->job.id[0] == '\0');
	session_make_leaf(s);
	CHECK(s->leaf.name[0] == '\0' && s->host.leaf.cause[0] == '\0');

	(void)strlcpy(s->host.leaf.parent, dir, sizeof(s->host.leaf.parent));
	(void)strlcat(s->host.leaf.parent, "/none",
	    sizeof(s->host.leaf.parent));
	s->host.leaf.controllers = LEAF_MEMORY;
	CHECK(session_name_leaf(s, &d) == 0);
	CHECK(strlen(s->job.id) == JOB_ID_SIZE - 1 && s->job.created_ms > 0);
	(void)snprintf(want, sizeof(want), "%s/none/agsbx-%s", dir, s->job.id);
	CHECK(strcmp(s->job.leaf, want) == 0);

	/* It was there when it was looked for, and is not now. */
	session_make_leaf(s);
	CHECK(s->leaf.dir_fd == -1);
	CHECK(s->host.leaf.parent[0] == '\0');
	CHECK(s->host.leaf.controllers == 0);
	check_says(s->host.leaf.cause, "cannot make cgroup leaf agsbx-");
	check_says(s->host.leaf.cause, ": No such file or directory");
	session_free(s);
}

static void
child_has_no_id(void)
{
	struct session *s = new_session();
	struct diag d = {0};

	(void)strlcpy(s->host.leaf.parent, dir, sizeof(s->host.leaf.parent));
	break_syscall(SYS_getrandom, ENOSYS);
	CHECK(session_name_leaf(s, &d) == -1);
	CHECK(d.code == DIAG_INTERNAL && s->job.leaf == NULL);
	check_says(d.message, "cannot make a job id: Function not implemented");
	session_free(s);
}

/* It was made, is no cgroup, and cannot be removed: it is still to be ended,
 * and says so. */
static void
child_cannot_undo(void)
{
	struct session *s = new_session();
	struct diag d = {0};

	(void)strlcpy(s->host.leaf.parent, dir, sizeof(s->host.leaf.parent));
	CHECK(session_name_leaf(s, &d) == 0);
	break_syscall(SYS_unlinkat, EPERM);
	session_make_leaf(s);
	CHECK(s->leaf.dir_fd == -1);
	CHECK(leaf_end(&s->leaf, &d) == -1);
	check_says(d.message, "cannot remove cgroup leaf agsbx-");
	check_says(d.message, ": Operation not permitted");
	session_free(s);
}

static void
test_leaf(void **state)
{
	(void)state;
	in_child(child_leaf);
	in_child(child_has_no_id);
}

static void
test_not_undone(void **state)
{
	(void)state;
	in_child(child_cannot_undo);
	assert_int_equal(snprintf(path, sizeof(path), "%s/agsbx-*", dir),
	    strlen(dir) + 8);
	assert_int_equal(glob(path, 0, NULL, &left), 0);
	assert_int_equal(left.gl_pathc, 1);
	assert_int_equal(rmdir(left.gl_pathv[0]), 0);
	globfree(&left);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_v2),
	    cmocka_unit_test(test_leaf),
	    cmocka_unit_test(test_not_undone),
	};

	return (cmocka_run_group_tests(tests, make_dir, remove_dir));
}
