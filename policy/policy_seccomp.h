/*
 * policy_seccomp.h - from the rows of syscall*.def to filters.
 * Owner: policy_seccomp.c.  Part of the generator only; nothing of it is
 * linked into agsbx.  Every fault of the tables ends the build.
 */
#ifndef POLICY_POLICY_SECCOMP_H
#define POLICY_POLICY_SECCOMP_H

#include <stddef.h>

#include "bpf_tree.h"
#include "filters.h"

enum filter_kind {
	KIND_PLAN,
	KIND_PLAN_NO_MEMCG,
	KIND_FLOOR,
	KIND_BROKER,
	KIND__MAX
};

/* Compiles one of the filters for this architecture. */
void policy_seccomp_compile(enum filter_kind kind, struct bpf_program *prog);

/* The job's calls with their numbers here; returns how many. */
size_t policy_seccomp_infos(struct syscall_info *infos, size_t max);

#endif
