/*
 * command_fixture.h - resolves a command in a directory of its own, and looks
 * at what became of it.
 */
#ifndef TESTS_COMMAND_FIXTURE_H
#define TESTS_COMMAND_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "io.h"
#include "plan.h"

static const char *const no_args[] = {NULL};
static char dir[] = "/tmp/agsbx-test-XXXXXX";

static inline void
put_file(const char *name, const void *bytes, size_t len)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, bytes, len), 0);
	close(fd);
}

static inline void
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
static inline void
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

static inline void
resolve(struct command *c, enum command_form form, const char *operand,
    const char *const *args, const char *lang)
{
	struct diag d = {.code = DIAG_NONE, .message = ""};

	if (command_resolve(c, form, operand, args, lang, -1, &d) != 0)
		fail_msg("%s", d.message);
}

/* Fails with that code and these words, and leaves nothing open. */
static inline void
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

/* Our stdin becomes fd; returns the old one for restore_stdin(). */
static inline int
replace_stdin(int fd)
{
	int old = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);

	if (fd == -1)
		close(STDIN_FILENO);
	else
		assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	return (old);
}

static inline void
restore_stdin(int old)
{
	if (old == -1)
		close(STDIN_FILENO);
	else
		assert_int_equal(dup2(old, STDIN_FILENO), STDIN_FILENO);
	if (old != -1)
		close(old);
}

static inline int
enter_dir(void **state)
{
	(void)state;
	return (mkdtemp(dir) == NULL || chdir(dir) == -1 ? -1 : 0);
}

static inline int
leave_dir(void **state)
{
	(void)state;
	return (chdir("/") == -1 ? -1 : rmdir(dir));
}

#endif
