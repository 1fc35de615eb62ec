/*
 * namespaces.c - the rows userns, pidns, ipc, uts, cgroupns, netns and locked.
 *
 * The clone made the namespaces; init names and maps what is in them, while
 * the host's /proc is still in reach.  The launcher sees from outside that
 * none of them is its own.
 */
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"

#define NO_DOMAIN "(none)" /* what the kernel says where none was set */
#define USERNS_MAX "sys/user/max_user_namespaces"

static int
map_write(int proc, const char *name, uint64_t inside, uint64_t outside)
{
	char map[64], digits[IO_DECIMAL_MAX];
	char *p = stpcpy(map, io_format_u64(digits, inside));

	p = stpcpy(stpcpy(p, " "), io_format_u64(digits, outside));
	(void)stpcpy(p, " 1");
	return (io_write_file(proc, name, map));
}

/* One id each: inside here is uid and gid there. */
static int
ids_map(int proc, uint64_t inside, uid_t uid, gid_t gid)
{
	if (io_write_file(proc, "self/setgroups", "deny") == -1 ||
	    map_write(proc, "self/uid_map", inside, uid) == -1 ||
	    map_write(proc, "self/gid_map", inside, gid) == -1)
		return (-1);
	return (0);
}

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
	if (map_verify(l, "uid_map", inside, l->uid) == -1 ||
	    map_verify(l, "gid_map", inside, l->gid) == -1)
		return (-1);
	return (0);
}

/*
 * Root inside, the caller outside.  Init writes its own maps, so it must be
 * dumpable (its /proc files are root's otherwise).  The kernel refuses an
 * unprivileged gid_map before setgroups is denied (CVE-2014-8989).
 */
int
userns_apply(struct launch *l)
{
	return (ids_map(l->host_proc, 0, l->uid, l->gid) == 0 ?
		0 :
		host_fault(l, STEP_UID_MAP));
}

/* The maps are those of the second user namespace, where there is one. */
int
userns_verify(struct launch *l)
{
	const char *text;

	if (proc_ns_differs(l, "user") == -1 ||
	    ids_verify(l, row_is_applied(l, CTL_LOCKED) ? PLAN_JOB_ID : 0) ==
		-1 ||
	    (text = proc_text(l, "setgroups")) == NULL)
		return (-1);
	return (strcmp(text, "deny\n") == 0 ? 0 : mismatch(l));
}

int
pidns_apply(struct launch *l)
{
	if (getpid() != 1)
		return (fault_at(l, STEP_NS_SAME, 0, FAULT_OURS));
	return (0);
}

/* The job is init's one child, and its own will be born where it lives. */
int
pidns_verify(struct launch *l)
{
	if (proc_ns_differs(l, "pid") == -1 ||
	    proc_ns_differs(l, "pid_for_children") == -1)
		return (-1);
	return (proc_expect(l, "PPid", 10, (uint64_t)l->init_pid));
}

int
ipc_apply(struct launch *l)
{
	(void)l; /* the clone did it */
	return (0);
}

int
ipc_verify(struct launch *l)
{
	return (proc_ns_differs(l, "ipc"));
}

int
uts_apply(struct launch *l)
{
	struct utsname name;

	if (sethostname(PLAN_HOSTNAME, strlen(PLAN_HOSTNAME)) == -1 ||
	    setdomainname(NO_DOMAIN, strlen(NO_DOMAIN)) == -1 ||
	    uname(&name) == -1)
		return (host_fault(l, STEP_HOSTNAME));
	if (strcmp(name.nodename, PLAN_HOSTNAME) != 0 ||
	    strcmp(name.domainname, NO_DOMAIN) != 0)
		return (mismatch(l));
	return (0);
}

int
uts_verify(struct launch *l)
{
	return (proc_ns_differs(l, "uts"));
}

/*
 * A cgroup file shows paths as its reader's namespace has them, so this one
 * is read by init: every hierarchy must end at a root of its own.
 */
int
cgroupns_apply(struct launch *l)
{
	char text[2048];
	const char *p = text;

	if (io_read_file(l->host_proc, "self/cgroup", text, sizeof(text)) == -1)
		return (host_fault(l, STEP_READ_PROC));
	for (; (p = strstr(p, ":/")) != NULL; p++) {
		if (p[2] != '\n')
			return (mismatch(l));
	}
	return (0);
}

int
cgroupns_verify(struct launch *l)
{
	return (proc_ns_differs(l, "cgroup"));
}

/* Programs expect 127.0.0.1 to work, so lo is up. */
int
netns_apply(struct launch *l)
{
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int r, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	r = fd == -1 ? -1 : ioctl(fd, SIOCSIFFLAGS, &req);
	r = r == -1 ? -1 : ioctl(fd, SIOCGIFFLAGS, &req);
	io_close(&fd);
	if (r == -1)
		return (host_fault(l, STEP_LOOPBACK));
	return ((req.ifr_flags & IFF_UP) != 0 ? 0 : mismatch(l));
}

/*
 * Besides lo a new namespace may hold idle devices of the tunnel modules that
 * the host has loaded.  They are down and lead nowhere.
 */
int
netns_verify(struct launch *l)
{
	static const char allowed[] = " lo sit0 tunl0 ip6tnl0 gre0 gretap0"
				      " erspan0 ip6gre0 ip_vti0 ip6_vti0 ";
	const char *p;
	size_t len;

	if (proc_ns_differs(l, "net") == -1 ||
	    (p = proc_text(l, "net/dev")) == NULL)
		return (-1);
	/* Below two lines of headings: "  name: counters". */
	for (int line = 1; (p = strchr(p, '\n')) != NULL && *++p != '\0';
	     line++) {
		char word[32] = " ";

		if (line == 1)
			continue;
		p += strspn(p, " ");
		len = strcspn(p, ":\n");
		if (len > sizeof(word) - 3)
			return (mismatch(l));
		(void)stpcpy(mempcpy(&word[1], p, len), " ");
		if (strstr(allowed, word) == NULL)
			return (mismatch(l));
	}
	return (0);
}

/* The sysctl of the user namespace that the caller is in. */
static int
userns_max_set(int proc, uint64_t max)
{
	char digits[IO_DECIMAL_MAX], text[64];
	uint64_t got;

	if (io_write_file(proc, USERNS_MAX, io_format_u64(digits, max)) == -1 ||
	    io_read_file(proc, USERNS_MAX, text, sizeof(text)) == -1 ||
	    io_parse_u64(text, 10, &got) == -1)
		return (-1);
	errno = EINVAL;
	return (got == max ? 0 : -1);
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
	int proc = l->proc_fd != -1 ? l->proc_fd : l->host_proc;

	if (fails(l, STEP_USERNS_MAX, userns_max_set(proc, 1)) ||
	    fails(l, STEP_STAGE2_UNSHARE,
		unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
	    fails(l, STEP_STAGE2_MAP, ids_map(proc, PLAN_JOB_ID, 0, 0)) ||
	    fails(l, STEP_USERNS_MAX, userns_max_set(proc, 0)))
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
	if (proc_ns_differs(l, "mnt") == -1)
		return (-1);
	return (ids_verify(l, PLAN_JOB_ID));
}
