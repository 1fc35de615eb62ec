/*
 * test_entries.c - entries that no new root can have.
 *
 * plan_check() judges each entry alone.  Those that collide, or lead through
 * a link, a file or a mount, are refused when they are made: each with its step
 * and errno, and nothing of the host is touched.
 */
#include "files_fixture.h"

/* Two more entries: the second cannot be made where the first one is. */
static const struct collision {
	struct plan_entry first;
	struct plan_entry second;
	enum step step;
	int err;
	enum control row; /* 0: mntns */
} collisions[] = {
    {{ENTRY_DIR, .mode = 0755, .path = "/opt"},
	{ENTRY_DIR, .mode = 0700, .path = "/opt"}, STEP_MAKE_ENTRY, EEXIST, 0},
    {{ENTRY_LINK, .path = "/opt", .source = "usr"},
	{ENTRY_LINK, .path = "/opt", .source = "usr"}, STEP_MAKE_ENTRY, EEXIST,
	0},
    {{ENTRY_LINK, .path = "/opt", .source = "usr"},
	{ENTRY_FILE, .mode = 0644, .path = "/opt"}, STEP_MAKE_ENTRY, EEXIST, 0},
    {{ENTRY_FILE, .mode = 0644, .path = "/etc/x"},
	{ENTRY_DIR, .mode = 0755, .path = "/etc"}, STEP_MAKE_ENTRY, EEXIST, 0},
    {{ENTRY_FILE, .mode = 0644, .path = "/etc/x"},
	{ENTRY_FILE, .mode = 0644, .path = "/etc/x/y"}, STEP_MAKE_ENTRY,
	ENOTDIR, 0},
    {{ENTRY_LINK, .path = "/opt", .source = "etc"},
	{ENTRY_FILE, .mode = 0644, .path = "/opt/x"}, STEP_MAKE_ENTRY, ELOOP,
	0},
    {{ENTRY_LINK, .path = "/opt", .source = "usr"},
	{ENTRY_BIND, .path = "/opt", .source = dir}, STEP_BIND_MOUNT, EEXIST,
	0},
    {{ENTRY_BIND, .path = "/opt", .source = dir},
	{ENTRY_BIND, .path = "/opt", .source = dir}, STEP_BIND_MOUNT, EEXIST,
	0},
    /* beneath a bind, whose contents are the host's */
    {{ENTRY_BIND, .path = "/opt", .source = dir},
	{ENTRY_BIND, .path = "/opt/x", .source = dir}, STEP_BIND_MOUNT, EXDEV,
	0},
    {{ENTRY_BIND, ENTRY_WRITABLE, .path = "/opt", .source = dir},
	{ENTRY_DIR, .mode = 0755, .path = "/opt/x"}, STEP_MAKE_ENTRY, EXDEV, 0},
    {{ENTRY_BIND, ENTRY_WRITABLE, .path = "/opt", .source = dir},
	{ENTRY_FILE, .mode = 0755, .path = "/opt/x/y"}, STEP_MAKE_ENTRY, EXDEV,
	0},
    {{ENTRY_BIND, ENTRY_WRITABLE, .path = "/opt", .source = dir},
	{ENTRY_DIR, .mode = 0777, .path = "/opt"}, STEP_MAKE_ENTRY, EEXIST, 0},
    /* a directory where a link leads to one of the host's */
    {{ENTRY_LINK, .path = "/opt", .source = dir},
	{ENTRY_DIR, .mode = 0777, .path = "/opt"}, STEP_MAKE_ENTRY, EEXIST, 0},
    {{ENTRY_LINK, .path = "/opt", .source = dir},
	{ENTRY_FILE, .mode = 0644, .path = "/opt/x"}, STEP_MAKE_ENTRY, ELOOP,
	0},
    /* over what the launcher made before */
    {{ENTRY_DIR, .mode = 0755, .path = "/opt"},
	{ENTRY_BIND, .path = PLAN_WORKDIR, .source = dir}, STEP_BIND_MOUNT,
	EEXIST, 0},
    {{ENTRY_DIR, .mode = 0755, .path = "/opt"},
	{ENTRY_LINK, .path = "/tmp", .source = "work"}, STEP_MAKE_ENTRY, EEXIST,
	0},
    {{ENTRY_DIR, .mode = 0755, .path = "/opt"},
	{ENTRY_DIR, .mode = 0777, .path = "/.canary"}, STEP_MAKE_ENTRY, EEXIST,
	0},
    /* in the scratch */
    {{ENTRY_BIND, ENTRY_WRITABLE, .path = "/work/x", .source = dir},
	{ENTRY_BIND, .path = "/work/x/y", .source = dir}, STEP_BIND_MOUNT,
	EXDEV, CTL_SCRATCH},
    {{ENTRY_LINK, .path = "/tmp/x", .source = dir},
	{ENTRY_FILE, .mode = 0644, .path = "/tmp/x/y"}, STEP_MAKE_ENTRY, ELOOP,
	CTL_SCRATCH},
    {{ENTRY_LINK, .path = "/work/x", .source = dir},
	{ENTRY_DIR, .mode = 0777, .path = "/work/x"}, STEP_MAKE_ENTRY, EEXIST,
	CTL_SCRATCH},
    /* links that cannot be */
    {{ENTRY_DIR, .mode = 0755, .path = "/opt"},
	{ENTRY_LINK, .path = "/opt/x", .source = ""}, STEP_MAKE_ENTRY, ENOENT,
	0},
};

static void
add(const struct plan_entry *e)
{
	struct plan_entry *to =
	    add_entry(e->kind, e->path, e->source == NULL ? "" : e->source);
	struct stat st;

	to->mode = e->mode;
	to->flags = e->flags;
	if (e->kind != ENTRY_BIND)
		return;
	assert_int_equal(stat(dir, &st), 0);
	to->dev = st.st_dev;
	to->ino = st.st_ino;
}

static void
assert_untouched(const struct stat *before)
{
	struct stat st;

	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode, before->st_mode);
	assert_int_equal(st.st_nlink, before->st_nlink);
	assert_true(st.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == before->st_mtim.tv_nsec);
}

static void
test_collisions(void **state)
{
	struct stat before;

	(void)state;
	drive_skip_root();
	assert_int_equal(stat(dir, &before), 0);
	for (size_t i = 0; i < sizeof(collisions) / sizeof(collisions[0]);
	     i++) {
		const struct collision *c = &collisions[i];
		enum control ctl = c->row == 0 ? CTL_MNTNS : c->row;
		const struct readback *row = &d.report.rows[ctl];

		drive_plan_shell(&p, "true");
		add(&c->first);
		drive_start(&d);
		assert_int_equal(drive_send(&d, &p), MSG_HELD);
		(void)drive_end(&d);
		add(&c->second);
		drive_start(&d);
		assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
		if (row->step != c->step || row->err != c->err)
			fail_msg("%s: step %u, errno %d", c->second.path,
			    row->step, row->err);
		(void)drive_end(&d);
		assert_untouched(&before);
	}
}

static void
test_long_links(void **state)
{
	static char text[4096 + 1];

	(void)state;
	drive_skip_root();
	memset(text, 'x', sizeof(text) - 1);
	drive_plan_shell(&p, "true");
	(void)add_entry(ENTRY_LINK, "/opt", text);
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_int_equal(d.report.rows[CTL_MNTNS].step, STEP_MAKE_ENTRY);
	assert_int_equal(d.report.rows[CTL_MNTNS].err, ENAMETOOLONG);
	(void)drive_end(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_collisions),
	    cmocka_unit_test(test_long_links),
	};

	return (cmocka_run_group_tests(tests, make_host_dir, remove_host_dir));
}
