/*
 * namespaces.c - the rows userns, pidns, ipc, uts, cgroupns, netns, timens,
 * nscounts and locked.
 *
 * The clone makes the user, pid and mount namespaces; init makes each other one
 * in its own row, so that the one which is refused has the fault.
 */
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

static bool
ns_apply(struct launch *l)
{
	return (
	    must(l, STEP_CLONE, unshare((int)controls[l->current].clone_flag)));
}

static bool
ns_differs(struct launch *l, const char *ns)
{
	char path[64];
	struct stat job, own;

	(void)stpcpy(stpcpy(path, "/proc/self/ns/"), ns);
	if (stat(path, &own) == -1 ||
	    fstatat(l->job_proc, &path[sizeof("/proc/self")], &job, 0) == -1)
		return (fault(l, STEP_READ_PROC, errno));
	return (job.st_dev != own.st_dev || job.st_ino != own.st_ino ||
	    fault(l, STEP_NS_SAME, 0));
}

bool
ns_verify(struct launch *l)
{
	return (ns_differs(l, ns_names[l->current]));
}

/* The clone or the broker's pipes did it. */
static bool
nothing(struct launch *l)
{
	(void)l;
	return (true);
}

ALIAS(pidns_apply, nothing);
ALIAS(output_apply, nothing);
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
	char map[64], *p = stpcpy(io_put_u64(map, inside), " ");

	(void)stpcpy(io_put_u64(p, outside), " 1");
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
static bool
map_verify(struct launch *l, const char *name, uint64_t inside,
    uint64_t outside)
{
	char *p = proc_text(l, name);

	return (p != NULL &&
	    matches(l,
		strtoull(p, &p, 10) == inside &&
		    strtoull(p, &p, 10) == outside &&
		    strcmp(p, "          1\n") == 0));
}

static bool
ids_verify(struct launch *l, uint64_t inside)
{
	return (map_verify(l, "uid_map", inside, l->uid) &&
	    map_verify(l, "gid_map", inside, l->gid));
}

/* Root inside, the caller outside.  The kernel refuses an unprivileged gid_map
 * before setgroups is denied (CVE-2014-8989). */
bool
userns_apply(struct launch *l)
{
	return (
	    must(l, STEP_UID_MAP, ids_map(l->host_proc, 0, l->uid, l->gid)));
}

/* The maps are those of the second user namespace, where there is one. */
bool
userns_verify(struct launch *l)
{
	return (ns_verify(l) &&
	    ids_verify(l, row_is_applied(l, CTL_LOCKED) ? PLAN_JOB_ID : 0) &&
	    proc_is(l, "setgroups", "deny\n"));
}

/* The job is init's one child, and its own will be born where it lives. */
bool
pidns_verify(struct launch *l)
{
	return (ns_verify(l) && ns_differs(l, "pid_for_children") &&
	    proc_expect(l, "PPid", 10, (uint64_t)l->init_pid));
}

bool
uts_apply(struct launch *l)
{
	struct utsname name;

	if (!ns_apply(l))
		return (false);
	if (sethostname(PLAN_HOSTNAME, strlen(PLAN_HOSTNAME)) == -1 ||
	    setdomainname(NO_DOMAIN, strlen(NO_DOMAIN)) == -1 ||
	    uname(&name) == -1)
		return (fault(l, STEP_HOSTNAME, errno));
	return (matches(l,
	    strcmp(name.nodename, PLAN_HOSTNAME) == 0 &&
		strcmp(name.domainname, NO_DOMAIN) == 0));
}

/* Programs expect 127.0.0.1 to work, so lo is up. */
bool
netns_apply(struct launch *l)
{
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int r, fd;

	if (!ns_apply(l))
		return (false);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	r = fd == -1 ? -1 : ioctl(fd, SIOCSIFFLAGS, &req);
	r = r == -1 ? -1 : ioctl(fd, SIOCGIFFLAGS, &req);
	io_close(&fd);
	return (must(l, STEP_LOOPBACK, r) &&
	    matches(l, (req.ifr_flags & IFF_UP) != 0));
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

	(void)io_put_u64(digits, value);
	if (io_write_file(dir, name, digits) == -1)
		return (-1);
	return (number_is(dir, name, value));
}

/* The job's monotonic and boot clocks begin at 0.  Init stays in the old time
 * namespace: only its children are born into the new. */
bool
timens_apply(struct launch *l)
{
	static const clockid_t ids[] = {CLOCK_MONOTONIC, CLOCK_BOOTTIME};
	static const char *const names[] = {"monotonic -", "boottime -"};
	char text[64], *p;
	struct timespec now;

	if (!ns_apply(l))
		return (false);
	for (size_t i = 0; i < COUNT(ids); i++) {
		(void)clock_gettime(ids[i], &now);
		p = stpcpy(text, names[i]);
		(void)stpcpy(io_put_u64(p, (uint64_t)now.tv_sec), " 0");
		if (io_write_file(l->host_proc, "self/timens_offsets", text) ==
		    -1)
			return (fault(l, STEP_TIME_OFFSETS, errno));
	}
	return (true);
}

/* "monotonic -SECONDS 0", then boottime: as long as we have been up. */
bool
timens_verify(struct launch *l)
{
	const uint64_t up = now_us() / 1000000;
	char *p = ns_verify(l) ? proc_text(l, "timens_offsets") : NULL;

	for (int line = 0; p != NULL && line < 2; line++) {
		p = strchr(p, '-');
		if (p == NULL || strtoull(p + 1, &p, 10) + LAUNCH_MAX_S < up)
			return (matches(l, false));
	}
	return (p != NULL);
}

/* Written in the first user namespace: what counts there counts in the job's.
 * Of mount namespaces there are this one, that of the row locked, and one that
 * the kernel keeps for a detached procfs. */
bool
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
	    {"sys/user/max_mnt_namespaces", 2 + (l->proc_fd != l->host_proc)},
	    {"sys/user/max_inotify_instances", 16},
	    {"sys/user/max_inotify_watches", 8192},
	    {"sys/kernel/pid_max", 1024 + 4 * l->plan->max_procs},
	};

	for (size_t i = 0; i < COUNT(sysctls); i++)
		/* Before 6.14 pid_max is the host's, and root's: EACCES. */
		if (number_set(l->proc_fd, sysctls[i].name, sysctls[i].value) ==
			-1 &&
		    (errno != EACCES || i != COUNT(sysctls) - 1))
			return (fault(l, STEP_NS_COUNTS, errno));
	return (true);
}

/* With every capability in the namespaces that there are. */
bool
nscounts_verify(struct launch *l)
{
	return (matches(l, unshare(CLONE_NEWUTS) == -1 && errno == ENOSPC));
}

/* The second user and mount namespace.  Mounts that were copied into it cannot
 * be remounted, uncovered or moved, whatever capabilities a process gains
 * (MNT_LOCKED, CVE-2014-5206).  A third cannot follow.  Both are tried here. */
bool
locked_apply(struct launch *l)
{
	int proc = l->proc_fd;

	return (must(l, STEP_USERNS_MAX, number_set(proc, USERNS_MAX, 1)) &&
	    must(l, STEP_STAGE2_UNSHARE,
		unshare(CLONE_NEWUSER | CLONE_NEWNS)) &&
	    must(l, STEP_STAGE2_MAP, ids_map(proc, PLAN_JOB_ID, 0, 0)) &&
	    must(l, STEP_USERNS_MAX, number_set(proc, USERNS_MAX, 0)) &&
	    matches(l,
		unshare(CLONE_NEWUSER) == -1 && errno == ENOSPC &&
		    mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == -1 &&
		    errno == EPERM));
}

/* The first maps 0, and a map is written once: this is the second. */
bool
locked_verify(struct launch *l)
{
	return (ids_verify(l, PLAN_JOB_ID));
}
