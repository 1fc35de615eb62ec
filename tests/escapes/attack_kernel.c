/*
 * attack_kernel.c - probes of the group kernel: see kernel.def.  Each is the
 * mildest call of its kind: it asks, or changes the probe alone.
 */
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>

#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/quota.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define PAGE 4096UL

static char pages[2 * PAGE] __attribute__((aligned(PAGE)));

HOLDS(ks_userfaultfd, syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY))

int
attempt_ks_perf(char *const *args)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_TASK_CLOCK,
	    .exclude_kernel = 1,
	    .exclude_hv = 1};

	(void)args;
	return (hold_if(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0)));
}

int
attempt_ks_bpf(char *const *args)
{
	union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY,
	    .key_size = 4,
	    .value_size = 4,
	    .max_entries = 1};

	(void)args;
	return (hold_if(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr))));
}

HOLDS(ks_fanotify, syscall(SYS_fanotify_init, FAN_REPORT_FID, 0))

int
attempt_ks_handle(char *const *args)
{
	struct {
		struct file_handle head;
		char bytes[MAX_HANDLE_SZ];
	} handle = {.head.handle_bytes = MAX_HANDLE_SZ};
	int mount;

	(void)args;
	return (errno_of(syscall(SYS_name_to_handle_at, AT_FDCWD, "/tmp",
	    &handle, &mount, 0)));
}

TRIES(ks_keyctl,
    syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1))

/* Ends with the process. */
int
attempt_ks_add_key(char *const *args)
{
	return (errno_of(syscall(SYS_add_key, "user", args[0], "!", 1,
	    KEY_SPEC_PROCESS_KEYRING)));
}

/* ---- pages between files, pipes and itself ---- */

int
attempt_ks_splice(char *const *args)
{
	int ends[2], file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)args;
	if (file == -1 || pipe2(ends, O_CLOEXEC) == -1)
		return (errno);
	return (
	    errno_of(syscall(SYS_splice, file, NULL, ends[1], NULL, PAGE, 0)));
}

int
attempt_ks_vmsplice(char *const *args)
{
	struct iovec page = {.iov_base = pages, .iov_len = PAGE};
	int ends[2];

	(void)args;
	if (pipe2(ends, O_CLOEXEC) == -1)
		return (errno);
	return (errno_of(syscall(SYS_vmsplice, ends[1], &page, 1, 0)));
}

int
attempt_ks_tee(char *const *args)
{
	int from[2], to[2];

	(void)args;
	if (pipe2(from, O_CLOEXEC) == -1 || pipe2(to, O_CLOEXEC) == -1 ||
	    write(from[1], "!", 1) == -1)
		return (errno);
	return (errno_of(syscall(SYS_tee, from[0], to[1], 1, 0)));
}

int
attempt_ks_aio(char *const *args)
{
	unsigned long context = 0;

	(void)args;
	return (errno_of(syscall(SYS_io_setup, 1, &context)));
}

/* ---- memory ---- */

int
attempt_ks_mincore(char *const *args)
{
	unsigned char is_in[1];

	(void)args;
	return (errno_of(syscall(SYS_mincore, pages, PAGE, is_in)));
}

int
attempt_ks_move_pages(char *const *args)
{
	void *list[] = {pages};
	int status[1];

	(void)args;
	return (errno_of(syscall(SYS_move_pages, 0, 1, list, NULL, status, 0)));
}

int
attempt_ks_cachestat(char *const *args)
{
	const long nr = 451;
	uint64_t range[2] = {0, 0}, counts[5];
	int file = memfd_create("pages", MFD_CLOEXEC);

	(void)args;
	if (file == -1)
		return (errno);
	return (errno_of(syscall(nr, file, range, counts, 0)));
}

int
attempt_ks_robust_list(char *const *args)
{
	void *head;
	size_t len;

	(void)args;
	return (errno_of(syscall(SYS_get_robust_list, 0, &head, &len)));
}

HOLDS(ks_memfd_secret, syscall(SYS_memfd_secret, 0))

int
attempt_ks_process_madvise(char *const *args)
{
	struct iovec page = {.iov_base = pages, .iov_len = PAGE};
	long pidfd = syscall(SYS_pidfd_open, getpid(), 0);

	(void)args;
	if (pidfd == -1)
		return (errno);
	return (errno_of(
	    syscall(SYS_process_madvise, pidfd, &page, 1, MADV_WILLNEED, 0)));
}

/* mode, nodes and flags of <linux/mempolicy.h>, which libc does not go with */
#define MODE_DEFAULT 0
#define FLAG_ADDRESS 2

int
attempt_ks_get_mempolicy(char *const *args)
{
	int mode;

	(void)args;
	return (errno_of(
	    syscall(SYS_get_mempolicy, &mode, NULL, 0, pages, FLAG_ADDRESS)));
}

TRIES(ks_set_mempolicy, syscall(SYS_set_mempolicy, MODE_DEFAULT, NULL, 0))
TRIES(ks_mbind, syscall(SYS_mbind, pages, PAGE, MODE_DEFAULT, NULL, 0, 0))

int
attempt_ks_migrate_pages(char *const *args)
{
	unsigned long node0 = 1;

	(void)args;
	return (errno_of(
	    syscall(SYS_migrate_pages, 0, 8 * sizeof(node0), &node0, &node0)));
}

int
attempt_ks_remap_file_pages(char *const *args)
{
	void *shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)args;
	if (shared == MAP_FAILED)
		return (errno);
	return (errno_of(syscall(SYS_remap_file_pages, shared, PAGE, 0, 1, 0)));
}

/* ---- the host ---- */

int
attempt_ks_adjtimex(char *const *args)
{
	struct timex asks = {.modes = 0};

	(void)args;
	return (errno_of(syscall(SYS_adjtimex, &asks)));
}

int
attempt_ks_clock_adjtime(char *const *args)
{
	struct timex asks = {.modes = 0};

	(void)args;
	return (errno_of(syscall(SYS_clock_adjtime, CLOCK_REALTIME, &asks)));
}

TRIES(ks_quotactl, syscall(SYS_quotactl, QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL))

TRIES(ks_syncfs, syncfs(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)))

#define LOG_SIZE 10 /* SYSLOG_ACTION_SIZE_BUFFER */
TRIES(ks_syslog, syscall(SYS_syslog, LOG_SIZE, NULL, 0))

/* The device of /proc. */
int
attempt_ks_ustat(char *const *args)
{
	struct statx st;
	char answer[64];

	(void)args;
	if (statx(AT_FDCWD, "/proc", 0, STATX_BASIC_STATS, &st) == -1)
		return (errno);
	return (errno_of(syscall(SYS_ustat, st.stx_dev_minor, answer)));
}

#define COUNT_TYPES 3
TRIES(ks_sysfs, syscall(SYS_sysfs, COUNT_TYPES))

int
attempt_ks_listmount(char *const *args)
{
	const long nr = 458;
	struct {
		uint32_t size;
		uint32_t spare;
		uint64_t mount;
		uint64_t last;
	} root = {.size = 24, .mount = UINT64_MAX}; /* LSMT_ROOT */
	uint64_t list[64];

	(void)args;
	return (errno_of(syscall(nr, &root, list, 64, 0)));
}

int
attempt_ks_lsm_list(char *const *args)
{
	const long nr = 461;
	uint64_t ids[32];
	uint32_t size = sizeof(ids);

	(void)args;
	return (errno_of(syscall(nr, ids, &size, 0)));
}

TRIES(ks_setfsuid, syscall(SYS_setfsuid, getuid()))

/* What is written to the file afterwards comes out of the pipe. */
int
attempt_ks_sendfile(char *const *args)
{
	int file = open(args[0], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int read_only = open(args[0], O_RDONLY | O_CLOEXEC), fds[2];
	char page[4096] = "before";

	(void)unlink(args[0]);
	if (file == -1 || read_only == -1 || pipe2(fds, O_CLOEXEC) == -1 ||
	    write(file, page, sizeof(page)) == -1 ||
	    sendfile(fds[1], read_only, NULL, sizeof(page)) == -1 ||
	    pwrite(file, "after!", 6, 0) == -1 ||
	    read(fds[0], page, sizeof(page)) == -1)
		return (errno);
	return (memcmp(page, "after!", 6) == 0 ? 0 : EACCES);
}
