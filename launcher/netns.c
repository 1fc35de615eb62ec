/*
 * netns.c - a network namespace with nothing but its own loopback.
 *
 * Init brings lo up; programs expect 127.0.0.1 to work.  A plan that shares
 * the host's network leaves this row out.
 */
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "proc.h"

/*
 * Interfaces that a new namespace may hold besides lo: the stubs of tunnel
 * modules that the host has loaded.  They are down and lead nowhere.
 */
static const char *const stubs[] = {"lo", "sit0", "tunl0", "ip6tnl0", "gre0",
    "gretap0", "erspan0", "ip6gre0", "ip_vti0", "ip6_vti0"};

int
netns_apply(struct launch *l)
{
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int err = 0;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd == -1 || ioctl(fd, SIOCSIFFLAGS, &req) == -1 ||
	    ioctl(fd, SIOCGIFFLAGS, &req) == -1)
		err = errno;
	io_close(&fd);
	if (err != 0)
		return (fault_at(l, STEP_LOOPBACK, err, FAULT_HOST));
	if ((req.ifr_flags & IFF_UP) == 0)
		return (proc_mismatch(l));
	return (0);
}

static bool
is_stub(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
		if (strlen(stubs[i]) == len && memcmp(stubs[i], name, len) == 0)
			return (true);
	}
	return (false);
}

int
netns_verify(struct launch *l)
{
	char text[PROC_TEXT_MAX];
	const char *p;

	readback_want(l, 1);
	if (proc_ns_is_own(l, "ns/net") == -1 ||
	    proc_text(l, "net/dev", text) == -1)
		return (-1);
	/* Two lines of headings, then "  name: counters". */
	p = strchr(text, '\n');
	p = p == NULL ? NULL : strchr(p + 1, '\n');
	if (p == NULL)
		return (proc_mismatch(l));
	for (p++; *p != '\0'; p += strcspn(p, "\n") + 1) {
		p += strspn(p, " ");
		if (!is_stub(p, strcspn(p, ":\n")))
			return (proc_mismatch(l));
	}
	readback_got(l, 1);
	return (0);
}
