/*
 * landlock.c - the row landlock: the plan's paths once more, by another layer.
 *
 * Mounts decide what exists; Landlock decides what may be done with it, also
 * if a mount went wrong.  Each right that the kernel's ABI has is handled, and
 * so refused unless a rule grants it.  TCP is not handled: the network is the
 * job's own, or the host's was asked for.  Applied and verified by the job.
 */
#include "kernel_abi.h"
#include "launcher.h"

#define READ LANDLOCK_ACCESS_FS_READ_FILE
#define LIST LANDLOCK_ACCESS_FS_READ_DIR
#define WRITE LANDLOCK_ACCESS_FS_WRITE_FILE
#define EXECUTE LANDLOCK_ACCESS_FS_EXECUTE
#define TRUNCATE LANDLOCK_ACCESS_FS_TRUNCATE
#define IOCTL LANDLOCK_ACCESS_FS_IOCTL_DEV
#define ANYTHING UINT64_MAX /* all that is handled */
/* All that a rule can grant on what is no directory. */
#define FILE_RIGHTS (READ | WRITE | EXECUTE | TRUNCATE | IOCTL)

/* A rule holds for all that lies beneath, so that "/" grants names only; and
 * /proc is never writable: /proc/self/mem would overwrite read-only text. */
static const struct {
	const char *path;
	uint64_t access;
} places[] = {
    {"/", LIST},
    {"/proc", READ | LIST},
    {"/dev", READ | WRITE | LIST},
    {"/dev/pts", READ | WRITE | LIST | IOCTL},
    {"/dev/shm", ANYTHING},
    {"/tmp", ANYTHING},
    {PLAN_WORKDIR, ANYTHING},
};

static const uint64_t entry_access[ENTRY__MAX] = {
    [ENTRY_FILE] = READ,
    [ENTRY_BIND] = READ | LIST | EXECUTE,
    [ENTRY_PROGRAM] = READ | EXECUTE,
}; /* directories and links need none: "/" lists them */

static int
add_rules(int ruleset, const struct plan *p, uint64_t handled)
{
	const struct plan_entry *e = p->entries;
	const char *path;
	uint64_t access;
	struct stat st;
	int fd, rc = 0;

	for (size_t i = 0; i < COUNT(places) + p->entry_count && rc == 0; i++) {
		if (i < COUNT(places)) {
			path = places[i].path;
			access = places[i].access;
		} else {
			path = e->path;
			access = (e->flags & ENTRY_WRITABLE) != 0 ?
			    ANYTHING :
			    entry_access[e->kind];
			e++;
		}
		if (access == 0)
			continue;
		fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if ((rc = fd == -1 ? -1 : fstat(fd, &st)) == 0)
			rc = sys_landlock_add_path(ruleset, fd,
			    access & handled &
				(S_ISDIR(st.st_mode) ? ANYTHING : FILE_RIGHTS));
		io_close(&fd);
	}
	return (rc);
}

/* /proc has no line for Landlock, so the proof is a file that anybody can read
 * before and nobody after.  0, or the open's errno. */
static int
canary_errno(void)
{
	int fd = open(LANDLOCK_CANARY, O_RDONLY | O_CLOEXEC);

	errno = fd == -1 ? errno : 0;
	io_close(&fd);
	return (errno);
}

int
landlock_apply(struct launch *l)
{
	struct kabi_landlock_ruleset_attr attr = {0};
	int abi, ruleset, err, rc = -1;

	if ((abi = sys_landlock_abi()) == -1)
		return (host_fault(l, STEP_LANDLOCK_ABI));
	readback_set(l, l->plan->landlock_abi_min, (uint64_t)abi);
	if (abi < l->plan->landlock_abi_min)
		return (fault_at(l, STEP_LANDLOCK_ABI, EOPNOTSUPP, FAULT_HOST));
	attr.handled_access_fs = abi >= 5 ? KABI_LANDLOCK_FS_ABI5 :
	    abi >= 3			  ? KABI_LANDLOCK_FS_ABI3 :
					    KABI_LANDLOCK_FS_ABI2;
	if (abi >= 6)
		attr.scoped =
		    LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
	ruleset = sys_landlock_create(&attr, sizeof(attr));
	if (ruleset == -1)
		return (host_fault(l, STEP_LANDLOCK_RULESET));
	/* Unreadable before, the canary would prove nothing after. */
	if (add_rules(ruleset, l->plan, attr.handled_access_fs) == -1)
		(void)host_fault(l, STEP_LANDLOCK_RULE);
	else if ((err = canary_errno()) != 0)
		(void)fault_at(l, STEP_LANDLOCK_CANARY, err, FAULT_OURS);
	else if ((rc = sys_landlock_restrict(ruleset)) == -1)
		(void)host_fault(l, STEP_LANDLOCK_RESTRICT);
	io_close(&ruleset);
	return (rc);
}

int
landlock_verify(struct launch *l)
{
	int err = canary_errno();

	return (err == EACCES ?
		0 :
		fault_at(l, STEP_LANDLOCK_CANARY, err, FAULT_HOST));
}
