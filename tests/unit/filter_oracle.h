/*
 * filter_oracle.h - what the tables of policy/syscall*.def say, read row by
 * row and without any cleverness: the other side of the proof that the
 * compiled filters are the tables.  Numbers come from the kernel's headers
 * here, and from libseccomp in the filters.  For test_filter*.c, which include
 * <cmocka.h> before it.
 */
#ifndef TESTS_UNIT_FILTER_ORACLE_H
#define TESTS_UNIT_FILTER_ORACLE_H

#include <sys/syscall.h>

#include <linux/audit.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bpf_interp.h"
#include "filters.h"
#include "plan.h"
#include "syscall_consts.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ERR(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))
#define PASS SECCOMP_RET_ALLOW

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif
#define NR_MAX 2048
#define X32_BIT 0x40000000

/* The number of a row; those without a name in the headers state it. */
#define NR_ALL(name) SYS_##name
#ifdef __x86_64__
#define NR_X86(name) SYS_##name
#else
#define NR_X86(name) (-1)
#endif
#define NR_335(name) 335
#define NR_451(name) 451
#define NR_452(name) 452
#define NR_453(name) 453
#define NR_457(name) 457
#define NR_458(name) 458
#define NR_459(name) 459
#define NR_460(name) 460
#define NR_461(name) 461
#define NR_462(name) 462
#define NR_463(name) 463
#define NR_464(name) 464
#define NR_465(name) 465
#define NR_466(name) 466
#define NR_467(name) 467
#define NR_468(name) 468
#define NR_469(name) 469
#define NR_470(name) 470

struct job_row {
	enum syscall_rule rule;
	const char *name;
	int nr;
	int err;
};
static const struct job_row job_rows[] = {
#define CALL(rule, name, where, err, why) \
	{RULE_##rule, #name, NR_##where(name), err},
#include "syscalls.def"
#undef CALL
};

struct other_row {
	const char *name;
	int nr;
	uint32_t match;
	uint32_t otherwise;
};
static const struct other_row floor_rows[] = {
#define FLOOR(name, where, match, otherwise) \
	{#name, NR_##where(name), match, otherwise},
#include "syscalls_floor.def"
#undef FLOOR
};
static const struct other_row broker_rows[] = {
#define BROKER(name, where, err) \
	{#name, NR_##where(name), PASS, (err) == 0 ? PASS : ERR(err)},
#include "syscalls_broker.def"
#undef BROKER
};

struct args_row {
	unsigned int filters;
	const char *name;
	unsigned int count;
	struct {
		unsigned int arg;
		uint32_t mask;
		uint32_t value;
	} tests[3];
};
static const struct args_row args_rows[] = {
#define PLAN FILTER_PLAN
#define MEMCG FILTER_MEMCG
#define FLOOR FILTER_FLOOR
#define BROKER FILTER_BROKER
#define WORD WORD_MASK
#define ARG1(filters, name, a, m, v) {filters, #name, 1, {{a, m, v}}},
#define ARG2(filters, name, a, m, v, a2, m2, v2) \
	{filters, #name, 2, {{a, m, v}, {a2, m2, v2}}},
#define ARG3(filters, name, a, m, v, a2, m2, v2, a3, m3, v3) \
	{filters, #name, 3, {{a, m, v}, {a2, m2, v2}, {a3, m3, v3}}},
#include "syscall_args.def"
#undef PLAN
#undef MEMCG
#undef FLOOR
#undef BROKER
#undef WORD
#undef ARG1
#undef ARG2
#undef ARG3
};

struct oracle {
	const char *name;
	const struct filter *filter;
	unsigned int bits; /* which argument rows count */
	uint32_t unlisted;
	int canary_nr; /* -1: none */
	uint32_t canary;
};
enum {
	ORACLE_PLAN,
	ORACLE_NO_MEMCG,
	ORACLE_FLOOR,
	ORACLE_BROKER,
	ORACLE__MAX
};
static const struct oracle oracles[ORACLE__MAX] = {
    {"plan", &filter_plan, FILTER_PLAN | FILTER_MEMCG, ERR(ENOSYS),
	CANARY_PLAN_NR, ERR(CANARY_PLAN_ERRNO)},
    {"plan without memcg", &filter_plan_no_memcg, FILTER_PLAN, ERR(ENOSYS),
	CANARY_PLAN_NR, ERR(CANARY_PLAN_ERRNO)},
    {"floor", &filter_floor, FILTER_FLOOR, PASS, CANARY_FLOOR_NR,
	ERR(CANARY_FLOOR_ERRNO)},
    {"broker", &filter_broker, FILTER_BROKER, ERR(EPERM), -1, 0},
};

static inline bool
oracle_row_matches(const struct args_row *row, const struct seccomp_data *d)
{
	unsigned int i;

	for (i = 0; i < row->count; i++) {
		uint32_t low = (uint32_t)d->args[row->tests[i].arg];

		if ((low & row->tests[i].mask) != row->tests[i].value)
			return (false);
	}
	return (true);
}

static inline bool
oracle_args_match(const struct oracle *o, const char *name,
    const struct seccomp_data *d)
{
	size_t i;

	for (i = 0; i < COUNT(args_rows); i++) {
		if ((args_rows[i].filters & o->bits) != 0 &&
		    strcmp(args_rows[i].name, name) == 0 &&
		    oracle_row_matches(&args_rows[i], d))
			return (true);
	}
	return (false);
}

static inline const struct other_row *
oracle_other(const struct other_row *rows, size_t count, int nr)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (rows[i].nr == nr)
			return (&rows[i]);
	}
	return (NULL);
}

static inline const struct job_row *
oracle_job(int nr)
{
	size_t i;

	for (i = 0; i < COUNT(job_rows); i++) {
		if (job_rows[i].nr == nr)
			return (&job_rows[i]);
	}
	return (NULL);
}

static inline uint32_t
oracle_from_job(const struct oracle *o, const struct job_row *row,
    const struct seccomp_data *d)
{
	if (row->rule == RULE_ALLOW ||
	    (row->rule == RULE_FILTERED && oracle_args_match(o, row->name, d)))
		return (PASS);
	return (ERR(row->rule == RULE_NEVER ? EPERM : row->err));
}

/* The answer of the right architecture, below the x32 numbers. */
static inline uint32_t
oracle_answer(const struct oracle *o, const struct seccomp_data *d)
{
	const struct job_row *job = oracle_job(d->nr);
	const struct other_row *other = NULL;

	if (d->nr == o->canary_nr)
		return (o->canary);
	if (o->filter == &filter_floor)
		other = oracle_other(floor_rows, COUNT(floor_rows), d->nr);
	if (o->filter == &filter_broker)
		other = oracle_other(broker_rows, COUNT(broker_rows), d->nr);
	if (other != NULL)
		return (oracle_args_match(o, other->name, d) ?
			other->match :
			other->otherwise);
	if (o->filter == &filter_broker || job == NULL)
		return (o->unlisted);
	if (o->filter == &filter_floor)
		return (job->rule == RULE_NEVER ? ERR(EPERM) : PASS);
	return (oracle_from_job(o, job, d));
}

static inline struct bpf_run
run(const struct filter *f, const struct seccomp_data *d)
{
	struct bpf_run r = bpf_interpret(f->insns, f->len, d);

	assert_true(r.is_valid);
	assert_false(r.reads_high);
	return (r);
}

static inline uint32_t
answer(const struct filter *f, int nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
	const struct seccomp_data d = {.nr = nr,
	    .arch = NATIVE,
	    .args = {a0, a1, a2}};

	return (run(f, &d).answer);
}

static inline void
check(const struct oracle *o, const struct seccomp_data *d)
{
	uint32_t got = run(o->filter, d).answer;
	uint32_t want = oracle_answer(o, d);

	if (got != want)
		fail_msg("%s: nr %d args %llx %llx %llx: 0x%x, not 0x%x",
		    o->name, d->nr, (unsigned long long)d->args[0],
		    (unsigned long long)d->args[1],
		    (unsigned long long)d->args[2], got, want);
}

#endif
