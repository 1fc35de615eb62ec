/*
 * finish_host.c: what is above the host is reported where somebody asked for
 * it, and a default gives way.  Each case is a child's: a hard limit does not
 * come back.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>

#include <unistd.h>

#include "child_fixture.h"
#include "policy_fixture.h"

static const struct {
	__rlimit_resource_t resource;
	rlim_t hard;
	const char *key; /* NULL: all are defaults */
	const char *value;
	const char *message; /* has this; NULL: there is none */
} cases[] = {
    {RLIMIT_NOFILE, 512, "nofile", "512", NULL},
    {RLIMIT_NOFILE, 512, "nofile", "513",
	"nofile 513 would have no effect: the host's hard limit of open files "
	"(ulimit -Hn) is 512"},
    {RLIMIT_NOFILE, 7, NULL, NULL,
	"the host's hard limit of open files (ulimit -Hn) is 7, and a job needs "
	"8 at least"},
    {RLIMIT_NPROC, 100, "max-procs", "99", NULL},
    {RLIMIT_NPROC, 100, "max-procs", "100",
	"max-procs 100 would have no effect: the host's hard limit of "
	"processes, less init (ulimit -Hu) is 99"},
    {RLIMIT_NPROC, 1, NULL, NULL,
	"the host's hard limit of processes, less init (ulimit -Hu) is 0, and a "
	"job needs 1 at least"},
    {RLIMIT_CORE, 0, "max-procs", "1048320",
	"max-procs 1048320 would have no effect: the host's "},
    {RLIMIT_CORE, 0, "memory", "60000000",
	"memory 60000000M would have no effect: the host's memory is "},
    {RLIMIT_CORE, 0, "cpu-quota", "409600%",
	"cpu-quota 409600% would have no effect: the host's sum of CPU time "
	"(100% a processor) is "},
    {RLIMIT_NOFILE, 512, NULL, NULL, NULL},
    {RLIMIT_NPROC, 100, NULL, NULL, NULL},
};
static size_t row;
static void
set_hard(__rlimit_resource_t resource, rlim_t hard)
{
	const struct rlimit rl = {hard, hard};

	CHECK(setrlimit(resource, &rl) == 0);
}

static void
child_case(void)
{
	const struct origin flag = {.flag = "--flag"};
	struct policy *p = policy_new();
	struct diag d = {0};
	int rc;

	CHECK(p != NULL);
	set_hard(cases[row].resource, cases[row].hard);
	CHECK(cases[row].key == NULL ||
	    policy_set(p, "limits", cases[row].key, cases[row].value, &flag,
		&d) == 0);
	rc = policy_finish(p, &d);
	CHECK(rc == (cases[row].message == NULL ? 0 : -1));
	if (cases[row].message != NULL)
		check_says(d.message, cases[row].message);
	policy_free(p);
}

static void
test_cases(void **state)
{
	(void)state;
	for (row = 0; row < COUNT(cases); row++)
		in_child(child_case);
}

static void
child_defaults(void)
{
	struct policy *p = policy_new();
	struct diag d = {0};

	CHECK(p != NULL);
	set_hard(RLIMIT_NOFILE, 512);
	set_hard(RLIMIT_NPROC, 100);
	set_hard(RLIMIT_STACK, 1 << 20);
	CHECK(policy_finish(p, &d) == 0);
	CHECK(p->limits[LIMIT_NOFILE] == 512);
	CHECK(p->limits[LIMIT_MAX_PROCS] == 99);
	CHECK(p->stack_bytes == 1 << 20);
	policy_free(p);
}

static void
test_defaults(void **state)
{
	(void)state;
	in_child(child_defaults);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cases),
	    cmocka_unit_test(test_defaults),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
