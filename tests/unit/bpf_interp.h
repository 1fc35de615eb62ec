/*
 * bpf_interp.h - runs a seccomp filter as the kernel would, in user space, and
 * says which parts of struct seccomp_data it looked at.  Knows the classic BPF
 * that filters are made of and stops on anything else: a filter that this
 * cannot run fails its test.  For tests only.
 */
#ifndef TESTS_UNIT_BPF_INTERP_H
#define TESTS_UNIT_BPF_INTERP_H

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bpf_run {
	bool is_valid;	 /* ended in a RET, every step well formed */
	bool reads_args; /* the answer may depend on an argument */
	bool reads_high; /* on the high half of one: always a mistake */
	unsigned int steps;
	uint32_t answer;
};

/* One jump, or -1 where the program may not go. */
static inline long
bpf_jump(const struct sock_filter *f, uint32_t a, long at, long len)
{
	bool is_taken;

	switch (BPF_OP(f->code)) {
	case BPF_JA:
		at += 1 + (long)f->k;
		return (at < len ? at : -1);
	case BPF_JEQ:
		is_taken = a == f->k;
		break;
	case BPF_JGT:
		is_taken = a > f->k;
		break;
	case BPF_JGE:
		is_taken = a >= f->k;
		break;
	case BPF_JSET:
		is_taken = (a & f->k) != 0;
		break;
	default:
		return (-1);
	}
	at += 1 + (is_taken ? f->jt : f->jf);
	return (at < len ? at : -1);
}

static inline bool
bpf_load(struct bpf_run *r, const struct seccomp_data *data, uint32_t k,
    uint32_t *a)
{
	if (k % 4 != 0 || k > sizeof(*data) - 4)
		return (false);
	if (k >= offsetof(struct seccomp_data, args)) {
		r->reads_args = true;
		if ((k - offsetof(struct seccomp_data, args)) % 8 != 0)
			r->reads_high = true;
	}
	memcpy(a, (const char *)data + k, sizeof(*a));
	return (true);
}

static inline struct bpf_run
bpf_interpret(const struct sock_filter *insns, uint32_t len,
    const struct seccomp_data *data)
{
	struct bpf_run r = {0};
	uint32_t a = 0;
	long at = 0;

	while (at >= 0 && at < (long)len) {
		const struct sock_filter *f = &insns[at];

		r.steps++;
		switch (f->code) {
		case BPF_RET | BPF_K:
			r.is_valid = true;
			r.answer = f->k;
			return (r);
		case BPF_LD | BPF_W | BPF_ABS:
			if (!bpf_load(&r, data, f->k, &a))
				return (r);
			at++;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= f->k;
			at++;
			break;
		default:
			if (BPF_CLASS(f->code) != BPF_JMP ||
			    BPF_SRC(f->code) != BPF_K)
				return (r);
			at = bpf_jump(f, a, at, (long)len);
			break;
		}
	}
	return (r);
}

/*
 * What the kernel does with a stack of two: the newest is asked first, and a
 * later answer wins only if its action is stricter (kernel/seccomp.c).
 */
static inline uint32_t
bpf_combine(uint32_t newest, uint32_t oldest)
{
	int32_t a = (int32_t)(newest & SECCOMP_RET_ACTION_FULL);
	int32_t b = (int32_t)(oldest & SECCOMP_RET_ACTION_FULL);

	return (b < a ? oldest : newest);
}

#endif
