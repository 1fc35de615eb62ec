/*
 * landlock.c - the row landlock: the plan's paths once more, by another layer.
 *
 * Each right that the kernel's ABI has is handled, and so refused unless a rule
 * grants it.  TCP is not: the network is the job's own, or was asked for.
 */
#include "kernel_abi.h"
#include "launcher.h"

#define READ LANDLOCK_ACCESS_FS_READ_FILE
#define LIST LANDLOCK_ACCESS_FS_READ_DIR
#define WRITE LANDLOCK_ACCESS_FS_WRITE_FILE
#define EXECUTE LANDLOCK_ACCESS_FS_EXECUTE
#define IOCTL KABI_LANDLOCK_IOCTL_DEV
#define ANYTHING UINT64_MAX /* all that is handled */
/* All that a rule can grant on what is no directory. */
#define FILE_RIGHTS (READ | WRITE | EXECUTE | KABI_LANDLOCK_TRUNCATE | IOCTL)

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

static int
add_rule(int ruleset, const char *path, uint64_t access)
{
	struct stat st;
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int rc = fd == -1 ? -1 : fstat(fd, &st);

	if (rc == 0)
		rc = sys_landlock_add_path(ruleset, fd,
		    access & (S_ISDIR(st.st_mode) ? ANYTHING : FILE_RIGHTS));
	io_close(&fd);
	return (rc);
}

static int
add_rules(int ruleset, const struct plan *p, uint64_t handled)
{
	const struct plan_entry *e = p->entries;
	uint64_t access;
	int rc = 0;

	for (size_t i = 0; i < COUNT(places) && rc == 0; i++)
		rc = add_rule(ruleset, places[i].path,
		    places[i].access & handled);
	for (; e < p->entries + p->entry_count && rc == 0; e++) {
		access = (e->flags & ENTRY_WRITABLE) != 0 ? ANYTHING :
		    e->kind == ENTRY_FILE		  ? READ :
							    READ | LIST | EXECUTE;
		/* The others need none: "/" lists them. */
		if (e->kind != ENTRY_DIR && e->kind != ENTRY_LINK)
			rc = add_rule(ruleset, e->path, access & handled);
	}
	return (rc);
}

/* /proc has no line for Landlock: the proof is a file that can be opened before
 * (0) and not after (EACCES). */
static bool
canary_is(struct launch *l, int err)
{
	int fd = open(LANDLOCK_CANARY, O_RDONLY | O_CLOEXEC);
	int got = fd == -1 ? errno : 0;

	io_close(&fd);
	return (got == err || fault(l, STEP_LANDLOCK_CANARY, got));
}

bool
landlock_apply(struct launch *l)
{
	struct kabi_landlock_ruleset_attr attr = {0};
	int abi = sys_landlock(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	int ruleset;
	bool is_done;

	if (abi == -1)
		return (fault(l, STEP_LANDLOCK_ABI, errno));
	readback_set(l, l->plan->landlock_abi_min, (uint64_t)abi);
	if (abi < l->plan->landlock_abi_min)
		return (fault(l, STEP_LANDLOCK_ABI, EOPNOTSUPP));
	attr.handled_access_fs = KABI_LANDLOCK_FS(abi);
	if (abi >= 6)
		attr.scoped =
		    KABI_LANDLOCK_SCOPE_UNIX | KABI_LANDLOCK_SCOPE_SIGNAL;
	ruleset = sys_landlock(&attr, sizeof(attr), 0);
	/* Unreadable before, the canary would prove nothing after. */
	is_done = must(l, STEP_LANDLOCK_RULESET, ruleset) &&
	    must(l, STEP_LANDLOCK_RULE,
		add_rules(ruleset, l->plan, attr.handled_access_fs)) &&
	    canary_is(l, 0) &&
	    must(l, STEP_LANDLOCK_RESTRICT, sys_landlock_restrict(ruleset));
	io_close(&ruleset);
	return (is_done);
}

bool
landlock_verify(struct launch *l)
{
	return (canary_is(l, EACCES));
}
