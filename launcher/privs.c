/*
 * privs.c - the rows capabilities, no_new_privs, floor_filter and plan_filter:
 * no privilege, no way to gain one, and few system calls.
 *
 * Runs in the job after the last user namespace was entered, because entering
 * one gives every capability back.  Init drops the same for itself.
 */
#include <linux/securebits.h>
#include <linux/seccomp.h>

#include <sys/capability.h>
#include <sys/prctl.h>

#include <errno.h>

#include "launcher.h"
#include "sys.h"

/* An id of 0 gives nothing, whatever a program does. */
#define SECUREBITS \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
	    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | \
	    SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)
#define FILTERS_OURS 2

int
capabilities_apply(struct launch *l)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1)
		return (host_fault(l, STEP_AMBIENT));
	/* A kernel that ends before cap answers EINVAL: it has no such one. */
	for (unsigned long cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_READ, cap) == 1 &&
		    prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == -1)
			return (host_fault(l, STEP_BOUNDING));
	}
	if (prctl(PR_SET_SECUREBITS, SECUREBITS, 0, 0, 0) == -1 ||
	    prctl(PR_GET_SECUREBITS) != SECUREBITS)
		return (host_fault(l, STEP_SECUREBITS));
	/* Last: what came before wants CAP_SETPCAP. */
	if (capset(&head, none) == -1)
		return (host_fault(l, STEP_CAPSET));
	return (0);
}

int
capabilities_verify(struct launch *l)
{
	static const char *const sets[] = {"CapInh", "CapPrm", "CapEff",
	    "CapBnd", "CapAmb"};
	uint64_t all = 0, set;

	for (unsigned int i = 0; i < COUNT(sets); i++) {
		if (proc_number(l, "status", sets[i], 16, &set) == -1)
			return (-1);
		all |= set;
	}
	return (readback(l, 0, all));
}

/* Landlock and seccomp demand it of a process without CAP_SYS_ADMIN. */
int
no_new_privs_apply(struct launch *l)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return (host_fault(l, STEP_NNP));
	return (0);
}

int
no_new_privs_verify(struct launch *l)
{
	return (proc_expect(l, "NoNewPrivs", 10, 1));
}

/*
 * A canary is a number that no kernel has, answered with an errno that only
 * that filter gives: a filter of the host's cannot be taken for ours.
 */
static int
canary(struct launch *l, int nr, int answer)
{
	errno = 0;
	if (sys_canary(nr) == -1 && errno == answer)
		return (0);
	return (host_fault(l, STEP_FILTER_CANARY));
}

/* Linked in, and the same for every job. */
int
floor_filter_apply(struct launch *l)
{
	if (sys_seccomp_load(filter_floor.insns, filter_floor.len) == -1)
		return (host_fault(l, STEP_FILTER_LOAD));
	return (0);
}

int
floor_filter_verify(struct launch *l)
{
	readback_set(l, 1, 1);
	return (canary(l, CANARY_FLOOR_NR, CANARY_FLOOR_ERRNO));
}

/* On top, and can only narrow it: what follows, up to exec, must be in it. */
int
plan_filter_apply(struct launch *l)
{
	if (sys_seccomp_load(l->plan->filter, l->plan->filter_len) == -1)
		return (host_fault(l, STEP_FILTER_LOAD));
	return (canary(l, CANARY_PLAN_NR, CANARY_PLAN_ERRNO));
}

/* From outside: filter mode, and two filters more than the launcher has. */
int
plan_filter_verify(struct launch *l)
{
	static const char key[] = "Seccomp_filters";
	uint64_t own, job;

	if (proc_expect(l, "Seccomp", 10, SECCOMP_MODE_FILTER) == -1 ||
	    proc_number(l, "/proc/self/status", key, 10, &own) == -1 ||
	    proc_number(l, "status", key, 10, &job) == -1)
		return (-1);
	l->filters = (uint32_t)job;
	return (readback(l, FILTERS_OURS, job - own));
}
