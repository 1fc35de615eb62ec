/* command.c and program.c: the four forms, good and bad, in a directory of
 * their own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "io.h"
#include "plan.h"

static const char *const no_args[] = {NULL};
static const char *const two_args[] = {"-x", "y z", NULL};

static char dir[] = "/tmp/agsbx-test-XXXXXX";

static void
put_file(const char *name, const void *bytes, size_t len)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, bytes, len), 0);
	close(fd);
}

static void
assert_argv(const struct command *c, const char *const *want)
{
	size_t i = 0;

	for (; want[i] != NULL; i++) {
		assert_non_null(c->argv[i]);
		assert_string_equal(c->argv[i], want[i]);
	}
	assert_null(c->argv[i]);
}

/* The copy holds exactly that, cannot be changed, and the hash is its own. */
static void
assert_program(const struct command *c, const char *want, size_t len)
{
	char hash[SHA256_DIGEST_STRING_LENGTH];
	char *got = malloc(len + 1);

	assert_non_null(got);
	assert_int_equal(c->program_bytes, len);
	assert_int_equal(lseek(c->program_fd, 0, SEEK_CUR), 0);
	assert_int_equal(pread(c->program_fd, got, len + 1, 0), len);
	assert_memory_equal(got, want, len);
	free(got);
	assert_string_equal(c->sha256,
	    SHA256Data((const uint8_t *)want, len, hash));
	assert_int_equal(write(c->program_fd, "x", 1), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(c->program_fd, (off_t)len + 1), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(fcntl(c->program_fd, F_ADD_SEALS, F_SEAL_SEAL), -1);
	assert_int_equal(fcntl(c->program_fd, F_GETFD) & FD_CLOEXEC,
	    FD_CLOEXEC);
}

static void
resolve(struct command *c, enum command_form form, const char *operand,
    const char *const *args, const char *lang)
{
	struct diag d = {.code = DIAG_NONE, .message = ""};

	if (command_resolve(c, form, operand, args, lang, -1, &d) != 0)
		fail_msg("%s", d.message);
}

/* Fails with that code and these words, and leaves nothing open. */
static void
assert_refused(enum command_form form, const char *operand, const char *lang,
    enum diag_code code, const char *words)
{
	struct diag d = {.code = DIAG_NONE, .message = ""};
	struct command c;

	assert_int_equal(command_resolve(&c, form, operand, no_args, lang, -1,
			     &d),
	    -1);
	assert_int_equal(d.code, code);
	if (strstr(d.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", d.message, words);
	assert_int_equal(c.program_fd, -1);
	assert_null(c.argv);
	command_free(&c);
}

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

static void
test_bad_files(void **state)
{
	(void)state;
	assert_refused(FORM_FILE, "missing", NULL, DIAG_COMMAND,
	    "cannot open missing: No such file or directory (a command is run "
	    "as: agsbx run -- missing)");
	assert_refused(FORM_FILE, "./missing", NULL, DIAG_COMMAND,
	    "cannot open ./missing: No such file or directory");
	assert_refused(FORM_FILE, "", NULL, DIAG_COMMAND, "No such file");
	assert_refused(FORM_FILE, "/", NULL, DIAG_COMMAND, "/ is a directory");
	assert_refused(FORM_FILE, "..", NULL, DIAG_COMMAND,
	    ".. is a directory");
	assert_refused(FORM_FILE, "/dev/null", NULL, DIAG_COMMAND,
	    "/dev/null is a device");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_refused(FORM_FILE, "fifo", NULL, DIAG_COMMAND,
	    "fifo is a named pipe");
	assert_int_equal(unlink("fifo"), 0);
	put_file("crlf", "#!/bin/sh\r\n", 11);
	assert_refused(FORM_FILE, "crlf", NULL, DIAG_COMMAND,
	    "crlf: its #! line ends with a carriage return");
	assert_int_equal(unlink("crlf"), 0);
	put_file("a.py", "", 0);
	assert_refused(FORM_FILE, "a.py/", NULL, DIAG_COMMAND,
	    "cannot open a.py/: Not a directory");
	assert_refused(FORM_FILE, "a.py", "cobol", DIAG_USAGE,
	    "unknown language \"cobol\"");
	assert_int_equal(unlink("a.py"), 0);
	assert_refused(FORM_FILE, "/proc/self/mem", NULL, DIAG_COMMAND,
	    "cannot read /proc/self/mem");
}

static void
test_unreadable_file(void **state)
{
	(void)state;
	if (geteuid() == 0) {
		print_message("root reads every file\n");
		skip();
	}
	put_file("secret", "x", 1);
	assert_int_equal(chmod("secret", 0), 0);
	assert_refused(FORM_FILE, "secret", NULL, DIAG_COMMAND,
	    "cannot open secret: Permission denied");
	assert_int_equal(unlink("secret"), 0);
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

/* No descriptor left, then a copy that may not grow: errors, and no leak. */
static void
test_no_resources(void **state)
{
	struct rlimit old, less;

	(void)state;
	put_file("a.py", "print(1)", 8);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	less = old;
	less.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
	assert_refused(FORM_CODE, "1", NULL, DIAG_COMMAND,
	    "cannot make a copy of the program: Too many open files");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	less = old;
	less.rlim_cur = 4;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	assert_refused(FORM_FILE, "a.py", NULL, DIAG_COMMAND,
	    "cannot copy a.py: File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(unlink("a.py"), 0);
}

/* Our stdin becomes fd; returns the old one for restore_stdin(). */
static int
replace_stdin(int fd)
{
	int old = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);

	if (fd == -1)
		close(STDIN_FILENO);
	else
		assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	return (old);
}

static void
restore_stdin(int old)
{
	if (old == -1)
		close(STDIN_FILENO);
	else
		assert_int_equal(dup2(old, STDIN_FILENO), STDIN_FILENO);
	if (old != -1)
		close(old);
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
test_bad_stdin(void **state)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)state;
	int old = replace_stdin(zero);
	assert_refused(FORM_STDIN, NULL, NULL, DIAG_COMMAND,
	    "standard input is larger than 64 MiB");
	restore_stdin(old);
	close(zero);
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

static const struct {
	const char *command;
	const char *hint; /* part of it; NULL: none */
} hints[] = {
    {"./x",
	"./x is a file of the host; run it as FILE: agsbx run ./x, or "
	"bind its directory with --bind-ro"},
    {"d", NULL},
    {"./d", "./d on the host is a directory"},
    {"x", NULL},
    {"./missing", NULL},
    {"/usr/bin/env", NULL},
    {"/bin/sh", NULL},
    {"/dev/null", NULL},
};

static void
test_hints(void **state)
{
	(void)state;
	put_file("x", "", 0);
	assert_int_equal(mkdir("d", 0755), 0);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		struct command c;
		resolve(&c, FORM_COMMAND, hints[i].command, no_args, NULL);
		if (hints[i].hint == NULL)
			assert_null(c.hint);
		else
			assert_non_null(strstr(c.hint, hints[i].hint));
		command_free(&c);
	}
	assert_int_equal(unlink("x"), 0);
	assert_int_equal(rmdir("d"), 0);
}

static void
test_bad_commands(void **state)
{
	(void)state;
	assert_refused(FORM_COMMAND, "", NULL, DIAG_USAGE,
	    "the command is empty");
	assert_refused(FORM_COMMAND, "ls", "python", DIAG_USAGE, "--lang");
	assert_refused(FORM_CODE, "1", "py", DIAG_USAGE,
	    "unknown language \"py\" (known: python, ");
}

static void
test_many_arguments(void **state)
{
	const char **args = calloc(PLAN_ARGV_MAX + 1, sizeof(*args));
	struct diag d = {.code = DIAG_NONE};
	struct command c;

	(void)state;
	assert_non_null(args);
	for (size_t i = 0; i < PLAN_ARGV_MAX - 3; i++)
		args[i] = "a";
	assert_int_equal(command_resolve(&c, FORM_CODE, "", args, NULL, -1, &d),
	    0);
	command_free(&c);
	args[PLAN_ARGV_MAX - 3] = "a";
	assert_int_equal(command_resolve(&c, FORM_CODE, "", args, NULL, -1, &d),
	    -1);
	assert_int_equal(d.code, DIAG_USAGE);
	assert_non_null(strstr(d.message, "too many arguments (4094;"));
	free(args);
}

static int
enter_dir(void **state)
{
	(void)state;
	return (mkdtemp(dir) == NULL || chdir(dir) == -1 ? -1 : 0);
}

static int
leave_dir(void **state)
{
	(void)state;
	return (chdir("/") == -1 ? -1 : rmdir(dir));
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
	    cmocka_unit_test(test_bad_files),
	    cmocka_unit_test(test_unreadable_file),
	    cmocka_unit_test(test_large_file),
	    cmocka_unit_test(test_no_resources),
	    cmocka_unit_test(test_stdin),
	    cmocka_unit_test(test_stdin_nonblocking),
	    cmocka_unit_test(test_bad_stdin),
	    cmocka_unit_test(test_command),
	    cmocka_unit_test(test_hints),
	    cmocka_unit_test(test_bad_commands),
	    cmocka_unit_test(test_many_arguments),
	};

	/* Nothing here may wait for a FIFO's other end. */
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, enter_dir, leave_dir));
}
