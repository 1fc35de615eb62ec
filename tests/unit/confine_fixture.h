/*
 * confine_fixture.h - runs a test in a child, which may confine itself.
 */
#ifndef TESTS_CONFINE_FIXTURE_H
#define TESTS_CONFINE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/landlock.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"

/* A leak check at the end of a confined process would want clone and ptrace. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return ("detect_leaks=0");
}

/* In a child: a failed one ends it. */
#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			(void)dprintf(2, "%s:%d: %s (errno %d)\n", __FILE__, \
			    __LINE__, #cond, errno); \
			exit(1); \
		} \
	} while (0)

/* Runs fn in a child, which must come to its end. */
static inline void
in_child(void (*fn)(void))
{
	int status = -1;

	(void)fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(30);
		fn();
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		fail_msg("the child ended with status %#x", status);
}

static inline bool
has_landlock(void)
{
	if (syscall(SYS_landlock_create_ruleset, NULL, (size_t)0,
		LANDLOCK_CREATE_RULESET_VERSION) > 0)
		return (true);
	print_message("this kernel has no Landlock: %s\n", strerror(errno));
	return (false);
}

#endif
