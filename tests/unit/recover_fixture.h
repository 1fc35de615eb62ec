/*
 * recover_fixture.h - a state directory with its locks, and open rows in it.
 * Test programs that begin with it need no other include.
 */
#ifndef TESTS_RECOVER_FIXTURE_H
#define TESTS_RECOVER_FIXTURE_H

#include <sys/prctl.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io.h"
#include "ledger_fixture.h"
#include "recover.h"
#include "times.h"

static char this_boot[64];

static int
set_up(void **state)
{
	struct diag d = {0};
	int64_t byte;
	int fd;

	*state = fixture_dir();
	assert_true(io_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id",
			this_boot, sizeof(this_boot)) > 0);
	this_boot[36] = '\0';
	fd = liveness_take(*state, &byte, &d);
	return (fd == -1 ? -1 : close(fd));
}

static int
tear_down(void **state)
{
	fixture_remove(*state);
	return (0);
}

/* Of the rows that add() makes. */
static int64_t rows_pidns = JOB_UNKNOWN;

/* A row in an open state; boot NULL: another boot's. */
static void
add(struct ledger *l, const char *boot, int64_t byte, int64_t pid,
    enum job_state s)
{
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	(void)strlcpy(j.boot_id,
	    boot != NULL ? boot : "00000000-0000-4000-8000-000000000000",
	    sizeof(j.boot_id));
	j.lock_byte = byte;
	j.pidns = rows_pidns;
	assert_int_equal(ledger_admit(l, &j, &d), 0);
	j.launcher_pid = pid;
	if (s != JOB_ADMITTED)
		assert_int_equal(ledger_start(l, &j, &d), 0);
	if (s == JOB_FAILED) {
		j.state = s;
		assert_int_equal(ledger_settle(l, &j, &d), 0);
	}
	job_free(&j);
}

static size_t
run(struct ledger *l, const char *dir, struct recovered **r)
{
	struct diag d = {0};
	size_t count = 99;

	if (recover_all(l, dir, 100, r, &count, &d) == -1)
		fail_msg("%s", d.message);
	return (count);
}

#endif
