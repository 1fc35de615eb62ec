/*
 * attack_arch.c - probes of the group seccomp that reach system calls by
 * another table, by another number, or without a call: see seccomp.def.
 */
#include <linux/io_uring.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

#define X32 0x40000000
#define HIGH (1UL << 32)

/* i386's numbers. */
enum {
	I386_PTRACE = 26,
	I386_SOCKETCALL = 102,
	SOCKETCALL_SOCKET = 1
};

static long
int80(long nr, long first, long second)
{
	__asm__ volatile("int $0x80"
			 : "+a"(nr)
			 : "b"(first), "c"(second), "d"(0), "S"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return ((int)nr);
}

/* 0, or the errno of a call without libc. */
static int
errno_from(long r)
{
	return (r < 0 ? (int)-r : 0);
}

static sigjmp_buf no_entry;

static void
has_no_entry(int sig)
{
	siglongjmp(no_entry, sig);
}

/* 26 is msync here; 0 is PTRACE_TRACEME. */
int
attempt_sc_int80(char *const *args)
{
	(void)args;
	/* So ends int 0x80 where no 32-bit entry was compiled in. */
	if (sigsetjmp(no_entry, 1) != 0)
		return (DONE_NOT_HERE);
	(void)signal(SIGSEGV, has_no_entry);
	return (errno_from(int80(I386_PTRACE, 0, 0)));
}

int
attempt_sc_int80_socketcall(char *const *args)
{
	unsigned int *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long r;

	(void)args;
	if (low == MAP_FAILED)
		return (errno);
	low[0] = AF_VSOCK;
	low[1] = SOCK_STREAM;
	r = int80(I386_SOCKETCALL, SOCKETCALL_SOCKET, (long)low);
	return (r < 0 ? (int)-r : hold());
}

/* exit(ATTACK_ESCAPED) of i386. */
static const unsigned char code[] = {0xb8, 1, 0, 0, 0, 0xbb, ATTACK_ESCAPED, 0,
    0, 0, 0xcd, 0x80};

struct elf32 {
	Elf32_Ehdr head;
	Elf32_Phdr load;
	unsigned char text[sizeof(code)];
};
#define ELF32_AT 0x08048000

int
attempt_sc_elf32(char *const *args)
{
	struct elf32 elf = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2,
					 ELFMAG3, ELFCLASS32, ELFDATA2LSB,
					 EV_CURRENT},
				.e_type = ET_EXEC,
				.e_machine = EM_386,
				.e_version = EV_CURRENT,
				.e_entry =
				    ELF32_AT + offsetof(struct elf32, text),
				.e_phoff = offsetof(struct elf32, load),
				.e_ehsize = sizeof(elf.head),
				.e_phentsize = sizeof(elf.load),
				.e_phnum = 1},
	    .load = {.p_type = PT_LOAD,
		.p_vaddr = ELF32_AT,
		.p_filesz = sizeof(elf),
		.p_memsz = sizeof(elf),
		.p_flags = PF_R | PF_X,
		.p_align = 4096}};
	char name[] = "elf32";
	char *const argv[] = {name, NULL}, *const envp[] = {NULL};
	int fd = memfd_create(name, MFD_CLOEXEC);

	(void)args;
	memcpy(elf.text, code, sizeof(code));
	if (fd == -1 || write(fd, &elf, sizeof(elf)) == -1)
		return (errno);
	(void)execveat(fd, "", argv, envp, AT_EMPTY_PATH);
	return (errno == ENOEXEC ? DONE_NOT_HERE : errno);
}

int
attempt_sc_x32(char *const *args)
{
	(void)args;
	if (syscall(X32 | SYS_getpid) != -1)
		return (0);
	return (errno == ENOSYS ? DONE_NOT_HERE : errno);
}

/* Its child stays in the old namespace: the two are compared. */
int
attempt_sc_nr_high(char *const *args)
{
	long nr = (long)(HIGH | SYS_unshare);
	pid_t child = fork();
	int rc;

	(void)args;
	if (child == -1)
		return (errno);
	if (child == 0) {
		(void)pause();
		_exit(0);
	}
	__asm__ volatile("syscall"
			 : "+a"(nr)
			 : "D"((long)CLONE_NEWUSER)
			 : "memory", "rcx", "r11");
	rc = (int)nr < 0 ? -(int)nr : hold();
	end_child(child);
	return (rc);
}

/* ---- io_uring ---- */

int
attempt_sc_uring(char *const *args)
{
	struct io_uring_params p = {0};

	(void)args;
	return (hold_if(syscall(SYS_io_uring_setup, 4, &p)));
}

/* One request of a new ring; 0, or an errno. */
static int
ring_request(const struct io_uring_sqe *request)
{
	struct io_uring_params p = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	struct io_uring_sqe *requests;
	struct io_uring_cqe *answer;
	char *at;

	if (ring == -1)
		return (errno);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
	    IORING_OFF_SQ_RING);
	requests = mmap(NULL, sizeof(*requests), PROT_READ | PROT_WRITE,
	    MAP_SHARED, ring, IORING_OFF_SQES);
	if (at == MAP_FAILED || requests == MAP_FAILED)
		return (errno);
	if ((p.features & IORING_FEAT_SINGLE_MMAP) == 0)
		return (DONE_NOT_HERE);
	requests[0] = *request;
	*(unsigned int *)(void *)(at + p.sq_off.array) = 0;
	__atomic_store_n((unsigned int *)(void *)(at + p.sq_off.tail), 1,
	    __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		NULL, 0) == -1)
		return (errno);
	answer = (void *)(at + p.cq_off.cqes);
	return (errno_from(answer->res));
}

/* The family is in fd, the type in off. */
int
attempt_sc_uring_socket(char *const *args)
{
	const struct io_uring_sqe request = {.opcode = IORING_OP_SOCKET,
	    .fd = AF_VSOCK,
	    .off = SOCK_STREAM};
	int rc = ring_request(&request);

	(void)args;
	return (rc != 0 ? rc : hold());
}
