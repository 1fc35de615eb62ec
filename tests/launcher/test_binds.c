/*
 * test_binds.c - what is bound into a job, and the program that travels.
 *
 * The row mntns again: what the host sees of a bind decides, not only what the
 * job says; sources that are not what the plan names, and programs that are not
 * as long as it says, are refused with the step that found it.
 */
#include "files_fixture.h"

static void
put_file(const char *name, const char *text)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char *
get_file(const char *name)
{
	static char text[64];
	char path[128];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (NULL);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return (text);
}

static void
test_binds(void **state)
{
	char file[128];

	(void)state;
	drive_skip_root();
	put_file("file", "old");
	(void)snprintf(file, sizeof(file), "%s/file", dir);
	drive_python(
	    "print([open(f).read() for f in ('/opt/a/b/file', '/work/x/file', "
	    "'/tmp/one', '/srv/one')])\n"
	    "print(wr('/opt/a/b/no'), wr('/opt/a/b/file'), wr('/tmp/one'), "
	    "wr('/srv/x'), wr('/opt/x'), wr('/work/own'))\n"
	    "print(wr('/work/x/made'), err(os.mkdir, '/work/x/d'))\n"
	    "print(err(os.rename, '/work/x/made', '/work/made'), "
	    "err(os.rename, '/work/x', '/work/y'))\n"
	    "open('/srv/one', 'w').write('new')\n"
	    "print(open('/opt/a/b/file').read(), "
	    "err(os.setxattr, '/opt/a/b/file', 'user.x', b'x'))\n");
	add_bind("/opt/a/b", dir, 0);
	add_bind("/work/x", dir, ENTRY_WRITABLE);
	add_bind("/tmp/one", file, 0);
	add_bind("/srv/one", file, ENTRY_WRITABLE);
	expect("['old', 'old', 'old', 'old']\n"
	       "30 30 30 30 30 0\n"
	       "0 0\n"
	       "18 16\n"
	       "new 30\n");
	assert_int_equal(d.report.rows[CTL_MNTNS].got, 5);
	assert_string_equal(get_file("file"), "new");
	assert_string_equal(get_file("made"), "");
	assert_null(get_file("no"));
	assert_null(get_file("own"));
	(void)snprintf(file, sizeof(file), "%s/d", dir);
	assert_int_equal(rmdir(file), 0);
}

static void
expect_fault(enum step step, int err)
{
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_int_equal(d.report.rows[CTL_MNTNS].state, READBACK_FAULT);
	assert_int_equal(d.report.rows[CTL_MNTNS].step, step);
	assert_int_equal(d.report.rows[CTL_MNTNS].err, err);
	/* One cause: what needs the mounts is not even tried. */
	assert_int_equal(d.report.rows[CTL_LANDLOCK].state, READBACK_PENDING);
	(void)drive_end(&d);
}

static void
test_bad_sources(void **state)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	char path[sizeof(name.sun_path)];
	int fd;

	(void)state;
	drive_skip_root();
	(void)snprintf(path, sizeof(path), "%s/source", dir);
	/* A link in place of what the plan saw, even to the same thing. */
	put_file("file", "text");
	assert_int_equal(symlink("file", path), 0);
	drive_plan_shell(&p, "true");
	add_bind("/opt", dir, 0);
	p.entries[p.entry_count - 1].source = path;
	expect_fault(STEP_BIND_SOURCE, ELOOP);
	assert_int_equal(unlink(path), 0);
	expect_fault(STEP_BIND_SOURCE, ENOENT);

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(name.sun_path, path, sizeof(path));
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	drive_plan_shell(&p, "true");
	add_bind("/opt", path, 0);
	expect_fault(STEP_BIND_SOURCE, ENOTSUP);
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	drive_plan_shell(&p, "true");
	add_bind("/opt", path, 0);
	expect_fault(STEP_BIND_SOURCE, ENOTSUP);
	assert_int_equal(unlink(path), 0);
}

/* The program that was announced, or none: not shorter, longer or a pipe. */
static void
test_program_is_exact(void **state)
{
	static const struct {
		uint64_t bytes;
		int err;
		bool has_cgroup; /* one more descriptor, and no leaf */
	} tries[] = {{4, 0, false}, {4, 0, true}, {5, EBADMSG, true},
	    {3, EBADMSG, false}, {0, ESPIPE, false}};
	static uint8_t bytes[PLAN_BYTES_MAX];
	char path[128];
	int fds[PLAN_FD__MAX], pipes[2];
	long len;

	(void)state;
	drive_skip_root();
	put_file("file", "text");
	(void)snprintf(path, sizeof(path), "%s/file", dir);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		drive_plan_shell(&p, "true");
		add_entry(ENTRY_PROGRAM, PLAN_PROGRAM_DIR "/x", "")->mode =
		    0555;
		p.has_program = true;
		p.has_cgroup = tries[i].has_cgroup;
		p.program_bytes = tries[i].bytes == 0 ? 4 : tries[i].bytes;
		len = drive_encode(&p, bytes, sizeof(bytes));
		assert_true(len > 0);
		assert_int_equal(pipe(pipes), 0);
		fds[PLAN_STDIN] = pipes[0];
		fds[PLAN_STDOUT] = fds[PLAN_STDERR] = pipes[1];
		fds[PLAN_PROGRAM] = tries[i].err == ESPIPE ?
		    dup(pipes[0]) :
		    open(path, O_RDONLY | O_CLOEXEC);
		fds[PLAN_CGROUP] = pipes[0];
		drive_start(&d);
		assert_int_equal(drive_send_bytes(&d, bytes, (size_t)len, fds,
				     p.has_cgroup ? PLAN_FD__MAX : PLAN_CGROUP),
		    tries[i].err == 0 && !p.has_cgroup ? MSG_HELD :
							 MSG_REFUSED);
		assert_int_equal(d.report.rows[CTL_MNTNS].err, tries[i].err);
		if (tries[i].err != 0)
			assert_int_equal(d.report.rows[CTL_MNTNS].step,
			    STEP_MAKE_ENTRY);
		(void)drive_end(&d);
		close(fds[PLAN_PROGRAM]);
		close(pipes[0]);
		close(pipes[1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_binds),
	    cmocka_unit_test(test_bad_sources),
	    cmocka_unit_test(test_program_is_exact),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, make_host_dir, remove_host_dir));
}
