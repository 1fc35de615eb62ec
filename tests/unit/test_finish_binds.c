/* test_finish_binds.c - what may be bound, from where, and at which path. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_fixture.h"
#include "policy_int.h"

#define NOT_A_PATH \
	" is not a path of the job: it is absolute, without \".\", \"..\", " \
	"\"//\" or a slash at its end, below 1024 bytes"

/* "@" is the fixture's directory, which holds data/ and file. */
static const struct {
	const char *value;
	const char *message;
} bad[] = {
    {"@/none", "--flag: @/none: No such file or directory"},
    {"none", "--flag: none: No such file or directory"},
    {"@/file/x", "--flag: @/file/x: Not a directory"},
    {"@/fifo", "--flag: @/fifo is neither a directory nor a file"},
    {"/proc/self/status",
	"--flag: /proc/self/status is below /proc: no job is shown the host's"},
    {"/proc", "--flag: /proc is below /proc: no job is shown the host's"},
    {"/sys", "--flag: /sys is below /sys: no job is shown the host's"},
    {"/dev/null",
	"--flag: /dev/null is below /dev: no job is shown the "
	"host's"},
    {"@/proclink:/x",
	"--flag: @/proclink is below /proc: no job is shown the "
	"host's"},
    {"/:/host",
	"--flag: / is the host's root: name the directories that the "
	"job needs"},
    {"@/data:x", "--flag: x" NOT_A_PATH},
    {"@/data:/x/../y", "--flag: /x/../y" NOT_A_PATH},
    {"@/data:/x/", "--flag: /x/" NOT_A_PATH},
    {"@/data:/x:ro:z//", "--flag: /x:ro:z//" NOT_A_PATH},
    {"@/data:/", "--flag: /" NOT_A_PATH},
    {"@/data:/x\nmemory = 1G",
	"--flag: a path with a control character cannot be bound"},
    {"@/data:/\177", "--flag: a path with a control character cannot be bound"},
    {"@/data:/proc",
	"--flag: nothing can be bound at /proc: the job has a "
	"procfs of its own there"},
    {"@/data:/proc/x",
	"--flag: nothing can be bound at /proc/x: the job has "
	"a procfs of its own there"},
    {"@/data:/dev/shm",
	"--flag: nothing can be bound at /dev/shm: the job "
	"has devices of its own there"},
    {"@/data:/sys/x",
	"--flag: nothing can be bound at /sys/x: no job sees "
	"the kernel's objects"},
    {"@/data:/run/agsbx/x",
	"--flag: nothing can be bound at /run/agsbx/x: "
	"the job's program is there"},
    {"@/data:/work",
	"--flag: nothing can be bound at /work: the job's "
	"scratch is there; a path beneath it is possible"},
    {"@/data:/tmp",
	"--flag: nothing can be bound at /tmp: the job's scratch "
	"is there; a path beneath it is possible"},
    {"@/data:/usr",
	"--flag: nothing can be bound at /usr: the job has /usr "
	"already"},
    {"@/data:/usr/x",
	"--flag: nothing can be bound at /usr/x: the job has "
	"/usr already"},
    {"@/data:/bin/x",
	"--flag: nothing can be bound at /bin/x: the job has "
	"/bin already"},
    {"@/data:/etc",
	"--flag: nothing can be bound at /etc: the job has "
	"/etc/passwd already"},
    {"@/file:/etc/hosts",
	"--flag: nothing can be bound at /etc/hosts: the "
	"job has /etc/hosts already"},
};

static void
make_tree(struct fixture *f)
{
	char path[128];

	fixture_file(f, "file", "x");
	(void)snprintf(path, sizeof(path), "%s/data", f->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/fifo", f->dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	(void)snprintf(path, sizeof(path), "%s/proclink", f->dir);
	assert_int_equal(symlink("/proc", path), 0);
	(void)snprintf(path, sizeof(path), "%s/datalink", f->dir);
	assert_int_equal(symlink("data", path), 0);
}

static void
bad_binds_say_why(void **state)
{
	struct fixture *f = *state;
	size_t i;

	make_tree(f);
	assert_int_equal(chdir(f->dir), 0);
	for (i = 0; i < COUNT(bad); i++) {
		fixture_new_policy(f);
		assert_int_equal(fixture_set(f, "files", "bind-ro",
				     fixture_want(f, bad[i].value)),
		    0);
		assert_int_equal(policy_finish(f->policy, &f->diag), -1);
		assert_string_equal(f->diag.message,
		    fixture_want(f, bad[i].message));
		assert_int_equal(f->diag.code, DIAG_USAGE);
	}
}

/* "@" as above; the tests run in that directory. */
static const struct {
	const char *value;
	const char *source;
	const char *path;
} good[] = {
    {"@/data", "@/data", "@/data"},
    {"@//data/.", "@/data", "@/data"},
    {"data", "@/data", "@/data"},
    {"./data/", "@/data", "@/data"},
    {".", "@", "@"},
    {"data/../file", "@/file", "@/file"},
    {"@/datalink", "@/data", "@/datalink"},
    {"@/datalink/../file", "@/file", "@/file"},
    {"datalink:/x", "@/data", "/x"},
    {"@/file:/work/in/file", "@/file", "/work/in/file"},
    {"@/file:/etc/my.conf", "@/file", "/etc/my.conf"},
    {"@/data:/tmp/x:y", "@/data", "/tmp/x:y"},
};

static void
binds_are_resolved(void **state)
{
	struct fixture *f = *state;
	size_t i;

	make_tree(f);
	assert_int_equal(chdir(f->dir), 0);
	for (i = 0; i < COUNT(good); i++) {
		const struct policy_view *v;
		const struct plan_entry *e;
		struct stat st;

		fixture_new_policy(f);
		assert_int_equal(fixture_set(f, "files",
				     i % 2 == 0 ? "bind" : "bind-ro",
				     fixture_want(f, good[i].value)),
		    0);
		if (policy_finish(f->policy, &f->diag) == -1)
			fail_msg("%s", f->diag.message);
		v = f->policy->view;
		e = &v->entries[v->entry_count - 1];
		assert_int_equal(e->kind, ENTRY_BIND);
		assert_int_equal(e->flags, i % 2 == 0 ? ENTRY_WRITABLE : 0);
		assert_string_equal(e->source, fixture_want(f, good[i].source));
		assert_int_equal(stat(f->want, &st), 0);
		assert_true(e->dev == st.st_dev && e->ino == st.st_ino);
		assert_string_equal(e->path, fixture_want(f, good[i].path));
	}
}

static void
two_binds_never_overlap(void **state)
{
	static const char *const seconds[] = {"@/file:/x", "@/file:/x/y",
	    "@/data:/x/y/z"};
	struct fixture *f = *state;
	size_t i;

	make_tree(f);
	for (i = 0; i < COUNT(seconds); i++) {
		fixture_new_policy(f);
		assert_int_equal(fixture_set(f, "files", "bind",
				     fixture_want(f, "@/data:/x")),
		    0);
		assert_int_equal(fixture_set(f, "files", "bind",
				     fixture_want(f, seconds[i])),
		    0);
		assert_int_equal(policy_finish(f->policy, &f->diag), -1);
		assert_non_null(
		    strstr(f->diag.message, ": the job has /x already"));
	}
	/* nor does the outer one after the inner one */
	fixture_new_policy(f);
	assert_int_equal(fixture_set(f, "files", "bind",
			     fixture_want(f, "@/data:/x/y")),
	    0);
	assert_int_equal(fixture_set(f, "files", "bind",
			     fixture_want(f, "@/data:/x")),
	    0);
	assert_int_equal(policy_finish(f->policy, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    "--flag: nothing can be bound at /x: the job has /x/y already");
}

static void
a_path_too_long_is_refused(void **state)
{
	struct fixture *f = *state;
	char value[2200];
	size_t n;

	make_tree(f);
	n = (size_t)snprintf(value, sizeof(value), "%s/data:/", f->dir);
	memset(value + n, 'x', PLAN_PATH_MAX);
	value[n + PLAN_PATH_MAX] = '\0';
	assert_int_equal(fixture_set(f, "files", "bind", value), 0);
	assert_int_equal(policy_finish(f->policy, &f->diag), -1);
	assert_int_equal(f->diag.code, DIAG_USAGE);
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(bad_binds_say_why),
	    ROW(binds_are_resolved),
	    ROW(two_binds_never_overlap),
	    ROW(a_path_too_long_is_refused),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
