/*
 * test_filter_known.c - what the argument filters are for, by hand, so that a
 * fault of the tables is seen as well: modes, priorities, sockets.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "filter_oracle.h"

static const struct filter *const filters[] = {&filter_plan,
    &filter_plan_no_memcg, &filter_floor};

struct socket_row {
	uint64_t family;
	uint64_t type;
	uint64_t protocol;
};
static const struct socket_row sockets_of_programs[] = {
    {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0},
    {AF_UNIX, SOCK_SEQPACKET, PF_UNIX},
    {AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0},
    {AF_INET, SOCK_STREAM, IPPROTO_TCP},
    {AF_INET, SOCK_DGRAM, IPPROTO_UDP},
    {AF_INET, SOCK_DGRAM, IPPROTO_ICMP},
    {AF_INET6, SOCK_STREAM, IPPROTO_TCP},
    {AF_INET6, SOCK_DGRAM, 0},
    {AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6},
    {AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE},
};
static const struct socket_row sockets_of_nobody[] = {
    {AF_UNIX, SOCK_STREAM, 2},
    {AF_INET, SOCK_STREAM, 262 /* MPTCP */},
    {AF_INET6, SOCK_STREAM, 262},
    {AF_INET, SOCK_STREAM, IPPROTO_SCTP},
    {AF_INET, SOCK_STREAM, 256 /* SMC */},
    {AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE},
    {AF_INET6, SOCK_DGRAM, IPPROTO_UDPLITE},
    {AF_INET, SOCK_DGRAM, 115 /* L2TP */},
    {AF_INET, SOCK_DGRAM, IPPROTO_ICMPV6},
    {AF_INET6, SOCK_DGRAM, 1ULL << 32 | 115},
};

static void
sockets_have_few_protocols(void **state)
{
	const struct socket_row *r;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(filters); i++) {
		for (k = 0; k < COUNT(sockets_of_programs); k++) {
			r = &sockets_of_programs[k];
			assert_int_equal(answer(filters[i], SYS_socket,
					     r->family, r->type, r->protocol),
			    PASS);
		}
		for (k = 0; k < COUNT(sockets_of_nobody); k++) {
			r = &sockets_of_nobody[k];
			assert_int_equal(answer(filters[i], SYS_socket,
					     r->family, r->type, r->protocol),
			    ERR(EAFNOSUPPORT));
		}
	}
	assert_int_equal(answer(&filter_plan, SYS_socket, AF_INET, SOCK_STREAM,
			     IPPROTO_UDP),
	    ERR(EAFNOSUPPORT));
}

/* Calls that take the mode of a file. */
struct mode_row {
	int nr;
	unsigned int mode; /* this argument */
	uint64_t flags;	   /* of the argument before it; 0: it has none */
};
static const struct mode_row mode_rows[] = {
#ifdef __x86_64__
    {SYS_chmod, 1, 0},
    {SYS_creat, 1, 0},
    {SYS_mknod, 1, 0},
    {SYS_open, 2, O_CREAT | O_WRONLY},
    {SYS_open, 2, O_TMPFILE | O_RDWR},
#endif
    {SYS_fchmod, 1, 0},
    {SYS_fchmodat, 2, 0},
    {NR_452(fchmodat2), 2, 0},
    {SYS_mknodat, 2, 0},
    {SYS_openat, 3, O_CREAT | O_EXCL},
    {SYS_openat, 3, O_TMPFILE | O_RDWR},
    {SYS_openat, 3, O_CREAT | O_TMPFILE},
};

static uint32_t
answer_mode(const struct filter *f, const struct mode_row *row, uint64_t mode)
{
	struct seccomp_data d = {.nr = row->nr, .arch = NATIVE};

	if (row->flags != 0)
		d.args[row->mode - 1] = row->flags;
	d.args[row->mode] = S_IFREG | mode;
	return (run(f, &d).answer);
}

static void
no_file_becomes_set_id(void **state)
{
	static const uint64_t refused[] = {04755, 02755, 06755, 04000,
	    1ULL << 32 | 04700};
	size_t i, k, n;

	(void)state;
	for (i = 0; i < COUNT(filters); i++) {
		for (k = 0; k < COUNT(mode_rows); k++) {
			for (n = 0; n < COUNT(refused); n++)
				assert_int_equal(answer_mode(filters[i],
						     &mode_rows[k], refused[n]),
				    ERR(EPERM));
			assert_int_equal(answer_mode(filters[i], &mode_rows[k],
					     01777),
			    PASS);
		}
		assert_int_equal(answer(filters[i], SYS_openat2, 3, 0, 0),
		    ERR(ENOSYS));
	}
}

/* Where no file is made, libc leaves in this argument what was there. */
static void
open_without_a_mode_is_any_open(void **state)
{
	const struct mode_row row = {SYS_openat, 3, O_RDWR | O_TRUNC};
	const struct mode_row dir = {SYS_openat, 3, O_RDONLY | O_DIRECTORY};

	(void)state;
	assert_int_equal(answer_mode(&filter_plan, &row, 07777), PASS);
	assert_int_equal(answer_mode(&filter_plan, &dir, 07777), PASS);
	assert_int_equal(answer_mode(&filter_floor, &row, 07777), PASS);
}

/* Its clock is what ends the job. */
static void
nobody_else_is_slowed_down(void **state)
{
	static const int by_pid[] = {SYS_sched_setscheduler, SYS_sched_setparam,
	    SYS_sched_setattr};
	const uint64_t high = 1ULL << 32;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(filters); i++) {
		const struct filter *f = filters[i];

		assert_int_equal(answer(f, SYS_setpriority, PRIO_PROCESS, 0, 5),
		    PASS);
		assert_int_equal(answer(f, SYS_setpriority, PRIO_PROCESS, 1, 5),
		    ERR(EPERM));
		assert_int_equal(answer(f, SYS_setpriority, high, high | 1, 5),
		    ERR(EPERM));
		assert_int_equal(answer(f, SYS_setpriority, PRIO_PGRP, 0, 5),
		    ERR(EPERM));
		assert_int_equal(answer(f, SYS_setpriority, PRIO_USER, 0, 5),
		    ERR(EPERM));
		assert_int_not_equal(answer(f, SYS_ioprio_set,
					 IOPRIO_WHO_PROCESS, 1, 0),
		    PASS);
	}
	for (i = 0; i < COUNT(by_pid); i++) {
		assert_int_equal(answer(&filter_floor, by_pid[i], 0, 0, 0),
		    PASS);
		assert_int_equal(answer(&filter_floor, by_pid[i], 1, 0, 0),
		    ERR(EPERM));
		assert_int_equal(answer(&filter_plan, by_pid[i], 1, 0, 0),
		    ERR(ENOSYS));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sockets_have_few_protocols),
	    cmocka_unit_test(no_file_becomes_set_id),
	    cmocka_unit_test(open_without_a_mode_is_any_open),
	    cmocka_unit_test(nobody_else_is_slowed_down),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
