/*
 * test_exec.c - commands that cannot be executed, and the errno that says so.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

static struct drive d;
static struct plan p;

static const struct {
	const char *command;
	int err;
} failures[] = {
    {"no-such-command", ENOENT},
    {"/usr/bin", EACCES},
    {"/usr/share/doc", EACCES},
    {"/work/nothing", ENOENT},
    {"", ENOENT},
};

static void
test_exec_failures(void **state)
{
	(void)state;
	drive_skip_root();
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		drive_plan(&p,
		    (const char *const[]){failures[i].command, NULL});
		assert_int_equal(drive_run(&d, &p), 127 << 8);
		assert_int_equal(d.exited.exec_errno, failures[i].err);
	}
}

static void
test_exec_of_files(void **state)
{
	static const char script[] = "#!/no/interpreter\n", text[] = "hello\n";
	static const struct {
		const char *content;
		unsigned short mode;
		int err;
	} files[] = {{script, 0755, EACCES}, {text, 0755, EACCES},
	    {text, 0644, EACCES}};

	(void)state;
	drive_skip_root();
	/* What the plan writes as a FILE is never executable: Landlock. */
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct plan_entry *e;

		drive_plan(&p, (const char *const[]){"/x/file", NULL});
		e = &p.entries[p.entry_count++];
		*e = (struct plan_entry){.kind = ENTRY_FILE,
		    .mode = files[i].mode,
		    .path = "/x/file",
		    .source = "",
		    .content = (const uint8_t *)files[i].content,
		    .content_len = (uint32_t)strlen(files[i].content)};
		(void)drive_run(&d, &p);
		assert_int_equal(d.exited.exec_errno, files[i].err);
	}
}

/* Bytes as the plan's program: a missing interpreter, and no format. */
static int
run_program(const char *bytes)
{
	static uint8_t buf[PLAN_BYTES_MAX];
	char path[] = "/tmp/agsbx-program-XXXXXX";
	int fd = mkstemp(path), in[2], out[2];
	long len;

	assert_true(fd >= 0);
	(void)unlink(path);
	assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	drive_plan(&p, (const char *const[]){PLAN_PROGRAM_DIR "/main", NULL});
	p.has_program = true;
	p.program_bytes = strlen(bytes);
	p.entries[p.entry_count++] = (struct plan_entry){.kind = ENTRY_PROGRAM,
	    .mode = 0555,
	    .path = PLAN_PROGRAM_DIR "/main",
	    .source = ""};
	len = drive_encode(&p, buf, sizeof(buf));
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	drive_start(&d);
	d.in = in[1];
	d.out = out[0];
	if (drive_send_bytes(&d, buf, (size_t)len,
		(const int[]){in[0], out[1], out[1], fd}, 4) != MSG_HELD) {
		drive_print_rows(&d);
		fail_msg("not held");
	}
	close(in[0]);
	close(out[1]);
	close(fd);
	drive_go(&d);
	(void)drive_finish(&d);
	(void)drive_end(&d);
	return (d.exited.exec_errno);
}

static void
test_exec_of_programs(void **state)
{
	(void)state;
	drive_skip_root();
	assert_int_equal(run_program("#!/bin/sh\necho from a program\n"), 0);
	assert_string_equal(d.output, "from a program\n");
	assert_int_equal(run_program("#!/no/interpreter\n"), ELIBBAD);
	assert_int_equal(run_program("no format\n"), ENOEXEC);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exec_failures),
	    cmocka_unit_test(test_exec_of_files),
	    cmocka_unit_test(test_exec_of_programs),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
