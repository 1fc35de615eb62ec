/*
 * attack_sockets.c - probes of the group kernel that make a socket, and of the
 * group seccomp that set one up: see kernel.def and seccomp.def.
 */
#include <linux/filter.h>
#include <linux/netlink.h>

#include <sys/socket.h>
#include <sys/syscall.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <errno.h>
#include <unistd.h>

#include "attack.h"

#define HIGH (1UL << 32) /* beyond what the kernel looks at */
#define MPTCP 262	 /* newer than some headers */
#define IPV4_FRAMES 0x0008

HOLDS(ks_vsock, socket(AF_VSOCK, SOCK_STREAM, 0))
HOLDS(ks_alg, socket(AF_ALG, SOCK_SEQPACKET, 0))
HOLDS(ks_netfilter, socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER))
HOLDS(ks_sock_diag, socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG))
HOLDS(ks_audit, socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT))
HOLDS(ks_uevent, socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT))
HOLDS(ks_xfrm, socket(AF_NETLINK, SOCK_RAW, NETLINK_XFRM))
HOLDS(ks_generic, socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC))
HOLDS(ks_mptcp, socket(AF_INET, SOCK_STREAM, MPTCP))
HOLDS(ks_udplite, socket(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE))
HOLDS(ks_packet, socket(AF_PACKET, SOCK_RAW, IPV4_FRAMES))
HOLDS(ks_xdp, socket(AF_XDP, SOCK_RAW, 0))
HOLDS(ks_raw, socket(AF_INET, SOCK_RAW, IPPROTO_ICMP))
HOLDS(sc_high_family, syscall(SYS_socket, HIGH | AF_VSOCK, SOCK_STREAM, 0))

/* An option of a new socket of this type, in the words of setsockopt(2). */
static int
set_option(int type, unsigned long level, int name, const void *value,
    socklen_t len)
{
	int on = 1, fd = socket(AF_INET, type, 0);

	if (fd == -1 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == -1)
		return (errno);
	return (errno_of(syscall(SYS_setsockopt, fd, level, name, value, len)));
}

static int
attach(unsigned long level, int name)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, 0xffff);
	struct sock_fprog prog = {.len = 1, .filter = &all};

	return (set_option(SOCK_DGRAM, level, name, &prog, sizeof(prog)));
}

int
attempt_sc_attach_bpf(char *const *args)
{
	(void)args;
	return (attach(SOL_SOCKET, SO_ATTACH_FILTER));
}

int
attempt_sc_attach_group(char *const *args)
{
	(void)args;
	return (attach(SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF));
}

int
attempt_sc_high_neq(char *const *args)
{
	(void)args;
	return (attach(HIGH | SOL_SOCKET, SO_ATTACH_FILTER));
}

int
attempt_sc_zerocopy(char *const *args)
{
	int on = 1;

	(void)args;
	return (
	    set_option(SOCK_STREAM, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)));
}

int
attempt_sc_mark(char *const *args)
{
	int mark = 1;

	(void)args;
	return (
	    set_option(SOCK_DGRAM, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)));
}

int
attempt_sc_repair(char *const *args)
{
	int on = 1;

	(void)args;
	return (
	    set_option(SOCK_STREAM, IPPROTO_TCP, TCP_REPAIR, &on, sizeof(on)));
}
