/* test_finish_sockets.c - no unix socket is bound, however deep it lies. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <fcntl.h>
#include <unistd.h>

#include "child_fixture.h"
#include "policy_fixture.h"
#include "policy_int.h"

#define AND_SO \
	", and a job could connect to a unix socket there, also through a " \
	"read-only bind; bind a directory without it"

static void
make_dir(struct fixture *f, const char *name, mode_t mode)
{
	assert_int_equal(mkdir(fixture_want(f, name), mode), 0);
}

static void
make_socket(struct fixture *f, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_not_equal(fd, -1);
	assert_true(strlcpy(address.sun_path, fixture_want(f, name),
			sizeof(address.sun_path)) < sizeof(address.sun_path));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
	    0);
	assert_int_equal(close(fd), 0);
}

static int
finish(struct fixture *f)
{
	if (policy_finish(f->policy, &f->diag) == -1)
		return (-1);
	return (policy_look_into_binds(f->policy, &f->diag));
}

static int
finish_with(struct fixture *f, const char *key, const char *source)
{
	fixture_new_policy(f);
	assert_int_equal(fixture_set(f, "files", key, fixture_want(f, source)),
	    0);
	return (finish(f));
}

static void
assert_refused(struct fixture *f, const char *source, const char *message)
{
	static const char *const keys[] = {"bind", "bind-ro"};

	for (size_t i = 0; i < COUNT(keys); i++) {
		assert_int_equal(finish_with(f, keys[i], source), -1);
		assert_string_equal(f->diag.message, fixture_want(f, message));
		assert_int_equal(f->diag.code, DIAG_USAGE);
	}
}

static void
a_socket_is_found_and_named(void **state)
{
	struct fixture *f = *state;

	make_dir(f, "@/a", 0700);
	make_dir(f, "@/a/b", 0700);
	assert_int_equal(finish_with(f, "bind", "@/a:/x"), 0);
	make_socket(f, "@/a/b/s");
	assert_refused(f, "@/a:/x", "--flag: @/a/b/s: it is a socket" AND_SO);
	assert_refused(f, "@:/x", "--flag: @/a/b/s: it is a socket" AND_SO);
	assert_int_equal(unlink(fixture_want(f, "@/a/b/s")), 0);
	assert_int_equal(finish_with(f, "bind", "@/a:/x"), 0);
}

static void
nothing_else_is_a_socket(void **state)
{
	struct fixture *f = *state;
	char path[sizeof(f->want)];

	make_dir(f, "@/a", 0700);
	make_dir(f, "@/other", 0700);
	make_socket(f, "@/other/s");
	(void)snprintf(path, sizeof(path), "%s", fixture_want(f, "@/other/s"));
	/* what a link leads to is not shown to the job */
	assert_int_equal(symlink(path, fixture_want(f, "@/a/link")), 0);
	assert_int_equal(symlink("../other", fixture_want(f, "@/a/dir")), 0);
	assert_int_equal(symlink(".", fixture_want(f, "@/a/loop")), 0);
	fixture_file(f, "a/file", "x");
	assert_int_equal(finish_with(f, "bind-ro", "@/a:/x"), 0);
	assert_int_equal(finish_with(f, "bind-ro", "@/a/file:/x"), 0);
}

/* A mount that is read-only asks nobody who writes into one. */
static void
a_pipe_is_for_writers(void **state)
{
	struct fixture *f = *state;

	make_dir(f, "@/a", 0700);
	assert_int_equal(mkfifo(fixture_want(f, "@/a/fifo"), 0600), 0);
	assert_int_equal(finish_with(f, "bind", "@/a:/x"), 0);
	assert_int_equal(finish_with(f, "bind-ro", "@/a:/x"), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f,
		"--flag: @/a/fifo: it is a named pipe, and a job could write "
		"into it through a read-only bind; bind a directory without "
		"it"));
}

/* x without r: the job can reach a socket whose name it knows. */
static void
what_cannot_be_read_may_hide_one(void **state)
{
	struct fixture *f = *state;

	if (geteuid() == 0) {
		print_message("root reads every directory\n");
		skip();
	}
	make_dir(f, "@/a", 0700);
	make_dir(f, "@/a/closed", 0);
	assert_int_equal(finish_with(f, "bind", "@/a:/x"), 0);
	assert_int_equal(chmod(fixture_want(f, "@/a/closed"), 0100), 0);
	assert_refused(f, "@/a:/x",
	    "--flag: @/a/closed: Permission denied" AND_SO);
	assert_int_equal(chmod(fixture_want(f, "@/a/closed"), 0700), 0);
	assert_int_equal(finish_with(f, "bind", "@/a:/x"), 0);
	assert_int_equal(chmod(fixture_want(f, "@/a/closed"), 0), 0);
	assert_refused(f, "@/a/closed:/x",
	    "--flag: @/a/closed: no job of this account could read it: "
	    "Permission denied");
}

/* Makes directories in each other; the deepest. */
static int
nest(struct fixture *f, unsigned int depth)
{
	int next, fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (depth-- > 0) {
		assert_int_equal(mkdirat(fd, "d", 0700), 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_int_not_equal(next, -1);
		assert_int_equal(close(fd), 0);
		fd = next;
	}
	return (fd);
}

static void
a_tree_without_end_is_refused(void **state)
{
	struct fixture *f = *state;
	int fd = nest(f, 99); /* with the bind itself: 100 */

	assert_int_equal(finish_with(f, "bind", "@:/x"), 0);
	assert_int_equal(mkdirat(fd, "e", 0700), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(finish_with(f, "bind", "@:/x"), -1);
	assert_non_null(strstr(f->diag.message,
	    "d/e: the directories in it are too deep" AND_SO));
}

static void
entries_are_counted_to_the_last(void **state)
{
	struct fixture *f = *state;
	const struct policy_bind b = {.source = f->dir,
	    .origin = {.flag = "--flag"}};

	make_dir(f, "@/a", 0700);
	fixture_file(f, "a/1", "");
	fixture_file(f, "2", "");
	assert_int_equal(finish_sockets(&b, 3, &f->diag), 0);
	assert_int_equal(finish_sockets(&b, 2, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f,
		"--flag: @ holds more than 2 entries, too many to look for "
		"unix sockets, which a job could connect to: bind a part of "
		"it"));
}

static struct fixture *mounted; /* of the child that mounts */

static const struct {
	const char *from;
	const char *to;
	const char *name;
} kernel_mounts[] = {
    {"/sys", "@/a/b", "sysfs"},
    {"/proc", "@/a/b", "proc"},
    {"/dev/pts", "@/a", "devpts"},
    {"/proc/version", "@/a/file", "proc"},
};

/* The mount goes with the child's namespace. */
static void
bind_what_is_mounted(size_t i, const char *source)
{
	char path[sizeof(mounted->want)], from[sizeof(mounted->want)];
	const struct policy_bind b = {.source = from,
	    .origin = {.flag = "--flag"}};
	struct diag d = {0};

	(void)snprintf(path, sizeof(path), "%s",
	    fixture_want(mounted, kernel_mounts[i].to));
	(void)snprintf(from, sizeof(from), "%s", fixture_want(mounted, source));
	CHECK(finish_sockets(&b, 100, &d) == 0);
	CHECK(mount(kernel_mounts[i].from, path, NULL, MS_BIND | MS_REC,
		  NULL) == 0);
	CHECK(finish_sockets(&b, 100, &d) == -1);
	CHECK(strstr(d.message, path) != NULL);
	CHECK(strstr(d.message, ": it is on a mount of ") != NULL);
	CHECK(strstr(d.message, kernel_mounts[i].name) != NULL);
	CHECK(umount2(path, MNT_DETACH) == 0);
}

static void
try_mounts(void)
{
	be_lonely_root(CLONE_NEWNS);
	bind_what_is_mounted(0, "@/a");	  /* far below */
	bind_what_is_mounted(1, "@/a/b"); /* under another name */
	bind_what_is_mounted(2, "@");
	bind_what_is_mounted(3, "@/a/file");
}

static void
no_mount_of_the_kernel_is_bound(void **state)
{
	mounted = *state;
	skip_without_userns();
	make_dir(mounted, "@/a", 0700);
	make_dir(mounted, "@/a/b", 0700);
	fixture_file(mounted, "a/file", "x");
	in_child(try_mounts);
}

static void
a_file_names_its_line(void **state)
{
	struct fixture *f = *state;
	char text[sizeof(f->want)];

	make_dir(f, "@/a", 0700);
	make_socket(f, "@/a/s");
	(void)snprintf(text, sizeof(text), "%s",
	    fixture_want(f, "[files]\nbind-ro = @/a:/x\n"));
	assert_int_equal(fixture_load(f, "p", text), 0);
	assert_int_equal(finish(f), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f, "@/p:2: @/a/s: it is a socket" AND_SO));
	assert_int_equal(f->diag.code, DIAG_POLICY);
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(a_socket_is_found_and_named),
	    ROW(nothing_else_is_a_socket),
	    ROW(a_pipe_is_for_writers),
	    ROW(what_cannot_be_read_may_hide_one),
	    ROW(a_tree_without_end_is_refused),
	    ROW(entries_are_counted_to_the_last),
	    ROW(no_mount_of_the_kernel_is_bound),
	    ROW(a_file_names_its_line),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
