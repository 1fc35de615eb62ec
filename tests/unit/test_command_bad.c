/* command.c and program.c: what cannot run, and what is said of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <signal.h>

#include "command_fixture.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bad_files),
	    cmocka_unit_test(test_unreadable_file),
	    cmocka_unit_test(test_no_resources),
	    cmocka_unit_test(test_bad_stdin),
	    cmocka_unit_test(test_hints),
	    cmocka_unit_test(test_bad_commands),
	};

	/* Nothing here may wait for a FIFO's other end. */
	(void)alarm(60);
	return (cmocka_run_group_tests(tests, enter_dir, leave_dir));
}
