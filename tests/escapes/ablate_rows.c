/*
 * ablate_rows.c - stands between rows.c and the rows of the test launcher.
 *
 * Skips an apply, changes one, or takes a row for held that is not.  Every row
 * of the table is wrapped, so that a new one can be stubbed at once.
 */
#include <linux/capability.h>

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "ablate.h"
#include "io.h"
#include "launcher.h"

#define CONTROL(id, symbol, ...) \
	control_fn __real_##symbol##_apply, __wrap_##symbol##_apply; \
	control_fn __real_##symbol##_verify, __wrap_##symbol##_verify;
#include "controls.def"
#undef CONTROL

static const struct {
	control_set skips;
	control_set forgives;
} effects[ABL__MAX] = {
#define ABLATION(id, name, skips, forgives) [ABL_##id] = {skips, forgives},
#include "ablations.def"
#undef ABLATION
};

static struct launch *launch; /* since the first row */

int
ablate_row(void)
{
	return (launch == NULL ? -1 : (int)launch->current);
}

static bool
is_skipped(enum control ctl)
{
	for (enum ablation a = 0; a < ABL__MAX; a++) {
		if ((effects[a].skips & CONTROL_BIT(ctl)) != 0 && ablated(a))
			return (true);
	}
	return (false);
}

/* The row as it was before; held, with the value that the plan asks for. */
static bool
forgive(struct launch *l, const struct readback *before)
{
	struct readback *row = &l->board->report.rows[l->current];
	uint64_t want = row->want;
	bool is_forgiven = false;

	for (enum ablation a = 0; a < ABL__MAX; a++)
		is_forgiven |= ablated(a) &&
		    (effects[a].forgives & CONTROL_BIT(l->current)) != 0;
	if (!is_forgiven)
		return (false);
	if (l->current == CTL_PROCESSES)
		want = l->plan->max_procs;
	else if (l->current == CTL_SCRATCH)
		want = l->plan->scratch_bytes;
	*row = *before;
	row->want = row->got = want;
	return (true);
}

/* Every directory of the host that the new root does not have, as well. */
static int
show_host(struct launch *l)
{
	static const char *const names[] = {"home", "mnt", "opt", "root", "srv",
	    "var"};
	int tree, rc = 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		char path[16] = "/";

		(void)stpcpy(&path[1], names[i]);
		if (access(path, F_OK) == -1 ||
		    (mkdirat(l->root_fd, names[i], 0755) == -1 &&
			errno != EEXIST))
			continue;
		tree = open_tree(AT_FDCWD, path,
		    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
		if (tree == -1 ||
		    move_mount(tree, "", l->root_fd, names[i],
			MOVE_MOUNT_F_EMPTY_PATH) == -1)
			rc = -1;
		io_close(&tree);
	}
	return (rc);
}

/* The host's own tree at a place of the new root. */
static int
bind_host(struct launch *l, const char *path)
{
	int tree = open_tree(AT_FDCWD, path,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	int rc = tree == -1 ?
	    -1 :
	    move_mount(tree, "", l->root_fd, path + 1, MOVE_MOUNT_F_EMPTY_PATH);

	io_close(&tree);
	return (rc);
}

/*
 * A job whose id is not 0 loses everything at exec unless it is ambient: a
 * launcher that just forgot capset would prove nothing.  Before the bounding
 * set is dropped: nothing becomes inheritable after.
 */
static int
keep_capabilities(void)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2];

	if (syscall(SYS_capget, &head, sets) == -1)
		return (-1);
	sets[0].inheritable = sets[0].permitted;
	sets[1].inheritable = sets[1].permitted;
	if (syscall(SYS_capset, &head, sets) == -1)
		return (-1);
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap) == 1; cap++) {
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) ==
		    -1)
			return (-1);
	}
	return (0);
}

/* Until the filters are loaded: see change(). */
static bool
is_deferred(enum control ctl)
{
	return (ctl == CTL_CAPABILITIES && launch->current == ctl &&
	    ablated(ABL_PV_NNP));
}

/* In place of pivot_root the new root is here, and becomes the job's late: who
 * is in a chroot makes no namespace. */
#define CHROOT "/tmp"

/* What an ablation does after the row was set; l->current is the row. */
static int
change(struct launch *l)
{
	if (l->current == CTL_MNTNS && ablated(ABL_FS_ROOT))
		return (show_host(l));
	/* Not over the old root, where every way up would end again. */
	if (l->current == CTL_ROOT && ablated(ABL_FS_PIVOT))
		return (move_mount(l->root_fd, "", AT_FDCWD, CHROOT,
		    MOVE_MOUNT_F_EMPTY_PATH));
	if (l->current == CTL_MNTNS && ablated(ABL_FS_SYS))
		return (mkdirat(l->root_fd, "sys", 0555) == -1 ?
			-1 :
			bind_host(l, "/sys"));
	if (l->current == CTL_MNTNS && ablated(ABL_FS_ETC))
		return (bind_host(l, "/etc"));
	if (l->current == CTL_DEV && ablated(ABL_FS_DEV))
		return (bind_host(l, "/dev"));
	if (l->current == CTL_PROCFS && ablated(ABL_PR_FRESH))
		return (bind_host(l, "/proc"));
	if (l->current == CTL_PLAN_FILTER && ablated(ABL_PV_NNP))
		return (__real_capabilities_apply(l) ? 0 : -1);
	/* Without the second namespace its ceiling belongs to the first. */
	if (l->current == CTL_LOCKED && ablated(ABL_NS_USER2) &&
	    !ablated(ABL_UC_USERNS))
		return (io_write_file(l->proc_fd,
		    "sys/user/max_user_namespaces", "0"));
	return (0);
}

static bool
row_apply(struct launch *l, const char *name, enum control ctl,
    control_fn *apply)
{
	const struct readback before = l->board->report.rows[l->current];
	const char *stub = getenv(STUB_ENV);
	bool is_done = true;

	launch = l;
	if (stub != NULL && strcmp(stub, name) == 0)
		return (true);
	if (ctl == CTL_SESSION && l->current == ctl && ablated(ABL_FS_PIVOT) &&
	    chroot(CHROOT) == -1)
		return (fault(l, STEP_NONE, errno));
	if (ctl == CTL_CAPABILITIES && l->current == ctl &&
	    ablated(ABL_PV_CAPS) && keep_capabilities() == -1)
		return (fault(l, STEP_NONE, errno));
	/* death calls the apply of two other rows, for init */
	if (l->current != ctl || (!is_skipped(ctl) && !is_deferred(ctl)))
		is_done = apply(l) || forgive(l, &before);
	if (is_done && l->current == ctl && change(l) == -1)
		return (fault(l, STEP_NONE, errno));
	return (is_done);
}

int __real_number_set(int dir, const char *name, uint64_t value);
int __wrap_number_set(int dir, const char *name, uint64_t value);

/* With a leaf, pids.max is the row processes, and written before it. */
int
__wrap_number_set(int dir, const char *name, uint64_t value)
{
	const char *stub = getenv(STUB_ENV);

	if (stub != NULL && strcmp(stub, "processes") == 0 &&
	    strcmp(name, "pids.max") == 0)
		return (0);
	return (__real_number_set(dir, name, value));
}

static bool
row_verify(struct launch *l, control_fn *verify)
{
	const struct readback before = l->board->report.rows[l->current];
	const struct readback *row = &l->board->report.rows[l->current];
	bool is_done;

	launch = l;
	is_done = verify(l);
	/* A row may also be held by less than was asked for. */
	if (!is_done || row->got != row->want)
		return (forgive(l, &before) || is_done);
	return (true);
}

#define CONTROL(id, symbol, ...) \
	bool __wrap_##symbol##_apply(struct launch *l) \
	{ \
		return ( \
		    row_apply(l, #symbol, CTL_##id, __real_##symbol##_apply)); \
	} \
	bool __wrap_##symbol##_verify(struct launch *l) \
	{ \
		return (row_verify(l, __real_##symbol##_verify)); \
	}
#include "controls.def"
#undef CONTROL
