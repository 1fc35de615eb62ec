/*
 * ablate_filter.c - rewrites a seccomp filter before the test launcher loads
 * it: every errno becomes a sentinel, and what is ablated is let through by a
 * prefix (all jumps are relative).  Pure.
 */
#include <linux/audit.h>
#include <linux/seccomp.h>

#include <sys/syscall.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "ablate.h"
#include "plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GROUP_CALLS 24

#define LOAD(field) \
	(struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
	    (uint32_t)offsetof(struct seccomp_data, field))
#define LOAD_HIGH(n) \
	(struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
	    (uint32_t)offsetof(struct seccomp_data, args[n]) + 4)
#define JUMP(op, k, yes, no) \
	(struct sock_filter) BPF_JUMP(BPF_JMP | (op) | BPF_K, k, yes, no)
#define ALLOW (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static const struct group {
	enum ablation plan;
	enum ablation floor;
	int calls[GROUP_CALLS]; /* ends with 0: no call that is in a group */
} groups[] = {
#define GROUP(id, name, ...) {ABL_SC_##id, ABL_FL_##id, {__VA_ARGS__}},
#include "groups.def"
#undef GROUP
};

struct program {
	struct sock_filter *insns;
	uint32_t len;
};

static void
add(struct program *p, struct sock_filter insn)
{
	p->insns[p->len++] = insn;
}

/* Another architecture's calls, and x32's, which are numbered from here. */
static void
add_arch(struct program *p)
{
	add(p, LOAD(arch));
	add(p, JUMP(BPF_JEQ, AUDIT_ARCH_I386, 2, 0));
	add(p, LOAD(nr));
	add(p, JUMP(BPF_JGE, 0x40000000, 0, 1));
	add(p, ALLOW);
}

/* As a compare of all 64 bits: a high half makes it another value. */
static void
add_mask(struct program *p)
{
	static const struct {
		int nr;
		unsigned int arg;
	} compared[] = {{SYS_ioctl, 1}, {SYS_setsockopt, 1}, {SYS_socket, 0},
	    {SYS_prctl, 0}, {SYS_fcntl, 1}, {SYS_personality, 0}};

	for (size_t i = 0; i < COUNT(compared); i++) {
		add(p, LOAD(nr));
		add(p, JUMP(BPF_JEQ, (uint32_t)compared[i].nr, 0, 3));
		add(p, LOAD_HIGH(compared[i].arg));
		add(p, JUMP(BPF_JEQ, 0, 1, 0));
		add(p, ALLOW);
	}
}

/* Calls of this architecture alone. */
static void
add_calls(struct program *p, const int *calls)
{
	uint32_t count = 0;

	while (calls[count] != 0)
		count++;
	add(p, LOAD(arch));
	add(p, JUMP(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0));
	add(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 2 * count + 1));
	add(p, LOAD(nr));
	for (uint32_t i = 0; i < count; i++) {
		add(p, JUMP(BPF_JEQ, (uint32_t)calls[i], 0, 1));
		add(p, ALLOW);
	}
}

static void
add_prefix(struct program *p, const struct group *g)
{
	if (g->plan == ABL_SC_ARCH)
		add_arch(p);
	else if (g->plan == ABL_SC_MASK)
		add_mask(p);
	else
		add_calls(p, g->calls);
}

static uint32_t
sentinel(uint32_t err, bool is_floor)
{
	if (err == CANARY_FLOOR_ERRNO || err == CANARY_PLAN_ERRNO)
		return (err);
	if (is_floor)
		return (err == EPERM ? FLOOR_NEVER : FLOOR_OTHER);
	return (err == EPERM  ? PLAN_NEVER :
		err == ENOSYS ? PLAN_UNLISTED :
				PLAN_ARGS);
}

uint32_t
ablate_filter(struct sock_filter *out, const struct sock_filter *in,
    uint32_t len, bool is_floor)
{
	struct program p = {out, 0};
	struct sock_filter insn;

	for (size_t i = 0; i < COUNT(groups); i++) {
		if (ablated(is_floor ? groups[i].floor : groups[i].plan))
			add_prefix(&p, &groups[i]);
	}
	if (ablated(ABL_PV_NNP)) /* the sets are dropped after this is loaded */
		add_calls(&p, (const int[]){SYS_capset, SYS_prctl, 0});
	for (uint32_t i = 0; i < len && p.len < ABLATE_INSNS_MAX; i++) {
		insn = in[i];
		if (insn.code == (BPF_RET | BPF_K) &&
		    (insn.k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
			insn.k = SECCOMP_RET_ERRNO |
			    sentinel(insn.k & SECCOMP_RET_DATA, is_floor);
		add(&p, insn);
	}
	return (p.len);
}
