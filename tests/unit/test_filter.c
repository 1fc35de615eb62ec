/*
 * test_filter.c - proves the compiled filters: over every system call number
 * and every architecture, what the BPF answers is what the tables say.
 * Arguments: test_filter_args.c; the kernel itself: test_filter_live.c.
 */
#include <linux/elf-em.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "filter_oracle.h"

static const uint32_t arches[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64,
    AUDIT_ARCH_ALPHA, AUDIT_ARCH_ARM, AUDIT_ARCH_ARMEB, AUDIT_ARCH_CRIS,
    AUDIT_ARCH_FRV, AUDIT_ARCH_I386, AUDIT_ARCH_IA64, AUDIT_ARCH_M32R,
    AUDIT_ARCH_M68K, AUDIT_ARCH_MICROBLAZE, AUDIT_ARCH_MIPS, AUDIT_ARCH_MIPSEL,
    AUDIT_ARCH_MIPS64, AUDIT_ARCH_MIPS64N32, AUDIT_ARCH_MIPSEL64,
    AUDIT_ARCH_MIPSEL64N32, AUDIT_ARCH_OPENRISC, AUDIT_ARCH_PARISC,
    AUDIT_ARCH_PARISC64, AUDIT_ARCH_PPC, AUDIT_ARCH_PPC64, AUDIT_ARCH_PPC64LE,
    AUDIT_ARCH_RISCV32, AUDIT_ARCH_RISCV64, AUDIT_ARCH_S390, AUDIT_ARCH_S390X,
    AUDIT_ARCH_SH, AUDIT_ARCH_SHEL, AUDIT_ARCH_SH64, AUDIT_ARCH_SHEL64,
    AUDIT_ARCH_SPARC, AUDIT_ARCH_SPARC64, AUDIT_ARCH_TILEGX,
    AUDIT_ARCH_TILEGX32, AUDIT_ARCH_TILEPRO, 0, UINT32_MAX};

static void
numbers_are_the_kernels(void **state)
{
	size_t i;

	(void)state;
	assert_int_equal(syscall_info_count, COUNT(job_rows));
	for (i = 0; i < COUNT(job_rows); i++) {
		assert_string_equal(syscall_infos[i].name, job_rows[i].name);
		if (syscall_infos[i].nr != job_rows[i].nr)
			fail_msg("%s is %d, not %d", job_rows[i].name,
			    job_rows[i].nr, syscall_infos[i].nr);
		assert_int_equal(syscall_infos[i].rule, job_rows[i].rule);
		if (job_rows[i].rule != RULE_ALLOW)
			assert_non_null(syscall_infos[i].why);
	}
}

static void
every_number_is_as_in_the_tables(void **state)
{
	struct seccomp_data d = {.arch = NATIVE};
	unsigned int steps = 0;
	size_t i;
	size_t a;

	(void)state;
	for (i = 0; i < ORACLE__MAX; i++) {
		for (d.nr = 0; d.nr < NR_MAX; d.nr++) {
			struct bpf_run r;

			for (a = 0; a < 6; a++)
				d.args[a] = 0;
			check(&oracles[i], &d);
			for (a = 0; a < 6; a++)
				d.args[a] = UINT64_MAX;
			check(&oracles[i], &d);
			r = run(oracles[i].filter, &d);
			if (r.steps > steps)
				steps = r.steps;
		}
	}
	print_message("longest path of 0..%d: %u instructions\n", NR_MAX - 1,
	    steps);
}

/* An answer that is reached without loading an argument holds for them all. */
static void
never_is_eperm_whatever_the_arguments(void **state)
{
	size_t i;
	size_t k;

	(void)state;
	for (i = 0; i < COUNT(job_rows); i++) {
		const struct seccomp_data d = {.nr = job_rows[i].nr,
		    .arch = NATIVE};

		if (job_rows[i].rule != RULE_NEVER)
			continue;
		for (k = ORACLE_PLAN; k <= ORACLE_FLOOR; k++) {
			struct bpf_run r = run(oracles[k].filter, &d);

			if (k == ORACLE_FLOOR && d.nr == SYS_seccomp)
				continue; /* floor_lets_one_filter_on_top */
			assert_int_equal(r.answer, ERR(EPERM));
			assert_false(r.reads_args);
		}
	}
}

static void
unlisted_is_enosys_whatever_the_arguments(void **state)
{
	struct seccomp_data d = {.arch = NATIVE};
	unsigned int count = 0;

	(void)state;
	for (d.nr = 0; d.nr < NR_MAX; d.nr++) {
		struct bpf_run r;

		if (oracle_job(d.nr) != NULL || d.nr == CANARY_PLAN_NR)
			continue;
		r = run(&filter_plan, &d);
		assert_int_equal(r.answer, ERR(ENOSYS));
		assert_false(r.reads_args);
		count++;
	}
	assert_in_range(count, NR_MAX - 512, NR_MAX - 300);
}

static void
other_architectures_are_killed(void **state)
{
	struct seccomp_data d = {0};
	size_t i;
	size_t k;

	(void)state;
	for (i = 0; i < ORACLE__MAX; i++) {
		for (k = 0; k < COUNT(arches); k++) {
			if ((d.arch = arches[k]) == NATIVE)
				continue;
			for (d.nr = 0; d.nr < NR_MAX; d.nr++)
				assert_int_equal(run(oracles[i].filter, &d)
						     .answer,
				    SECCOMP_RET_KILL_PROCESS);
		}
	}
}

static void
x32_numbers_are_killed(void **state)
{
	struct seccomp_data d = {.arch = NATIVE};
	size_t i;
	int nr;

	(void)state;
#ifndef __x86_64__
	print_message("SKIP: only x86-64 has x32\n");
	skip();
#endif
	for (i = 0; i < ORACLE__MAX; i++) {
		for (nr = 0; nr < NR_MAX; nr++) {
			d.nr = X32_BIT | nr;
			assert_int_equal(run(oracles[i].filter, &d).answer,
			    SECCOMP_RET_KILL_PROCESS);
			d.nr = (int)(0x80000000U | (unsigned int)nr);
			assert_int_equal(run(oracles[i].filter, &d).answer,
			    SECCOMP_RET_KILL_PROCESS);
		}
		d.nr = -1; /* no number: what a tracer leaves behind */
		assert_int_equal(run(oracles[i].filter, &d).answer,
		    oracles[i].unlisted);
	}
}

static void
canaries_tell_the_filters_apart(void **state)
{
	(void)state;
	assert_int_equal(answer(&filter_floor, CANARY_FLOOR_NR, 0, 0, 0),
	    ERR(CANARY_FLOOR_ERRNO));
	assert_int_equal(answer(&filter_floor, CANARY_PLAN_NR, 0, 0, 0), PASS);
	assert_int_equal(answer(&filter_plan, CANARY_PLAN_NR, 0, 0, 0),
	    ERR(CANARY_PLAN_ERRNO));
	assert_int_equal(answer(&filter_plan, CANARY_FLOOR_NR, 0, 0, 0),
	    ERR(ENOSYS));
}

/* The stack is never weaker than the floor, and the plan's errno is seen. */
static void
stacked_filters_only_narrow(void **state)
{
	struct seccomp_data d = {.arch = NATIVE};
	unsigned int round;
	size_t a;

	(void)state;
	for (round = 0; round < 2; round++) {
		for (a = 0; a < 6; a++)
			d.args[a] = round == 0 ? 0 : UINT64_MAX;
		for (d.nr = 0; d.nr < NR_MAX; d.nr++) {
			uint32_t plan = run(&filter_plan, &d).answer;
			uint32_t floor = run(&filter_floor, &d).answer;
			uint32_t both = bpf_combine(plan, floor);

			if (both == PASS) {
				assert_int_equal(plan, PASS);
				assert_int_equal(floor, PASS);
			}
			if (plan != PASS)
				assert_int_equal(both, plan);
			else if (floor != PASS)
				fail_msg("the plan allows %d", d.nr);
		}
	}
	/* A plan that allows everything still meets the floor. */
	assert_int_equal(bpf_combine(PASS, ERR(EPERM)), ERR(EPERM));
	assert_int_equal(bpf_combine(ERR(EPERM), SECCOMP_RET_KILL_PROCESS),
	    SECCOMP_RET_KILL_PROCESS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_the_kernels),
	    cmocka_unit_test(every_number_is_as_in_the_tables),
	    cmocka_unit_test(never_is_eperm_whatever_the_arguments),
	    cmocka_unit_test(unlisted_is_enosys_whatever_the_arguments),
	    cmocka_unit_test(other_architectures_are_killed),
	    cmocka_unit_test(x32_numbers_are_killed),
	    cmocka_unit_test(canaries_tell_the_filters_apart),
	    cmocka_unit_test(stacked_filters_only_narrow),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
