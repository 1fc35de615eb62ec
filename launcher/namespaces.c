/*
 * namespaces.c - the rows pidns, ipc, uts and cgroupns.
 *
 * The clone made these namespaces; what is left is to name the host and to
 * see, from outside, that none of them is the launcher's own.  Runs in init
 * (apply, while the host's /proc is still in reach) and in the launcher.
 */
#include <sys/utsname.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "proc.h"

#define NO_DOMAIN "(none)" /* what the kernel says where none was set */

static int
ns_verify(struct launch *l, const char *link)
{
	readback_want(l, 1);
	if (proc_ns_is_own(l, link) == -1)
		return (-1);
	readback_got(l, 1);
	return (0);
}

int
pidns_apply(struct launch *l)
{
	if (getpid() != 1)
		return (fault_at(l, STEP_NS_SAME, 0, FAULT_OURS));
	return (0);
}

/* The job has a second pid, and its children are born where it lives. */
int
pidns_verify(struct launch *l)
{
	const char *text = proc_status(l);
	const char *line;

	if (text == NULL || proc_ns_is_own(l, "ns/pid_for_children") == -1)
		return (-1);
	line = strstr(text, "\nNSpid:\t");
	if (line == NULL ||
	    strcspn(line + 8, "\t\n") == strcspn(line + 8, "\n"))
		return (proc_mismatch(l));
	return (ns_verify(l, "ns/pid"));
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
	return (ns_verify(l, "ns/ipc"));
}

int
uts_apply(struct launch *l)
{
	struct utsname name;

	if (sethostname(PLAN_HOSTNAME, strlen(PLAN_HOSTNAME)) == -1 ||
	    setdomainname(NO_DOMAIN, strlen(NO_DOMAIN)) == -1 ||
	    uname(&name) == -1)
		return (fault_at(l, STEP_HOSTNAME, errno, FAULT_HOST));
	if (strcmp(name.nodename, PLAN_HOSTNAME) != 0 ||
	    strcmp(name.domainname, NO_DOMAIN) != 0)
		return (proc_mismatch(l));
	return (0);
}

int
uts_verify(struct launch *l)
{
	return (ns_verify(l, "ns/uts"));
}

/*
 * A cgroup file shows paths as its reader's namespace has them, so this one
 * is read by init: every hierarchy must end at a root of its own.
 */
int
cgroupns_apply(struct launch *l)
{
	char text[PROC_TEXT_MAX];
	const char *p = text;
	size_t len;

	if (io_read_file(l->host_proc, "self/cgroup", text, sizeof(text)) == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	for (; *p != '\0'; p += len + 1) {
		len = strcspn(p, "\n");
		if (len < 2 || p[len] != '\n' ||
		    strncmp(p + len - 2, ":/", 2) != 0)
			return (proc_mismatch(l));
	}
	return (0);
}

int
cgroupns_verify(struct launch *l)
{
	return (ns_verify(l, "ns/cgroup"));
}
