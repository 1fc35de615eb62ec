/*
 * The last word of a launcher: only what a process that has ended can have is
 * believed, so that no other number passes for exit status 0.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "peer.h"

static int
take_exited(const struct msg_exited *x, struct diag *d)
{
	struct msg m = {.type = MSG_EXITED,
	    .body = (const uint8_t *)x,
	    .body_len = sizeof(*x)};
	const struct peer p = {.msg = &m};
	struct msg_exited got;

	*d = (struct diag){0};
	return (peer_take_exited(&p, &got, d));
}

static void
test_exited(void **state)
{
	static const int good[] = {0, 1 << 8, 255 << 8, SIGKILL, SIGSEGV | 0x80,
	    64};
	/* Stopped, continued, a core of nothing, signal 65, both, too wide. */
	static const int bad[] = {0x137f, 0x7f, 0xffff, 0x80, 65, 0x109,
	    0x10000, -1};
	struct msg_exited x = {.flags = EXITED_BY_KILL};
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		x.wait_status = good[i];
		assert_int_equal(take_exited(&x, &d), 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		x.wait_status = bad[i];
		assert_int_equal(take_exited(&x, &d), -1);
		assert_non_null(strstr(d.message, "EXITED without an end"));
	}
	x = (struct msg_exited){.flags = 0x10};
	assert_int_equal(take_exited(&x, &d), -1);
	x = (struct msg_exited){.reserved = 1};
	assert_int_equal(take_exited(&x, &d), -1);
	x = (struct msg_exited){.exec_errno = -2};
	assert_int_equal(take_exited(&x, &d), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exited),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
