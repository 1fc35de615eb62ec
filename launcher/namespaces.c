/*
 * namespaces.c - the rows userns, pidns, uts, netns, timens, nscounts and
 * locked.
 *
 * The clone makes the user, pid and mount namespaces; init makes each other one
 * in its own row, so that the one which is refused has the fault.  It names and
 * maps what is in them while the host's /proc is still in reach; the launcher
 * sees from outside that none of them is its own.
 */
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

#include "launcher.h"

#define NO_DOMAIN "(none)" /* what the kernel says where none was set */
#define USERNS_MAX "sys/user/max_user_namespaces"
#define LAUNCH_MAX_S (MSG_PLANNED_DEADLINE_MS / 1000)

static const char *const ns_names[CTL__MAX] = {[CTL_USERNS] = "user",
    [CTL_PIDNS] = "pid",
    [CTL_IPC] = "ipc",
    [CTL_UTS] = "uts",
    [CTL_CGROUPNS] = "cgroup",
    [CTL_NETNS] = "net",
    [CTL_TIMENS] = "time",
    [CTL_MNTNS] = "mnt"};

static int
ns_apply(struct launch *l)
{
	return (
	    must(l, STEP_CLONE, unshare((int)controls[l->current].clone_flag)));
}

static int
ns_differs(struct launch *l, const char *ns)
{
	char path[64];
	struct stat job, own;

	(void)stpcpy(stpcpy(path, "/proc/self/ns/"), ns);
	if (stat(path, &own) == -1 ||
	    fstatat(l->job_proc, &path[sizeof("/proc/self")], &job, 0) == -1)
		return (host_fault(l, STEP_READ_PROC));
	if (job.st_dev == own.st_dev && job.st_ino == own.st_ino)
		return (fault_at(l, STEP_NS_SAME, 0, FAULT_HOST));
	return (0);
}

int
ns_verify(struct launch *l)
{
	return (ns_differs(l, ns_names[l->current]));
}

/* The clone did it, or the broker made the pipes, or exec is given the plan's
 * environment. */
static int
nothing(struct launch *l)
{
	(void)l;
	return (0);
}

#define ALIAS(fn, of) control_fn fn __attribute__((alias(#of)))
ALIAS(pidns_apply, nothing);
ALIAS(output_apply, nothing);
ALIAS(environment_apply, nothing);
ALIAS(ipc_apply, ns_apply);
ALIAS(ipc_verify, ns_verify);
ALIAS(uts_verify, ns_verify);
ALIAS(cgroupns_apply, ns_apply);
ALIAS(cgroupns_verify, ns_verify);
ALIAS(netns_verify, ns_verify);

/* One id: inside here is outside there. */
static int
map_write(int proc, const char *name, uint64_t inside, uint64_t outside)
{
	char map[64], digits[IO_DECIMAL_MAX];
	char *p = stpcpy(map, io_format_u64(digits, inside));

	p = stpcpy(stpcpy(p, " "), io_format_u64(digits, outside));
	(void)stpcpy(p, " 1");
	return (io_write_file(proc, name, map));
}

static int
ids_map(int proc, uint64_t inside, uid_t uid, gid_t gid)
{
	if (io_write_file(proc, "self/setgroups", "deny") == -1 ||
	    map_write(proc, "self/uid_map", inside, uid) == -1)
		return (-1);
	return (map_write(proc, "self/gid_map", inside, gid));
}

/* One line "inside outside 1". */
static int
map_verify(struct launch *l, const char *name, uint64_t inside,
    uint64_t outside)
{
	const uint64_t want[] = {inside, outside, 1};
	const char *p = proc_text(l, name);
	uint64_t got;

	if (p == NULL)
		return (-1);
	for (size_t i = 0; i < COUNT(want); i++) {
		p += strspn(p, " ");
		if (io_parse_u64(p, 10, &got) == -1 || got != want[i])
			return (mismatch(l));
		p += strspn(p, "0123456789");
	}
	return (strcmp(p, "\n") == 0 ? 0 : mismatch(l));
}

static int
ids_verify(struct launch *l, uint64_t inside)
{
	if (map_verify(l, "uid_map", inside, l->uid) == -1)
		return (-1);
	return (map_verify(l, "gid_map", inside, l->gid));
}

/*
 * Root inside, the caller outside.  Init writes its own maps, so it must be
 * dumpable (its /proc files are root's otherwise).  The kernel refuses an
 * unprivileged gid_map before setgroups is denied (CVE-2014-8989).
 */
int
userns_apply(struct launch *l)
{
	return (
	    must(l, STEP_UID_MAP, ids_map(l->host_proc, 0, l->uid, l->gid)));
}

/* The maps are those of the second user namespace, where there is one. */
int
userns_verify(struct launch *l)
{
	uint64_t id = row_is_applied(l, CTL_LOCKED) ? PLAN_JOB_ID : 0;
	const char *text;

	if (ns_verify(l) == -1 || ids_verify(l, id) == -1 ||
	    (text = proc_text(l, "setgroups")) == NULL)
		return (-1);
	return (strcmp(text, "deny\n") == 0 ? 0 : mismatch(l));
}

/* The job is init's one child, and its own will be born where it lives. */
int
pidns_verify(struct launch *l)
{
	if (ns_verify(l) == -1 || ns_differs(l, "pid_for_children") == -1)
		return (-1);
	return (proc_expect(l, "PPid", 10, (uint64_t)l->init_pid));
}

int
uts_apply(struct launch *l)
{
	struct utsname name;

	if (ns_apply(l) == -1)
		return (-1);
	if (sethostname(PLAN_HOSTNAME, strlen(PLAN_HOSTNAME)) == -1 ||
	    setdomainname(NO_DOMAIN, strlen(NO_DOMAIN)) == -1 ||
	    uname(&name) == -1)
		return (host_fault(l, STEP_HOSTNAME));
	if (strcmp(name.nodename, PLAN_HOSTNAME) != 0 ||
	    strcmp(name.domainname, NO_DOMAIN) != 0)
		return (mismatch(l));
	return (0);
}

/* Programs expect 127.0.0.1 to work, so lo is up.  What else a new namespace
 * holds are idle tunnel devices, down and without a peer. */
int
netns_apply(struct launch *l)
{
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int r, fd;

	if (ns_apply(l) == -1)
		return (-1);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	r = fd == -1 ? -1 : ioctl(fd, SIOCSIFFLAGS, &req);
	r = r == -1 ? -1 : ioctl(fd, SIOCGIFFLAGS, &req);
	io_close(&fd);
	if (fails(l, STEP_LOOPBACK, r))
		return (-1);
	return ((req.ifr_flags & IFF_UP) != 0 ? 0 : mismatch(l));
}

int
number_is(int dir, const char *name, uint64_t value)
{
	char text[64];
	uint64_t got;

	if (io_read_file(dir, name, text, sizeof(text)) == -1 ||
	    io_parse_u64(text, 10, &got) == -1)
		return (-1);
	errno = EINVAL;
	return (got == value ? 0 : -1);
}

int
number_set(int dir, const char *name, uint64_t value)
{
	char digits[IO_DECIMAL_MAX];

	if (io_write_file(dir, name, io_format_u64(digits, value)) == -1)
		return (-1);
	return (number_is(dir, name, value));
}

/*
 * The job's monotonic and boot clocks begin at 0, and tell nothing of how long
 * the host has been up.  Init stays in the old one: only its children are born
 * into the new.
 */
int
timens_apply(struct launch *l)
{
	static const clockid_t ids[] = {CLOCK_MONOTONIC, CLOCK_BOOTTIME};
	static const char *const names[] = {"monotonic -", "boottime -"};
	char text[64], digits[IO_DECIMAL_MAX];
	struct timespec now;

	if (ns_apply(l) == -1)
		return (-1);
	for (size_t i = 0; i < COUNT(ids); i++) {
		(void)clock_gettime(ids[i], &now);
		(void)stpcpy(stpcpy(stpcpy(text, names[i]),
				 io_format_u64(digits, (uint64_t)now.tv_sec)),
		    " 0");
		if (fails(l, STEP_TIME_OFFSETS,
			io_write_file(l->host_proc, "self/timens_offsets",
			    text)))
			return (-1);
	}
	return (0);
}

/* "monotonic -SECONDS 0", then boottime: as long as we have been up. */
int
timens_verify(struct launch *l)
{
	const char *p =
	    ns_verify(l) == -1 ? NULL : proc_text(l, "timens_offsets");
	uint64_t up = now_us() / 1000000, seconds;

	for (int line = 0; p != NULL && line < 2; line++) {
		p += strcspn(p, "-\n");
		if (*p != '-' || io_parse_u64(p + 1, 10, &seconds) == -1 ||
		    seconds + LAUNCH_MAX_S < up)
			return (mismatch(l));
		p = strchr(p, '\n');
		p += p != NULL;
	}
	return (p == NULL ? -1 : 0);
}

/*
 * Written in the first user namespace, above the job's: what counts there counts
 * here too.  Of mount namespaces there are this one, that of the row locked
 * still to come, and one that the kernel keeps for a detached procfs.
 */
int
nscounts_apply(struct launch *l)
{
	const struct {
		const char *name;
		uint64_t value;
	} sysctls[] = {
	    {"sys/user/max_cgroup_namespaces", 0},
	    {"sys/user/max_ipc_namespaces", 0},
	    {"sys/user/max_net_namespaces", 0},
	    {"sys/user/max_pid_namespaces", 0},
	    {"sys/user/max_time_namespaces", 0},
	    {"sys/user/max_uts_namespaces", 0},
	    {"sys/user/max_mnt_namespaces", 2 + (l->proc_fd != -1)},
	    {"sys/user/max_inotify_instances", 16},
	    {"sys/user/max_inotify_watches", 8192},
	    {"sys/kernel/pid_max", 1024 + 4 * l->plan->max_procs},
	};

	for (size_t i = 0; i < COUNT(sysctls); i++)
		/* Before 6.14 pid_max is the host's, and root's: EACCES. */
		if (number_set(proc_of(l), sysctls[i].name, sysctls[i].value) ==
			-1 &&
		    (errno != EACCES || i != COUNT(sysctls) - 1))
			return (host_fault(l, STEP_NS_COUNTS));
	return (0);
}

/* With every capability in the namespaces that there are. */
int
nscounts_verify(struct launch *l)
{
	return (
	    unshare(CLONE_NEWUTS) == -1 && errno == ENOSPC ? 0 : mismatch(l));
}

/*
 * The second user and mount namespace.  Mounts that were copied into a less
 * privileged mount namespace cannot be remounted, uncovered or moved there,
 * whatever capabilities a process gains (MNT_LOCKED, CVE-2014-5206); and those
 * over the network, ipc, uts and pid namespaces, which belong to the first
 * user namespace, are gone.  A third cannot follow: the first may have one
 * below it and the second none.  Both are tried here, with every capability.
 */
int
locked_apply(struct launch *l)
{
	int proc = proc_of(l);

	if (fails(l, STEP_USERNS_MAX, number_set(proc, USERNS_MAX, 1)) ||
	    fails(l, STEP_STAGE2_UNSHARE,
		unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
	    fails(l, STEP_STAGE2_MAP, ids_map(proc, PLAN_JOB_ID, 0, 0)) ||
	    fails(l, STEP_USERNS_MAX, number_set(proc, USERNS_MAX, 0)))
		return (-1);
	if (unshare(CLONE_NEWUSER) == 0 || errno != ENOSPC ||
	    mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0 ||
	    errno != EPERM)
		return (mismatch(l));
	return (0);
}

/* The first maps 0, and a map is written once: this is the second. */
int
locked_verify(struct launch *l)
{
	return (ids_verify(l, PLAN_JOB_ID));
}
