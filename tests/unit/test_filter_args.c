/*
 * test_filter_args.c - proves the argument filters: every combination of the
 * values at and beside those of the tables, below each high half, and the
 * known ways past such filters by hand; more by hand in test_filter_known.c.
 */
#include <stdlib.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "filter_oracle.h"

#define CANDIDATES_MAX 8192
#define ARGS 4 /* no row tests a later argument */

/* Values at and around each value that a row of the call tests. */
struct candidates {
	uint32_t values[CANDIDATES_MAX];
	size_t count;
};

static int
compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return ((x > y) - (x < y));
}

static void
candidate(struct candidates *c, uint32_t value)
{
	assert_true(c->count < CANDIDATES_MAX);
	c->values[c->count++] = value;
}

static void
gather(struct candidates *c, const char *name, unsigned int arg, bool flips)
{
	size_t i;
	size_t k;
	unsigned int t;
	unsigned int bit;

	c->count = 0;
	candidate(c, UINT32_MAX);
	for (i = 0; i < COUNT(args_rows); i++) {
		for (t = 0; t < args_rows[i].count; t++) {
			uint32_t v = args_rows[i].tests[t].value;

			if (strcmp(args_rows[i].name, name) != 0 ||
			    args_rows[i].tests[t].arg != arg)
				continue;
			candidate(c, 0);
			candidate(c, v);
			candidate(c, v - 1);
			candidate(c, v + 1);
			candidate(c, v | ~args_rows[i].tests[t].mask);
			for (bit = 0; flips && bit < 32; bit++)
				candidate(c, v ^ (1U << bit));
		}
	}
	qsort(c->values, c->count, sizeof(c->values[0]), compare_u32);
	for (i = 0, k = 0; i < c->count; i++) {
		if (i == 0 || c->values[i] != c->values[i - 1])
			c->values[k++] = c->values[i];
	}
	c->count = k;
}

/* Every combination of the candidates from this argument on. */
static void
check_from(const struct oracle *o, struct seccomp_data *d,
    const struct candidates *c, unsigned int arg, uint64_t high)
{
	size_t i;

	if (arg == ARGS) {
		check(o, d);
		return;
	}
	for (i = 0; i < c[arg].count; i++) {
		d->args[arg] = high | c[arg].values[i];
		check_from(o, d, c, arg + 1, high);
	}
}

/* The same below each high half, with each bit of one argument flipped. */
static void
check_call(const struct oracle *o, const char *name, int nr)
{
	static const uint64_t highs[] = {0, 1ULL << 32, 0xffffffffULL << 32};
	static struct candidates c[ARGS];
	struct seccomp_data d = {.nr = nr, .arch = NATIVE};
	unsigned int arg;
	unsigned int flipped;
	size_t h;

	for (flipped = 0; flipped < ARGS; flipped++) {
		for (arg = 0; arg < ARGS; arg++)
			gather(&c[arg], name, arg, arg == flipped);
		for (h = 0; h < COUNT(highs); h++)
			check_from(o, &d, c, 0, highs[h]);
	}
}

static void
arguments_are_as_in_the_tables(void **state)
{
	size_t i;
	size_t k;

	(void)state;
	for (k = 0; k < COUNT(floor_rows); k++)
		check_call(&oracles[ORACLE_FLOOR], floor_rows[k].name,
		    floor_rows[k].nr);
	for (i = 0; i < ORACLE__MAX; i++) {
		for (k = 0; k < COUNT(job_rows); k++) {
			if (job_rows[k].rule == RULE_FILTERED ||
			    job_rows[k].nr == SYS_seccomp)
				check_call(&oracles[i], job_rows[k].name,
				    job_rows[k].nr);
		}
	}
}

/* The same by hand, so that a fault of the tables is seen as well. */
static void
known_bypasses_are_refused(void **state)
{
	const uint64_t high = 1ULL << 32;
	static const struct filter *const plans[] = {&filter_plan,
	    &filter_plan_no_memcg};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(plans); i++) {
		const struct filter *f = plans[i];

		assert_int_equal(answer(f, SYS_ioctl, 0, TIOCSTI, 0),
		    ERR(ENOTTY));
		assert_int_equal(answer(f, SYS_ioctl, 0, high | TIOCSTI, 0),
		    ERR(ENOTTY));
		assert_int_equal(answer(f, SYS_ioctl, 0, high | TIOCLINUX, 0),
		    ERR(ENOTTY));
		/* musl sign-extends: this one must stay possible */
		assert_int_equal(answer(f, SYS_ioctl, 0,
				     0xffffffff00000000U | TIOCGPTN, 0),
		    PASS);
		assert_int_equal(answer(f, SYS_socket, high | 40, 1, 0),
		    ERR(EAFNOSUPPORT));
		assert_int_equal(answer(f, SYS_socket, AF_INET, SOCK_RAW, 0),
		    ERR(EAFNOSUPPORT));
		assert_int_equal(answer(f, SYS_socket, AF_NETLINK, SOCK_RAW,
				     high | NETLINK_NETFILTER),
		    ERR(EAFNOSUPPORT));
		assert_int_equal(answer(f, SYS_setsockopt, 3, high | SOL_SOCKET,
				     SO_ATTACH_FILTER),
		    ERR(ENOPROTOOPT));
		assert_int_equal(answer(f, SYS_setsockopt, 3, IPPROTO_IP, 64),
		    ERR(ENOPROTOOPT));
		assert_int_equal(answer(f, SYS_clone, high | CLONE_NEWUSER, 0,
				     0),
		    ERR(EPERM));
		assert_int_equal(answer(f, SYS_clone3, 0, 0, 0), ERR(ENOSYS));
		assert_int_equal(answer(f, SYS_prlimit64, 1, 0, 0), ERR(EPERM));
		assert_int_equal(answer(f, SYS_fcntl, 0, high | F_SETLEASE, 0),
		    ERR(EINVAL));
		assert_int_equal(answer(f, SYS_prctl, high | PR_SET_SECCOMP, 0,
				     0),
		    ERR(EINVAL));
		assert_int_equal(answer(f, SYS_setxattr, 0, 0, 0),
		    ERR(EOPNOTSUPP));
		assert_int_equal(answer(f, SYS_sync, 0, 0, 0), ERR(ENOSYS));
		assert_int_equal(answer(f, SYS_syncfs, 0, 0, 0), ERR(ENOSYS));
	}
	assert_int_equal(answer(&filter_plan, SYS_setsockopt, 3, SOL_SOCKET,
			     SO_SNDBUF),
	    PASS);
	assert_int_equal(answer(&filter_plan_no_memcg, SYS_setsockopt, 3,
			     high | SOL_SOCKET, high | SO_SNDBUF),
	    ERR(ENOPROTOOPT));
}

static void
floor_lets_one_filter_on_top(void **state)
{
	const struct filter *f = &filter_floor;

	(void)state;
	assert_int_equal(answer(f, SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 0),
	    PASS);
	assert_int_equal(answer(f, SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     SECCOMP_FILTER_FLAG_NEW_LISTENER, 0),
	    ERR(EPERM));
	assert_int_equal(answer(f, SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0),
	    ERR(EPERM));
	assert_int_equal(answer(f, SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, 0),
	    ERR(EPERM));
	assert_int_equal(answer(f, SYS_ioctl, 0, TIOCSTI | 1ULL << 32, 0),
	    ERR(EPERM));
	assert_int_equal(answer(f, SYS_ioctl, 0, TCGETS, 0), PASS);
	assert_int_equal(answer(f, SYS_socket, 40, SOCK_STREAM, 0),
	    ERR(EAFNOSUPPORT));
}

/* What the held job does between the last filter and exec. */
static void
held_job_can_reach_exec(void **state)
{
	static const int calls[] = {SYS_sendmsg, SYS_write, SYS_read,
	    SYS_execve, SYS_execveat, SYS_close, SYS_exit_group};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(calls); i++) {
		assert_int_equal(answer(&filter_plan, calls[i], 0, 0, 0), PASS);
		assert_int_equal(answer(&filter_plan_no_memcg, calls[i], 0, 0,
				     0),
		    PASS);
		assert_int_equal(answer(&filter_floor, calls[i], 0, 0, 0),
		    PASS);
	}
	assert_int_equal(answer(&filter_plan, SYS_fcntl, 3, F_SETFD, 1), PASS);
}

static void
broker_cannot_start_anything(void **state)
{
	static const int calls[] = {SYS_execve, SYS_execveat, SYS_clone,
	    SYS_clone3, SYS_socket, SYS_socketpair, SYS_connect, SYS_bind,
	    SYS_ptrace, SYS_mount, SYS_unshare, SYS_setns, SYS_io_uring_setup,
	    SYS_bpf, SYS_seccomp, SYS_prctl, SYS_memfd_create, SYS_linkat,
	    SYS_symlinkat, SYS_process_vm_writev, SYS_pidfd_getfd};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(calls); i++) {
		const struct seccomp_data d = {.nr = calls[i], .arch = NATIVE};
		struct bpf_run r = run(&filter_broker, &d);

		assert_int_equal(r.answer, ERR(EPERM));
		assert_false(r.reads_args);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(arguments_are_as_in_the_tables),
	    cmocka_unit_test(known_bypasses_are_refused),
	    cmocka_unit_test(floor_lets_one_filter_on_top),
	    cmocka_unit_test(held_job_can_reach_exec),
	    cmocka_unit_test(broker_cannot_start_anything),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
