/*
 * namespaces.c - the rows userns, pidns, uts, netns and locked.
 *
 * rows.c made the namespaces and sees that none of them is the launcher's own;
 * here init names and maps what is in them, while the host's /proc is still in
 * reach.
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

	if (ids_verify(l, id) == -1 ||
	    (text = proc_text(l, "setgroups")) == NULL)
		return (-1);
	return (strcmp(text, "deny\n") == 0 ? 0 : mismatch(l));
}

/* The job is init's one child, and its own will be born where it lives. */
int
pidns_verify(struct launch *l)
{
	if (proc_ns_differs(l, "pid_for_children") == -1)
		return (-1);
	return (proc_expect(l, "PPid", 10, (uint64_t)l->init_pid));
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

/* Programs expect 127.0.0.1 to work, so lo is up.  What else a new namespace
 * holds are idle tunnel devices, down and without a peer. */
int
netns_apply(struct launch *l)
{
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int r, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	r = fd == -1 ? -1 : ioctl(fd, SIOCSIFFLAGS, &req);
	r = r == -1 ? -1 : ioctl(fd, SIOCGIFFLAGS, &req);
	io_close(&fd);
	if (fails(l, STEP_LOOPBACK, r))
		return (-1);
	return ((req.ifr_flags & IFF_UP) != 0 ? 0 : mismatch(l));
}

/* A sysctl of a namespace that the caller is in; EINVAL: another value. */
static int
sysctl_set(int proc, const char *path, uint64_t value)
{
	char digits[IO_DECIMAL_MAX], text[64];
	uint64_t got;

	if (io_write_file(proc, path, io_format_u64(digits, value)) == -1 ||
	    io_read_file(proc, path, text, sizeof(text)) == -1 ||
	    io_parse_u64(text, 10, &got) == -1)
		return (-1);
	errno = EINVAL;
	return (got == value ? 0 : -1);
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

	if (fails(l, STEP_USERNS_MAX, sysctl_set(proc, USERNS_MAX, 1)) ||
	    fails(l, STEP_STAGE2_UNSHARE,
		unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
	    fails(l, STEP_STAGE2_MAP, ids_map(proc, PLAN_JOB_ID, 0, 0)) ||
	    fails(l, STEP_USERNS_MAX, sysctl_set(proc, USERNS_MAX, 0)))
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
