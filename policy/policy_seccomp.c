/*
 * policy_seccomp.c - the only user of libseccomp: it knows the number of a
 * system call's name, and whether this architecture has it.  Gathers the rows
 * of syscall*.def into the calls of each filter; bpf_tree.c makes the code.
 * Called by genfilter.c when agsbx is built.  A name that does not resolve, or
 * a row that belongs to no call, ends the build.
 */
#include <err.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "policy_seccomp.h"
#include "syscall_consts.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ERR(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))
#define PASS SECCOMP_RET_ALLOW

struct job_call {
	enum syscall_rule rule;
	const char *name;
	int where;
	int err;
	const char *why;
};
static const struct job_call job_calls[] = {
#define ALL WHERE_ALL
#define X86 WHERE_X86
#define CALL(rule, name, where, err, why) {RULE_##rule, #name, where, err, why},
#include "syscalls.def"
#undef CALL
};

struct other_call {
	const char *name;
	int where;
	uint32_t match;
	uint32_t otherwise;
};
static const struct other_call floor_calls[] = {
#define FLOOR(name, where, match, otherwise) {#name, where, match, otherwise},
#include "syscalls_floor.def"
#undef FLOOR
};
static const struct other_call broker_calls[] = {
#define BROKER(name, where, err) \
	{#name, where, PASS, (err) == 0 ? PASS : ERR(err)},
#include "syscalls_broker.def"
#undef BROKER
#undef ALL
#undef X86
};

struct named_row {
	unsigned int filters; /* enum filter_bit */
	const char *name;
	struct arg_row row;
};
static const struct named_row named_rows[] = {
#define PLAN FILTER_PLAN
#define MEMCG FILTER_MEMCG
#define FLOOR FILTER_FLOOR
#define BROKER FILTER_BROKER
#define WORD WORD_MASK
#define ARG1(filters, name, a, m, v) \
	{filters, #name, {.count = 1, .tests = {{a, m, v}}}},
#define ARG2(filters, name, a, m, v, a2, m2, v2) \
	{filters, #name, {.count = 2, .tests = {{a, m, v}, {a2, m2, v2}}}},
#define ARG3(filters, name, a, m, v, a2, m2, v2, a3, m3, v3) \
	{filters, #name, \
	    {.count = 3, .tests = {{a, m, v}, {a2, m2, v2}, {a3, m3, v3}}}},
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

struct filter_def {
	const char *name;
	unsigned int bits; /* which rows of syscall_args.def */
	uint32_t unlisted;
	uint32_t canary_nr; /* 0: none */
	uint32_t canary;
};
static const struct filter_def filter_defs[KIND__MAX] = {
    [KIND_PLAN] = {"plan", FILTER_PLAN | FILTER_MEMCG, ERR(ENOSYS),
	CANARY_PLAN_NR, ERR(CANARY_PLAN_ERRNO)},
    [KIND_PLAN_NO_MEMCG] = {"plan without memory controller", FILTER_PLAN,
	ERR(ENOSYS), CANARY_PLAN_NR, ERR(CANARY_PLAN_ERRNO)},
    [KIND_FLOOR] = {"floor", FILTER_FLOOR, PASS, CANARY_FLOOR_NR,
	ERR(CANARY_FLOOR_ERRNO)},
    [KIND_BROKER] = {"broker", FILTER_BROKER, ERR(EPERM), 0, 0},
};

struct builder {
	const struct filter_def *def;
	struct call_rule calls[BPF_TREE_CALLS];
	size_t count;
	struct arg_row rows[COUNT(named_rows)];
	size_t row_count;
};

/* The number of a call, or -1 where this architecture has none. */
static int
resolve(const char *name, int where)
{
	int nr = seccomp_syscall_resolve_name(name);

	if (where >= 0) {
		if (nr != __NR_SCMP_ERROR && nr != where)
			errx(1, "%s: %d in the table, %d in libseccomp", name,
			    where, nr);
		return (where);
	}
	if (nr >= 0)
		return (nr);
	if (nr == __NR_SCMP_ERROR)
		errx(1, "%s: libseccomp does not know this name", name);
#if !defined(__x86_64__)
	if (where == WHERE_X86)
		return (-1);
#endif
	errx(1, "%s: this architecture has no such call", name);
}

/* Takes over the rows of a call for this filter. */
static void
take_rows(struct builder *b, const char *name, struct call_rule *call)
{
	size_t i;

	call->rows = b->rows + b->row_count;
	for (i = 0; i < COUNT(named_rows); i++) {
		if ((named_rows[i].filters & b->def->bits) == 0 ||
		    strcmp(named_rows[i].name, name) != 0)
			continue;
		b->rows[b->row_count++] = named_rows[i].row;
		call->row_count++;
	}
}

static void
add_call(struct builder *b, const char *name, int where, uint32_t match,
    uint32_t otherwise)
{
	int nr = resolve(name, where);
	struct call_rule *call;

	if (b->count == BPF_TREE_CALLS)
		errx(1, "%s: too many calls", b->def->name);
	call = &b->calls[b->count];
	*call = (struct call_rule){.match = match, .otherwise = otherwise};
	take_rows(b, name, call);
	if (call->row_count > 0 && match == otherwise)
		errx(1, "%s: %s has rows that decide nothing", b->def->name,
		    name);
	if (nr == -1)
		return;
	call->nr = (uint32_t)nr;
	b->count++;
}

static void
add_job_calls(struct builder *b)
{
	size_t i;

	for (i = 0; i < COUNT(job_calls); i++) {
		const struct job_call *c = &job_calls[i];

		add_call(b, c->name, c->where, PASS,
		    c->rule == RULE_ALLOW ? PASS : ERR(c->err));
	}
}

static void
add_other_calls(struct builder *b, const struct other_call *calls, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		add_call(b, calls[i].name, calls[i].where, calls[i].match,
		    calls[i].otherwise);
}

static bool
floor_has_own(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(floor_calls); i++) {
		if (strcmp(floor_calls[i].name, name) == 0)
			return (true);
	}
	return (false);
}

static void
add_floor_calls(struct builder *b)
{
	size_t i;

	for (i = 0; i < COUNT(job_calls); i++) {
		const struct job_call *c = &job_calls[i];

		if (c->rule == RULE_NEVER && !floor_has_own(c->name))
			add_call(b, c->name, c->where, ERR(EPERM), ERR(EPERM));
	}
	add_other_calls(b, floor_calls, COUNT(floor_calls));
}

static size_t
count_rows(unsigned int bits)
{
	size_t i;
	size_t n = 0;

	for (i = 0; i < COUNT(named_rows); i++)
		n += (named_rows[i].filters & bits) != 0;
	return (n);
}

static void
add_canary(struct builder *b)
{
	if (b->def->canary_nr == 0)
		return;
	b->calls[b->count++] = (struct call_rule){.nr = b->def->canary_nr,
	    .otherwise = b->def->canary};
}

void
policy_seccomp_compile(enum filter_kind kind, struct bpf_program *prog)
{
	static struct builder b;
	const char *error;

	memset(&b, 0, sizeof(b));
	b.def = &filter_defs[kind];
	if (kind == KIND_FLOOR)
		add_floor_calls(&b);
	else if (kind == KIND_BROKER)
		add_other_calls(&b, broker_calls, COUNT(broker_calls));
	else
		add_job_calls(&b);
	if (b.row_count != count_rows(b.def->bits))
		errx(1, "%s: a row of syscall_args.def belongs to no call",
		    b.def->name);
	add_canary(&b);
	if (bpf_tree_compile(prog, seccomp_arch_native(), b.def->unlisted,
		b.calls, b.count, &error) == -1)
		errx(1, "%s: %s", b.def->name, error);
}

size_t
policy_seccomp_infos(struct syscall_info *infos, size_t max)
{
	size_t i;

	if (max < COUNT(job_calls))
		errx(1, "too many calls");
	for (i = 0; i < COUNT(job_calls); i++) {
		infos[i].name = job_calls[i].name;
		infos[i].nr = resolve(job_calls[i].name, job_calls[i].where);
		infos[i].rule = job_calls[i].rule;
		infos[i].why = job_calls[i].why;
	}
	return (i);
}
