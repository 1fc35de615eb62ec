/*
 * limits.c - the rows rlimits, processes, capabilities, no_new_privs and the
 * two filters: what a process of the job may use, and may do.
 *
 * Set in the job, after the last user namespace was entered, because entering
 * one gives every capability back.  RLIMIT_AS breaks runtimes that reserve.
 */
#include <sys/capability.h>

#include "launcher.h"

/* An id of 0 gives nothing, whatever a program does. */
#define SECUREBITS \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
	    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | \
	    SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)
#define CORE_BYTES 1 /* a limit of 0 does not stop a pipe handler: core(5) */

/* Sets the limits of this process, or compares those of the job. */
static bool
rlimits_run(struct launch *l, bool is_verify)
{
	const struct plan *p = l->plan;
	const struct {
		__rlimit_resource_t resource;
		rlim_t value;
		bool is_most; /* or the host's hard limit, if that is lower */
	} limits[] = {
	    {RLIMIT_CPU, CPU_LIMIT_S(p), false},
	    {RLIMIT_FSIZE, p->file_bytes, false},
	    {RLIMIT_NOFILE, p->nofile, false},
	    {RLIMIT_STACK, p->stack_bytes, false},
	    {RLIMIT_DATA, p->data_bytes != 0 ? p->data_bytes : RLIM_INFINITY,
		p->data_bytes == 0},
	    {RLIMIT_CORE, CORE_BYTES, true},
	    {RLIMIT_MEMLOCK, 64U * 1024, true},
	    {RLIMIT_MSGQUEUE, 0, true},
	    {RLIMIT_SIGPENDING, 256, true},
	    {RLIMIT_NICE, 0, true},
	    {RLIMIT_RTPRIO, 0, true},
	};
	pid_t pid = is_verify ? l->job_pid : 0;
	struct rlimit want, rl;

	for (size_t i = 0; i < COUNT(limits); i++) {
		if (prlimit(pid, limits[i].resource, NULL, &rl) == -1)
			return (fault(l, STEP_READ_BACK, errno));
		want.rlim_max = limits[i].value;
		if (limits[i].is_most && rl.rlim_max < want.rlim_max)
			want.rlim_max = rl.rlim_max;
		want.rlim_cur = want.rlim_max;
		if (is_verify &&
		    (rl.rlim_cur != want.rlim_cur ||
			rl.rlim_max != want.rlim_max))
			return (readback(l, COUNT(limits), i));
		if (!is_verify && setrlimit(limits[i].resource, &want) == -1)
			return (fault(l, STEP_SETRLIMIT, errno));
	}
	return (readback(l, COUNT(limits), COUNT(limits)));
}

bool
rlimits_apply(struct launch *l)
{
	return (rlimits_run(l, false));
}

/* Where the host allows no core, 0 is as good, but for a handler. */
bool
rlimits_verify(struct launch *l)
{
	struct rlimit core;
	const char *text;

	return (rlimits_run(l, true) &&
	    (text = proc_text(l, "/proc/sys/kernel/core_pattern")) != NULL &&
	    must(l, STEP_READ_BACK,
		prlimit(l->job_pid, RLIMIT_CORE, NULL, &core)) &&
	    (core.rlim_max == CORE_BYTES || strspn(text, "|@") == 0 ||
		fault(l, STEP_SETRLIMIT, EPERM)));
}

/* 0: a child was forked and reaped; -1 with errno. */
static int
fork_try(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return (pid != -1 && waitpid(pid, NULL, 0) == pid ? 0 : -1);
}

/* Where the leaf has pids.max, that is the ceiling, and this limit looser: the
 * kernel looks at it first, and pids.events would never tell.  Else this is it,
 * counted for each user namespace since Linux 5.14; not believed, because older
 * ones count all of the caller's: at a limit of 1 a fork must fail. */
bool
processes_apply(struct launch *l)
{
	rlim_t limit = l->plan->max_procs + 1;
	struct rlimit rl, one = {1, limit}, all = {limit, limit};

	if (!must(l, STEP_SETRLIMIT, getrlimit(RLIMIT_NPROC, &rl)))
		return (false);
	if (l->has_pids) {
		limit = 2 * limit < rl.rlim_max ? 2 * limit : rl.rlim_max;
		all = (struct rlimit){limit, limit};
		return (must(l, STEP_SETRLIMIT, setrlimit(RLIMIT_NPROC, &all)));
	}
	if (!must(l, STEP_SETRLIMIT, setrlimit(RLIMIT_NPROC, &one)))
		return (false);
	errno = 0;
	if (fork_try() == 0 || errno != EAGAIN)
		return (fault(l, STEP_FORK_CANARY, errno));
	/* With max_procs 1 there is no child at all. */
	return (must(l, STEP_SETRLIMIT, setrlimit(RLIMIT_NPROC, &all)) &&
	    (l->plan->max_procs == 1 || must(l, STEP_FORK_CANARY, fork_try())));
}

bool
processes_verify(struct launch *l)
{
	struct rlimit rl;

	if (l->has_pids)
		return (leaf_verify(l));
	return (must(l, STEP_READ_BACK,
		    prlimit(l->job_pid, RLIMIT_NPROC, NULL, &rl)) &&
	    matches(l, rl.rlim_cur == rl.rlim_max) &&
	    readback(l, l->plan->max_procs, rl.rlim_max - 1));
}

/* Init's as well, which nobody reads back from outside. */
bool
capabilities_apply(struct launch *l)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0}, now[2];

	/* Only beyond the last we know may a kernel say that it has no such. */
	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == -1 &&
		    (cap <= CAP_LAST_CAP || errno != EINVAL))
			return (fault(l, STEP_BOUNDING, errno));
	/* Last the sets: what comes before wants CAP_SETPCAP. */
	return (must(l, STEP_AMBIENT,
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)) &&
	    must(l, STEP_SECUREBITS,
		prctl(PR_SET_SECUREBITS, SECUREBITS, 0, 0, 0)) &&
	    must(l, STEP_CAPSET, capset(&head, none)) &&
	    must(l, STEP_READ_BACK, capget(&head, now)) &&
	    matches(l,
		memcmp(now, none, sizeof(now)) == 0 &&
		    prctl(PR_GET_SECUREBITS) == SECUREBITS));
}

bool
capabilities_verify(struct launch *l)
{
	static const char *const sets[] = {"CapInh", "CapPrm", "CapEff",
	    "CapBnd", "CapAmb"};
	uint64_t all = 0, set;

	for (unsigned int i = 0; i < COUNT(sets); i++) {
		if (!proc_number(l, "status", sets[i], 16, &set))
			return (false);
		all |= set;
	}
	return (readback(l, 0, all));
}

/* Landlock and seccomp demand it of a process without CAP_SYS_ADMIN. */
bool
no_new_privs_apply(struct launch *l)
{
	return (must(l, STEP_NNP, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
}

bool
no_new_privs_verify(struct launch *l)
{
	return (proc_expect(l, "NoNewPrivs", 10, 1));
}

/* A canary is a number that no kernel has, answered with an errno that only
 * that filter gives: a filter of the host's cannot be taken for ours. */
static bool
canary(struct launch *l, int nr, int answer)
{
	errno = 0;
	return ((sys_canary(nr) == -1 && errno == answer) ||
	    fault(l, STEP_FILTER_CANARY, errno));
}

/* Linked in, and the same for every job. */
bool
floor_filter_apply(struct launch *l)
{
	return (must(l, STEP_FILTER_LOAD,
	    sys_seccomp_load(filter_floor.insns, filter_floor.len)));
}

bool
floor_filter_verify(struct launch *l)
{
	return (canary(l, CANARY_FLOOR_NR, CANARY_FLOOR_ERRNO));
}

/* On top, and can only narrow it: what follows, up to exec, must be in it. */
bool
plan_filter_apply(struct launch *l)
{
	return (must(l, STEP_FILTER_LOAD,
		    sys_seccomp_load(l->plan->filter, l->plan->filter_len)) &&
	    canary(l, CANARY_PLAN_NR, CANARY_PLAN_ERRNO));
}

/* From outside: filter mode, and two filters more than the launcher has. */
bool
plan_filter_verify(struct launch *l)
{
	static const char key[] = "Seccomp_filters";
	uint64_t own, job;

	if (!proc_expect(l, "Seccomp", 10, SECCOMP_MODE_FILTER) ||
	    !proc_number(l, "/proc/self/status", key, 10, &own) ||
	    !proc_number(l, "status", key, 10, &job))
		return (false);
	return (readback(l, 2, job - own));
}
