/*
 * syscall_consts.h - the kernel's constants that the rows of syscall*.def
 * name, and the marks of their own.  For the filter generator and its test.
 * <termios.h> must not be included beside it: <asm/termbits.h> has TCGETS2's
 * type and defines the same names.
 */
#ifndef POLICY_SYSCALL_CONSTS_H
#define POLICY_SYSCALL_CONSTS_H

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>

#ifndef MFD_NOEXEC_SEAL /* linux/memfd.h, 6.3 */
#define MFD_NOEXEC_SEAL 0x8U
#endif
#ifndef PR_SET_VMA /* linux/prctl.h, 5.17 */
#define PR_SET_VMA 0x53564d41
#endif

/* The column "filters" of syscall_args.def. */
enum filter_bit {
	FILTER_PLAN = 0x1,  /* both plan filters */
	FILTER_MEMCG = 0x2, /* the plan filter with a controller only */
	FILTER_FLOOR = 0x4,
	FILTER_BROKER = 0x8
};
/* The column "where" of syscalls.def; any other value is a number. */
enum {
	WHERE_ALL = -1,
	WHERE_X86 = -2
};
/* The mask of a whole 32-bit argument. */
#define WORD_MASK 0xffffffffU

#endif
