/*
 * filters.h - the seccomp filters.  They are compiled from the tables of
 * syscall*.def when agsbx is built: libseccomp knows the numbers
 * (policy_seccomp.c), bpf_tree.c makes the code, genfilter.c prints it.
 * Proven by tests/unit/test_filter.c, and linked in as arrays.
 */
#ifndef POLICY_FILTERS_H
#define POLICY_FILTERS_H

#include <stddef.h>

#include "plan.h" /* struct filter, filter_floor */

/* What the policy allows: with a memory controller, and without one (then
 * socket buffers may not be enlarged). */
extern const struct filter filter_plan;
extern const struct filter filter_plan_no_memcg;
/* What the broker keeps for itself once it is confined. */
extern const struct filter filter_broker;

/* One row a system call of the job's table, for "agsbx policy --syscalls". */
enum syscall_rule {
	RULE_ALLOW,
	RULE_FILTERED,
	RULE_NEVER
};
struct syscall_info {
	const char *name;
	int nr; /* -1 where this architecture has none */
	enum syscall_rule rule;
	const char *why; /* of FILTERED and NEVER */
};
extern const struct syscall_info syscall_infos[];
extern const size_t syscall_info_count;

#endif
