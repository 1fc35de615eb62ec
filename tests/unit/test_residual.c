/*
 * Which residuals a host leaves open: those that a held control closes are not
 * named, all others always are.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "residual.h"

static size_t
count_open(const struct job *j, const char *name, bool *has)
{
	const struct residual *r;
	size_t n = 0;

	for (*has = false; (r = residual_open(j, n)) != NULL; n++) {
		assert_true(r->names[0] != '\0' && r->possible[0] != '\0' &&
		    r->why[0] != '\0');
		*has = *has || strstr(r->names, name) != NULL;
	}
	return (n);
}

static void
a_held_ceiling_closes_its_own(void **state)
{
	static struct job j;
	size_t without, with;
	bool has;

	(void)state;
	job_init(&j);
	j.rows[CTL_MEMORY].state = READBACK_FAULT;
	without = count_open(&j, "rs-mem-many", &has);
	assert_true(has);
	j.rows[CTL_MEMORY].state = READBACK_HELD;
	with = count_open(&j, "rs-mem-many", &has);
	assert_false(has);
	assert_true(with > 0 && with < without);
	(void)count_open(&j, "il-sysinfo", &has);
	assert_true(has);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_held_ceiling_closes_its_own),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
