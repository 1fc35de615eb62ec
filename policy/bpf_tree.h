/*
 * bpf_tree.h - from tables to classic BPF: numbers that get the same answer
 * are one range, ranges are found by a binary tree of compares, and calls that
 * are judged by their arguments jump to a block of their own behind the tree.
 * Owner: bpf_tree.c.  Runs when agsbx is built, never later; its result is
 * proven by tests/unit/test_filter.c over every number.
 *
 * libseccomp could emit the code as well, but it has no "else" of a single
 * call that differs from the filter's default (ioctl: ENOTTY), its tree is
 * more than twice as long, and loading time goes with the tree's depth.
 */
#ifndef POLICY_BPF_TREE_H
#define POLICY_BPF_TREE_H

#include <linux/filter.h>

#include <stddef.h>
#include <stdint.h>

#define BPF_TREE_MAX 2048U    /* instructions; PLAN_FILTER_MAX holds them */
#define BPF_TREE_CALLS 1024U  /* calls of one filter */
#define BPF_TREE_TESTS_MAX 3U /* arguments that a row tests */

/* (low 32 bits of args[arg] & mask) == value */
struct arg_test {
	unsigned int arg;
	uint32_t mask;
	uint32_t value;
};

struct arg_row {
	struct arg_test tests[BPF_TREE_TESTS_MAX];
	unsigned int count;
};

/* One call of a filter: match if a row matches, else otherwise.  A call
 * without rows always gets otherwise.  Both are SECCOMP_RET_ values. */
struct call_rule {
	uint32_t nr;
	uint32_t match;
	uint32_t otherwise;
	struct arg_row *rows; /* sorted by the compiler */
	size_t row_count;
};

struct bpf_program {
	struct sock_filter insns[BPF_TREE_MAX];
	uint32_t len;
};

/*
 * Compiles calls (sorted and unique here) for one architecture.  Every other
 * architecture, and the x32 half of x86-64, is killed.  0, or -1 with *error
 * saying what is wrong with the tables.
 */
int bpf_tree_compile(struct bpf_program *prog, uint32_t audit_arch,
    uint32_t unlisted, struct call_rule *calls, size_t call_count,
    const char **error);

#endif
