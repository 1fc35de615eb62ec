/*
 * The worst case of a policy without a memory controller, also where numbers
 * are too large to add, and the files that it is worked out from.
 */
#include "leaf_fixture.h"

#include "standin.h"

static void
want(const struct host *h, const struct policy *p, uint64_t worst, bool is_all)
{
	struct standin s;

	standin_find(&s, h, p);
	assert_int_equal(s.worst_bytes, worst);
	assert_int_equal(s.is_whole_host, is_all);
}

static void
test_worst(void **state)
{
	static struct policy p;
	struct host h = {.socket_bytes = 10};

	(void)state;
	p.limits[LIMIT_MEMORY] = 1000;
	p.limits[LIMIT_MAX_PROCS] = 3;
	p.limits[LIMIT_SCRATCH] = 500;
	p.limits[LIMIT_NOFILE] = 7;
	want(&h, &p, 500 + 3 * (2000 + 70), false);
	h.memory_bytes = 6711;
	want(&h, &p, 6710, false);
	h.memory_bytes = 6710;
	want(&h, &p, 6710, true);
	h.memory_bytes = 100;
	want(&h, &p, 100, true);
	p.limits[LIMIT_MAX_PROCS] = UINT64_MAX;
	want(&h, &p, 100, true);
	h.memory_bytes = 0;
	want(&h, &p, UINT64_MAX, false);
}

static void
test_files(void **state)
{
	struct tree *t = *state;
	char dir[128], path[512];

	(void)snprintf(path, sizeof(path), "%s/ipv4", t->mount);
	assert_int_equal(mkdir(path, 0755), 0);
	put_in(t, "/ipv4", "tcp_rmem", "4096\t131072\t6291456\n");
	put_in(t, "/ipv4", "tcp_wmem", "4096\t16384\t4194304\n");
	(void)snprintf(dir, sizeof(dir), "%s", t->mount);
	assert_int_equal(standin_socket_bytes(dir), 10 << 20);
	assert_int_equal(standin_socket_bytes("/nonexistent"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_worst),
	    cmocka_unit_test_setup_teardown(test_files, tree_setup,
		tree_teardown),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
