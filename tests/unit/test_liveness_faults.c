/*
 * liveness.c where a lock cannot be had: no broker goes on without one, and
 * nobody is taken for dead because it could not be found out.
 */
#include "child_fixture.h"

#include <sys/stat.h>

#include "io.h"
#include "ledger_fixture.h"

static const char *dir;

static void
check_not_taken(int err)
{
	struct diag d = {0};
	int64_t byte;

	CHECK(liveness_take(dir, &byte, &d) == -1);
	CHECK(d.code == DIAG_LEDGER);
	check_says(d.message, "/agsbx.lock: ");
	check_says(d.message,
	    err == ESTALE ? "is not a plain file" : strerror(err));
}

static void
check_not_known(int err)
{
	struct diag d = {0};

	CHECK(liveness_probe(dir, 7, &d) == -1);
	CHECK(d.code == DIAG_LEDGER);
	check_says(d.message, strerror(err));
}

static void
child_has_no_byte(void)
{
	break_syscall(SYS_getrandom, ENOSYS);
	check_not_taken(ENOSYS);
}

/* A filesystem that has no locks. */
static void
child_has_no_locks(void)
{
	break_syscall(SYS_fcntl, ENOLCK);
	check_not_taken(ENOLCK);
	check_not_known(ENOLCK);
}

/* Whatever byte is drawn, somebody has it. */
static void
child_finds_none_free(void)
{
	break_syscall(SYS_fcntl, EAGAIN);
	check_not_taken(EBUSY);
}

/* What is locked must be what others look at. */
static void
child_finds_a_fifo(void)
{
	const char *path = fixture_path(dir, "agsbx.lock");

	CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	check_not_taken(ESTALE);
}

static void
test_faults(void **state)
{
	struct diag d = {0};
	int64_t byte;
	int fd;

	dir = *state;
	fd = liveness_take(dir, &byte, &d); /* the file is there */
	assert_true(fd >= 0);
	io_close(&fd);
	in_child(child_has_no_byte);
	in_child(child_has_no_locks);
	in_child(child_finds_none_free);
	in_child(child_finds_a_fifo);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_faults, fixture_setup,
		fixture_teardown),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
