/*
 * Why a control cannot be held on this host, and what closes the gap: a table
 * from (control, step, errno) and what the host says of itself.  The first row
 * that fits is told.  Wording only; no decision depends on it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gap.h"
#include "words.h"

#define ANY_STEP STEP__MAX
#define ANY_ERR (-1)
#define READ_ONLY_SYSCTLS \
	"/proc is masked and its sysctls are read-only, as container " \
	"runtimes make them"
#define UNMASK_PROC \
	"start the container with an unmasked /proc (podman: " \
	"--security-opt unmask=ALL, docker: --security-opt " \
	"systempaths=unconfined)"

struct hint_row {
	enum control control; /* CTL_NONE: any */
	unsigned int step;
	int err;
	bool (*applies)(const struct host *host); /* NULL: always */
	const char *cause; /* NULL: why there is no leaf, and its fix */
	const char *fix;   /* NULL: none known */
};

static bool
userns_are_zero(const struct host *host)
{
	return (host->max_user_namespaces == 0);
}

static bool
userns_clone_is_off(const struct host *host)
{
	return (host->unprivileged_userns_clone == 0);
}

static bool
apparmor_restricts(const struct host *host)
{
	return (host->apparmor_restrict_userns == 1);
}

static bool
proc_is_masked(const struct host *host)
{
	return (host->is_proc_masked);
}

static bool
proc_is_hidepid(const struct host *host)
{
	return (host->is_proc_hidepid);
}

static bool
leaf_has_memory(const struct host *host)
{
	return ((host->leaf.controllers & LEAF_MEMORY) != 0);
}

static const struct hint_row hint_rows[] = {
    {CTL_USERNS, STEP_CLONE, ANY_ERR, userns_are_zero,
	"user namespaces are forbidden: user.max_user_namespaces is 0",
	"as root: sysctl -w user.max_user_namespaces=15000"},
    {CTL_USERNS, ANY_STEP, ANY_ERR, userns_clone_is_off,
	"unprivileged user namespaces are forbidden: "
	"kernel.unprivileged_userns_clone is 0",
	"as root: sysctl -w kernel.unprivileged_userns_clone=1"},
    {CTL_USERNS, ANY_STEP, ANY_ERR, apparmor_restricts,
	"AppArmor restricts unprivileged user namespaces: "
	"kernel.apparmor_restrict_unprivileged_userns is 1",
	"as root: load an AppArmor profile for agsbx-launcher that has "
	"\"userns,\", or sysctl -w "
	"kernel.apparmor_restrict_unprivileged_userns=0"},
    {CTL_USERNS, STEP_CLONE, EPERM, NULL,
	"user namespaces are refused here, as a container's seccomp "
	"profile or a chroot does",
	"allow unshare, clone3 and mount in the container's profile "
	"(podman and docker: --security-opt seccomp=PROFILE)"},
    {CTL_USERNS, STEP_CLONE, EACCES, NULL,
	"a security module forbids user namespaces to agsbx-launcher, as "
	"AppArmor does under a profile without userns",
	"as root: load an AppArmor profile for agsbx-launcher that has "
	"\"userns,\""},
    {CTL_USERNS, STEP_CLONE, ENOSPC, NULL,
	"no more user namespaces: user.max_user_namespaces or the depth "
	"of 32 is reached",
	"as root: sysctl -w user.max_user_namespaces=15000"},
    {CTL_USERNS, STEP_CLONE, EINVAL, NULL,
	"the kernel lacks a namespace that the plan needs", NULL},
    {CTL_USERNS, STEP_HOST_ROOT, ANY_ERR, NULL,
	"the launcher never runs as the host's root",
	"run agsbx as an ordinary user"},
    {CTL_MNTNS, ANY_STEP, ENOSYS, NULL,
	"the kernel lacks a mount call that every plan needs",
	"use Linux 5.19 or newer"},
    {CTL_PROCFS, STEP_MOUNT_PROC, EPERM, proc_is_masked,
	"parts of /proc are masked, as container runtimes do, so that "
	"the kernel refuses a fresh one",
	UNMASK_PROC},
    {CTL_PROCFS, STEP_MOUNT_PROC, EPERM, NULL,
	"the kernel refuses a fresh /proc: the visible one is not whole",
	"make a full /proc visible to the caller"},
    {CTL_LOCKED, STEP_USERNS_MAX, EROFS, proc_is_masked, READ_ONLY_SYSCTLS,
	UNMASK_PROC},
    {CTL_NSCOUNTS, ANY_STEP, EROFS, proc_is_masked, READ_ONLY_SYSCTLS,
	UNMASK_PROC},
    {CTL_NONE, STEP_READ_PROC, ANY_ERR, proc_is_hidepid,
	"/proc is mounted with hidepid, which hides the job from its own "
	"launcher",
	"as root: mount -o remount,hidepid=0 /proc"},
    {CTL_LANDLOCK, ANY_STEP, ENOSYS, NULL,
	"the kernel was built without Landlock", NULL},
    {CTL_LANDLOCK, ANY_STEP, EOPNOTSUPP, NULL, "Landlock is switched off",
	"add landlock to lsm= on the kernel's command line"},
    {CTL_LANDLOCK, STEP_LANDLOCK_ABI, ANY_ERR, NULL,
	"the kernel's Landlock is too old for the plan", NULL},
    {CTL_MEMORY, STEP_CGROUP_LEAF, ENOENT, leaf_has_memory,
	"the job's cgroup has no memory.swap.max: the kernel does not count "
	"swap",
	"boot with swapaccount=1"},
    {CTL_NONE, STEP_CGROUP_LEAF, ENOENT, leaf_has_memory,
	"the job's cgroup lacks the controller cpu",
	"as root: echo +cpu > cgroup.subtree_control in each cgroup above it"},
    {CTL_NONE, STEP_CGROUP_LEAF, ANY_ERR, NULL, NULL, NULL},
    {CTL_RLIMITS, STEP_SETRLIMIT, EPERM, NULL,
	"a hard limit of the caller is below what the job is to have",
	"raise it (ulimit -H), or give the job less: --cpu, --max-file, "
	"--nofile, --memory-mb"},
    {CTL_PROCESSES, STEP_FORK_CANARY, ANY_ERR, NULL,
	"the kernel does not count processes for each user namespace",
	"use Linux 5.14 or newer"},
};
#define HINT_ROW_COUNT (sizeof(hint_rows) / sizeof(hint_rows[0]))

static bool
row_fits(const struct hint_row *row, const struct host *host, enum control ctl,
    unsigned int step, int err)
{
	return ((row->control == ctl || row->control == CTL_NONE) &&
	    (row->step == step || row->step == ANY_STEP) &&
	    (row->err == err || row->err == ANY_ERR) &&
	    (row->applies == NULL || row->applies(host)));
}

/* What is cut here is still a hint: the sizes fit every row of the table. */
static void
hint_copy(struct hint *h, const char *cause, const char *fix)
{
	(void)strlcpy(h->cause, cause, sizeof(h->cause));
	(void)strlcpy(h->fix, fix != NULL ? fix : "", sizeof(h->fix));
}

void
hint_find(struct hint *h, const struct host *host, enum control ctl,
    unsigned int step, int err)
{
	for (size_t i = 0; i < HINT_ROW_COUNT; i++) {
		const struct hint_row *row = &hint_rows[i];

		if (!row_fits(row, host, ctl, step, err))
			continue;
		/* There is a leaf, and it was of no use. */
		if (row->cause == NULL && host->leaf.cause[0] == '\0')
			break;
		hint_copy(h, row->cause != NULL ? row->cause : host->leaf.cause,
		    row->cause != NULL ? row->fix : host->leaf.fix);
		return;
	}
	h->fix[0] = '\0';
	(void)snprintf(h->cause, sizeof(h->cause), "cannot %s: %s",
	    step_text(step), err != 0 ? strerror(err) : "no reason was given");
}
