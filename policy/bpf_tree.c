/*
 * bpf_tree.c - compiles tables of system calls to classic BPF (bpf_tree.h).
 *
 * Knows BPF and struct seccomp_data, nothing of system call names.  Called by
 * genfilter.c when agsbx is built.  Arguments are only ever compared as 32
 * bits: their high halves are never loaded.
 */
#include <linux/audit.h>
#include <linux/seccomp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_tree.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the low half of an argument is expected at its own offset"
#endif

#define X32_BIT 0x40000000U
#define ARGS_AT(n) (offsetof(struct seccomp_data, args) + 8 * (size_t)(n))

/* What a range of numbers leads to: an answer, or a block of tests. */
struct leaf {
	uint32_t answer;
	const struct call_rule *rule; /* NULL: answer it is */
	const struct arg_row *rows;   /* of the block, all equal before depth */
	size_t row_count;
	unsigned int depth;
};

/* Begins at from, ends where the next one begins. */
struct segment {
	uint32_t from;
	struct leaf leaf;
};

#define SEGMENTS_MAX (2 * BPF_TREE_CALLS)
struct segments {
	struct segment at[SEGMENTS_MAX];
	size_t count;
};

/* A jump whose block is not emitted yet. */
struct pending {
	uint32_t insn;
	struct leaf leaf;
};

struct compiler {
	struct bpf_program *prog;
	struct pending pending[BPF_TREE_CALLS];
	size_t pending_count;
	struct segments segments; /* of the tree being emitted */
	const char *error;
};

static void
fail(struct compiler *c, const char *error)
{
	if (c->error == NULL)
		c->error = error;
}

static uint32_t
emit(struct compiler *c, unsigned int code, uint32_t k, uint8_t jt, uint8_t jf)
{
	uint32_t at = c->prog->len;

	if (at == BPF_TREE_MAX) {
		fail(c, "the program is too long");
		return (0);
	}
	c->prog->insns[at] =
	    (struct sock_filter)BPF_JUMP((uint16_t)code, k, jt, jf);
	c->prog->len++;
	return (at);
}

static bool
leaf_equal(const struct leaf *a, const struct leaf *b)
{
	return (a->rule == NULL && b->rule == NULL && a->answer == b->answer);
}

/* Appends a range; one that answers like its neighbour is merged into it. */
static void
segment_add(struct compiler *c, uint32_t from, const struct leaf *leaf)
{
	struct segments *s = &c->segments;

	if (s->count > 0 && leaf_equal(&s->at[s->count - 1].leaf, leaf))
		return;
	if (s->count == SEGMENTS_MAX) {
		fail(c, "too many ranges");
		return;
	}
	s->at[s->count++] = (struct segment){.from = from, .leaf = *leaf};
}

/* A single value within what gets another answer; then back to that. */
static void
segment_add_value(struct compiler *c, uint32_t value, const struct leaf *leaf,
    uint32_t after)
{
	struct segments *s = &c->segments;
	struct leaf rest = {.answer = after};

	/* The gap that the value before left open may have no room. */
	if (s->count > 0 && s->at[s->count - 1].from == value)
		s->count--;
	segment_add(c, value, leaf);
	if (value != UINT32_MAX)
		segment_add(c, value + 1, &rest);
}

static void
emit_leaf(struct compiler *c, const struct leaf *leaf)
{
	uint32_t at;

	if (leaf->rule == NULL) {
		(void)emit(c, BPF_RET | BPF_K, leaf->answer, 0, 0);
		return;
	}
	at = emit(c, BPF_JMP | BPF_JA, 0, 0, 0);
	if (c->pending_count == BPF_TREE_CALLS) {
		fail(c, "too many blocks");
		return;
	}
	c->pending[c->pending_count++] = (struct pending){at, *leaf};
}

/* [first, last): below the middle falls through, the rest is jumped to. */
static void
emit_tree(struct compiler *c, size_t first, size_t last)
{
	const struct segment *s = c->segments.at;
	size_t middle = first + (last - first) / 2;
	uint32_t jump;
	uint32_t distance;

	if (last - first == 1) {
		emit_leaf(c, &s[first].leaf);
		return;
	}
	if (last - first == 3 && s[first + 2].from - s[first + 1].from == 1 &&
	    leaf_equal(&s[first].leaf, &s[first + 2].leaf)) {
		/* one value among others: a single compare */
		(void)emit(c, BPF_JMP | BPF_JEQ | BPF_K, s[first + 1].from, 0,
		    1);
		emit_leaf(c, &s[first + 1].leaf);
		emit_leaf(c, &s[first].leaf);
		return;
	}
	jump = emit(c, BPF_JMP | BPF_JGE | BPF_K, s[middle].from, 0, 0);
	emit_tree(c, first, middle);
	distance = c->prog->len - jump - 1;
	if (distance > UINT8_MAX)
		fail(c, "a jump is too long");
	c->prog->insns[jump].jt = (uint8_t)distance;
	emit_tree(c, middle, last);
}

static int
row_compare(const void *a, const void *b)
{
	const struct arg_row *x = a;
	const struct arg_row *y = b;
	unsigned int i;

	for (i = 0; i < BPF_TREE_TESTS_MAX; i++) {
		uint32_t vx = i < x->count ? x->tests[i].value : 0;
		uint32_t vy = i < y->count ? y->tests[i].value : 0;

		if (vx != vy)
			return (vx < vy ? -1 : 1);
	}
	return (0);
}

/* The number of rows that test the same value at this depth. */
static size_t
group_length(struct compiler *c, const struct leaf *block, size_t first)
{
	const struct arg_row *rows = block->rows;
	unsigned int depth = block->depth;
	size_t n = 1;

	while (first + n < block->row_count &&
	    rows[first + n].tests[depth].value ==
		rows[first].tests[depth].value) {
		if (rows[first + n].count != rows[first].count)
			fail(c, "a row is covered by a shorter one");
		n++;
	}
	if (n > 1 && rows[first].count == depth + 1)
		fail(c, "two rows are equal");
	return (n);
}

/* Loads the argument that every row of the block tests at its depth. */
static void
emit_load(struct compiler *c, const struct leaf *block)
{
	const struct arg_test *t = &block->rows[0].tests[block->depth];
	size_t i;

	for (i = 1; i < block->row_count; i++) {
		const struct arg_test *o = &block->rows[i].tests[block->depth];

		if (o->arg != t->arg || o->mask != t->mask)
			fail(c, "rows of one call test different arguments");
	}
	(void)emit(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)ARGS_AT(t->arg), 0,
	    0);
	if (t->mask != UINT32_MAX)
		(void)emit(c, BPF_ALU | BPF_AND | BPF_K, t->mask, 0, 0);
}

static void
emit_block(struct compiler *c, const struct leaf *block)
{
	const struct call_rule *rule = block->rule;
	struct leaf otherwise = {.answer = rule->otherwise};
	size_t i;
	size_t n;

	emit_load(c, block);
	c->segments.count = 0;
	segment_add(c, 0, &otherwise);
	for (i = 0; i < block->row_count; i += n) {
		struct leaf leaf = {.answer = rule->match};

		n = group_length(c, block, i);
		if (block->rows[i].count > block->depth + 1) {
			leaf.rule = rule;
			leaf.rows = block->rows + i;
			leaf.row_count = n;
			leaf.depth = block->depth + 1;
		}
		segment_add_value(c, block->rows[i].tests[block->depth].value,
		    &leaf, rule->otherwise);
	}
	emit_tree(c, 0, c->segments.count);
}

static void
add_call(struct compiler *c, const struct call_rule *rule, uint32_t unlisted)
{
	struct leaf leaf = {.answer = rule->otherwise};

	if (rule->row_count > 0) {
		leaf.rule = rule;
		leaf.rows = rule->rows;
		leaf.row_count = rule->row_count;
	}
	segment_add_value(c, rule->nr, &leaf, unlisted);
}

static int
call_compare(const void *a, const void *b)
{
	const struct call_rule *x = a;
	const struct call_rule *y = b;

	return ((x->nr > y->nr) - (x->nr < y->nr));
}

/* Wrong architecture first: its numbers mean something else. */
static void
emit_arch(struct compiler *c, uint32_t audit_arch)
{
	(void)emit(c, BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, arch), 0, 0);
	(void)emit(c, BPF_JMP | BPF_JEQ | BPF_K, audit_arch, 1, 0);
	(void)emit(c, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	(void)emit(c, BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, nr), 0, 0);
}

/* Every number of x32 is killed; -1 is none and gets the usual answer. */
static void
add_x32(struct compiler *c, uint32_t unlisted)
{
	struct leaf kill = {.answer = SECCOMP_RET_KILL_PROCESS};
	struct leaf rest = {.answer = unlisted};

	segment_add(c, X32_BIT, &kill);
	segment_add(c, UINT32_MAX, &rest);
}

static void
emit_blocks(struct compiler *c)
{
	size_t i;

	for (i = 0; i < c->pending_count && c->error == NULL; i++) {
		struct pending p = c->pending[i];

		c->prog->insns[p.insn].k = c->prog->len - p.insn - 1;
		emit_block(c, &p.leaf);
	}
}

int
bpf_tree_compile(struct bpf_program *prog, uint32_t audit_arch,
    uint32_t unlisted, struct call_rule *calls, size_t call_count,
    const char **error)
{
	static struct compiler c; /* too large for the stack */
	struct leaf rest = {.answer = unlisted};
	size_t i;

	memset(&c, 0, sizeof(c));
	c.prog = prog;
	prog->len = 0;
	qsort(calls, call_count, sizeof(*calls), call_compare);
	emit_arch(&c, audit_arch);
	segment_add(&c, 0, &rest);
	for (i = 0; i < call_count; i++) {
		if (i > 0 && calls[i].nr == calls[i - 1].nr)
			fail(&c, "a call is listed twice");
		if (calls[i].nr >= X32_BIT)
			fail(&c, "a number is out of range");
		if (calls[i].row_count > 0)
			qsort(calls[i].rows, calls[i].row_count,
			    sizeof(*calls[i].rows), row_compare);
		add_call(&c, &calls[i], unlisted);
	}
	if (audit_arch == AUDIT_ARCH_X86_64)
		add_x32(&c, unlisted);
	emit_tree(&c, 0, c.segments.count);
	emit_blocks(&c);
	*error = c.error;
	return (c.error == NULL ? 0 : -1);
}
