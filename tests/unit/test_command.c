/* command.c and program.c: the four forms, as they should be. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "command_fixture.h"

static const char *const two_args[] = {"-x", "y z", NULL};

static const struct {
	const char *lang;
	const char *argv[6];
	const char *path;
} codes[] = {
    {NULL, {"python3", "-u", "/run/agsbx/code.py", "-x", "y z", NULL},
	"/run/agsbx/code.py"},
    {"python", {"python3", "-u", "/run/agsbx/code.py", "-x", "y z", NULL},
	"/run/agsbx/code.py"},
    {"node", {"node", "/run/agsbx/code.js", "-x", "y z", NULL},
	"/run/agsbx/code.js"},
    {"bash", {"bash", "/run/agsbx/code.bash", "-x", "y z", NULL},
	"/run/agsbx/code.bash"},
    {"sh", {"sh", "/run/agsbx/code.dash", "-x", "y z", NULL},
	"/run/agsbx/code.dash"},
    {"perl", {"perl", "/run/agsbx/code.pl", "-x", "y z", NULL},
	"/run/agsbx/code.pl"},
    {"ruby", {"ruby", "/run/agsbx/code.rb", "-x", "y z", NULL},
	"/run/agsbx/code.rb"},
};

static void
test_code(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct command c;
		/* CODE's first bytes decide nothing. */
		resolve(&c, FORM_CODE, "#!/bin/false\n", two_args,
		    codes[i].lang);
		assert_argv(&c, codes[i].argv);
		assert_string_equal(c.program_path, codes[i].path);
		assert_true(plan_path_is_clean(c.program_path));
		assert_program(&c, "#!/bin/false\n", 13);
		assert_null(c.file);
		assert_null(c.hint);
		command_free(&c);
		assert_int_equal(c.program_fd, -1);
	}
}

static void
test_empty_code(void **state)
{
	struct command c;

	(void)state;
	resolve(&c, FORM_CODE, "", no_args, NULL);
	assert_program(&c, "", 0);
	command_free(&c);
}

static const struct file_row {
	const char *name;
	const char *content;
	const char *lang;
	const char *program; /* argv[0]; NULL: the file itself */
	const char *path;
} files[] = {
    {"a.py", "print()", NULL, "python3", "/run/agsbx/a.py"},
    {"./a.py", "print()", NULL, "python3", "/run/agsbx/a.py"},
    {"my prog.py", "print()", NULL, "python3", "/run/agsbx/my prog.py"},
    {"\xc3\xbc.js", "1", NULL, "node", "/run/agsbx/\xc3\xbc.js"},
    {"-x.rb", "1", NULL, "ruby", "/run/agsbx/-x.rb"},
    {"..x.pl", "1", NULL, "perl", "/run/agsbx/..x.pl"},
    /* the suffix goes before the first bytes, --lang before both */
    {"b.py", "#!/bin/sh\n", NULL, "python3", "/run/agsbx/b.py"},
    {"b.py", "#!/bin/sh\n", "perl", "perl", "/run/agsbx/b.py"},
    {"script", "#!/bin/sh\necho\n", NULL, NULL, "/run/agsbx/script"},
    {"script", "#!/bin/sh\necho\n", "bash", "bash", "/run/agsbx/script"},
    {"prog", "\177ELF\2\1\1", NULL, NULL, "/run/agsbx/prog"},
    {"a.out", "\177ELF\2\1\1", NULL, NULL, "/run/agsbx/a.out"},
    {"text", "print()", NULL, "python3", "/run/agsbx/text"},
    {"none", "", NULL, "python3", "/run/agsbx/none"},
    /* names that are not shown inside as they are */
    {"new\nline.js", "1", NULL, "node", "/run/agsbx/program.js"},
    {"esc\033.py", "1", NULL, "python3", "/run/agsbx/program.py"},
    {"\xff.py", "1", NULL, "python3", "/run/agsbx/program.py"},
    {"del\177", "#!/bin/sh\n", NULL, NULL, "/run/agsbx/program"},
};

static void
check_file(const struct file_row *r)
{
	const char *argv[5] = {r->program, r->path, "-x", "y z", NULL};
	struct command c;

	put_file(r->name, r->content, strlen(r->content));
	resolve(&c, FORM_FILE, r->name, two_args, r->lang);
	assert_argv(&c, r->program != NULL ? argv : argv + 1);
	assert_string_equal(c.program_path, r->path);
	assert_true(plan_path_is_clean(c.program_path));
	assert_string_equal(c.file, r->name);
	assert_program(&c, r->content, strlen(r->content));
	command_free(&c);
	assert_int_equal(unlink(r->name), 0);
}

static void
test_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		check_file(&files[i]);
}

static void
test_file_through_links(void **state)
{
	struct command c;

	(void)state;
	assert_int_equal(mkdir("real dir", 0755), 0);
	assert_int_equal(symlink("real dir", "lnk"), 0);
	put_file("real dir/my prog.py", "print(1)", 8);
	assert_int_equal(symlink("my prog.py", "real dir/link.js"), 0);
	resolve(&c, FORM_FILE, "lnk/my prog.py", no_args, NULL);
	assert_program(&c, "print(1)", 8);
	command_free(&c);
	/* The name that was given decides. */
	resolve(&c, FORM_FILE, "lnk/link.js", no_args, NULL);
	assert_string_equal(c.argv[0], "node");
	assert_string_equal(c.program_path, "/run/agsbx/link.js");
	command_free(&c);
	assert_int_equal(unlink("real dir/link.js"), 0);
	assert_int_equal(unlink("real dir/my prog.py"), 0);
	assert_int_equal(unlink("lnk"), 0);
	assert_int_equal(rmdir("real dir"), 0);
}

/* Opened before the drop: read from its start, and it stays the caller's. */
static void
test_file_descriptor(void **state)
{
	struct diag d = {.code = DIAG_NONE};
	struct command c;
	char byte;

	(void)state;
	put_file("f.py", "print(1)", 8);
	int fd = open("f.py", O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(unlink("f.py"), 0);
	assert_int_equal(command_resolve(&c, FORM_FILE, "f.py", no_args, NULL,
			     fd, &d),
	    0);
	assert_program(&c, "print(1)", 8);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 1);
	command_free(&c);
	close(fd);
}

/* The largest program, and one byte more (both are holes of the file). */
static void
test_large_file(void **state)
{
	struct command c;
	int fd = open("large.py", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)PLAN_PROGRAM_MAX), 0);
	resolve(&c, FORM_FILE, "large.py", no_args, NULL);
	assert_int_equal(c.program_bytes, PLAN_PROGRAM_MAX);
	command_free(&c);
	assert_int_equal(ftruncate(fd, (off_t)PLAN_PROGRAM_MAX + 1), 0);
	assert_refused(FORM_FILE, "large.py", NULL, DIAG_COMMAND,
	    "large.py is larger than 64 MiB; show its directory with "
	    "--bind-ro");
	close(fd);
	assert_int_equal(unlink("large.py"), 0);
}

static const struct {
	const char *text;
	const char *lang;
	const char *argv[4];
} stdins[] = {
    {"print(1)", NULL, {"python3", "-u", "/run/agsbx/stdin.py", NULL}},
    {"", NULL, {"python3", "-u", "/run/agsbx/stdin.py", NULL}},
    {"1", "node", {"node", "/run/agsbx/stdin.js", NULL}},
    {"#!/bin/sh\n", NULL, {"/run/agsbx/stdin", NULL}},
    {"#!/bin/sh\n", "bash", {"bash", "/run/agsbx/stdin.bash", NULL}},
};

static void
test_stdin(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stdins) / sizeof(stdins[0]); i++) {
		struct command c;
		int ends[2];
		size_t len = strlen(stdins[i].text);
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		assert_int_equal(write(ends[1], stdins[i].text, len), len);
		close(ends[1]);
		int old = replace_stdin(ends[0]);
		resolve(&c, FORM_STDIN, NULL, no_args, stdins[i].lang);
		restore_stdin(old);
		close(ends[0]);
		assert_argv(&c, stdins[i].argv);
		assert_program(&c, stdins[i].text, len);
		command_free(&c);
	}
}

/* Somebody made it O_NONBLOCK, and the program comes late. */
static void
test_stdin_nonblocking(void **state)
{
	struct command c;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)usleep(50000);
		_exit(write(ends[1], "print(1)", 8) == 8 ? 0 : 1);
	}
	close(ends[1]);
	int old = replace_stdin(ends[0]);
	resolve(&c, FORM_STDIN, NULL, no_args, NULL);
	restore_stdin(old);
	close(ends[0]);
	assert_program(&c, "print(1)", 8);
	command_free(&c);
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void
test_command(void **state)
{
	static const char *const want[] = {"ls", "-x", "y z", NULL};
	struct command c;

	(void)state;
	resolve(&c, FORM_COMMAND, "ls", two_args, NULL);
	assert_argv(&c, want);
	assert_null(c.program_path);
	assert_int_equal(c.program_fd, -1);
	assert_string_equal(c.sha256, "");
	assert_null(c.file);
	assert_null(c.hint);
	command_free(&c);
}

static void
test_many_arguments(void **state)
{
	const char **args = calloc(POLICY_ARGS_MAX + 1, sizeof(*args));
	struct diag d = {.code = DIAG_NONE};
	struct command c;

	(void)state;
	assert_non_null(args);
	for (size_t i = 0; i < POLICY_ARGS_MAX - 3; i++)
		args[i] = "a";
	assert_int_equal(command_resolve(&c, FORM_CODE, "", args, NULL, -1, &d),
	    0);
	command_free(&c);
	args[POLICY_ARGS_MAX - 3] = "a";
	assert_int_equal(command_resolve(&c, FORM_CODE, "", args, NULL, -1, &d),
	    -1);
	assert_int_equal(d.code, DIAG_USAGE);
	assert_non_null(strstr(d.message, "too many arguments (4094;"));
	free(args);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_code),
	    cmocka_unit_test(test_empty_code),
	    cmocka_unit_test(test_file),
	    cmocka_unit_test(test_file_through_links),
	    cmocka_unit_test(test_file_descriptor),
	    cmocka_unit_test(test_large_file),
	    cmocka_unit_test(test_stdin),
	    cmocka_unit_test(test_stdin_nonblocking),
	    cmocka_unit_test(test_command),
	    cmocka_unit_test(test_many_arguments),
	};

	/* Nothing here may wait for a FIFO's other end. */
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, enter_dir, leave_dir));
}
