/*
 * The last word of a launcher, of which only what a process that has ended can
 * have is believed, and the end of all that it started.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "peer.h"
#include "times.h"

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
	x = (struct msg_exited){.flags = 1ULL << 32};
	assert_int_equal(take_exited(&x, &d), -1);
	x = (struct msg_exited){.exec_errno = -2};
	assert_int_equal(take_exited(&x, &d), -1);
}

/* ---- the end ---- */

static void
test_end_kills_and_reaps(void **state)
{
	struct peer peer, *p = &peer;
	struct diag d = {0};
	int64_t start = monotonic_ms();

	(void)state;
	peer_init(p);
	assert_int_equal(peer_end(p, 0, &d), 0); /* nothing was started */
	p->proc.pid = fork();
	if (p->proc.pid == 0) {
		(void)pause();
		_exit(0);
	}
	p->proc.pidfd = pidfd_open(p->proc.pid, 0);
	assert_true(p->proc.pidfd >= 0);
	assert_int_equal(peer_end(p, 50, &d), 0);
	assert_true(monotonic_ms() - start >= 50);
	assert_true(p->is_reaped);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	peer_kill(p); /* nothing left to signal */
	peer_free(p);
}

static pid_t
child_for(unsigned int ms)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)usleep(ms * 1000);
		_exit(0);
	}
	assert_true(pid > 0);
	return (pid);
}

/* agsbx was exec'd by a shell with a job of its own in the background. */
static void
test_end_beside_other_children(void **state)
{
	struct peer peer, *p = &peer;
	pid_t other = child_for(10000);
	struct diag d = {0};
	int64_t start = monotonic_ms();

	(void)state;
	peer_init(p);
	p->proc.has_other_children = true;
	p->proc.pid = child_for(0);
	p->proc.pidfd = pidfd_open(p->proc.pid, 0);
	p->init_pid = child_for(300);
	assert_int_equal(peer_end(p, 1000, &d), 0);
	assert_true(monotonic_ms() - start >= 300);
	assert_int_equal(waitpid(p->init_pid, NULL, WNOHANG), -1);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
	peer_free(p);
}

static void
test_events(void **state)
{
	struct peer peer;
	struct diag d = {0};
	int pair[2], ends[2];

	(void)state;
	peer_init(&peer);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	peer.proc.sock = peer.ch.fd = ends[0];
	assert_int_equal(peer_wait(&peer, -1, 1, &d), PEER_TIMEOUT);
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(write(pair[1], "x", 1), 1);
	assert_int_equal(peer_wait(&peer, pair[0], 1000, &d), PEER_SIGNAL);
	io_close(&pair[0]);
	io_close(&pair[1]);
	/* Not permitted before a plan. */
	assert_int_equal(peer_send_kill(&peer, 0), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(peer_send_go(&peer, &d), -1);
	assert_non_null(strstr(d.message, "cannot open the gate"));
	io_close(&ends[1]);
	peer_free(&peer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exited),
	    cmocka_unit_test(test_end_kills_and_reaps),
	    cmocka_unit_test(test_end_beside_other_children),
	    cmocka_unit_test(test_events),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
