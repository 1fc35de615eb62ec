/*
 * confine.c - the broker takes away from itself what it no longer needs, then
 * reads it back: no_new_privs, Landlock (the state directory, rmdir of cgroup
 * leaves) and its seccomp filter.  Whatever fails here ends the run: there is
 * no weaker broker.  Called once by run.c and doctor.c, after HELLO.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "filters.h"
#include "io.h"
#include "kernel_abi.h"

#ifndef LANDLOCK_ACCESS_NET_BIND_TCP /* ABI 4, 6.7: not in Debian 12 */
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif

#define STATUS_PATH "/proc/self/status"
#define STATUS_SIZE (1U << 20) /* the groups of a process may be many */

/* What SQLite does in its directory.  MAKE_DIR is for coverage builds. */
#define STATE_RIGHTS \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | \
	    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | \
	    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	    KABI_LANDLOCK_TRUNCATE)

static int
fail(struct diag *d, const char *what, int err)
{
	return (diag_set(d, DIAG_INTERNAL, "cannot confine the broker: %s: %s",
	    what, strerror(err)));
}

/* Every right that the running kernel can take away, by its Landlock ABI. */
static struct kabi_landlock_ruleset_attr
ruleset_for(int abi)
{
	struct kabi_landlock_ruleset_attr attr = {
	    .handled_access_fs = KABI_LANDLOCK_FS(abi)};

	if (abi >= 4)
		attr.handled_access_net = LANDLOCK_ACCESS_NET_BIND_TCP |
		    LANDLOCK_ACCESS_NET_CONNECT_TCP;
	/* Never the signal scope: the launcher is outside of this domain. */
	if (abi >= 6)
		attr.scoped = KABI_LANDLOCK_SCOPE_UNIX;
	return (attr);
}

static int
add_rule(int ruleset, int dir, uint64_t rights, struct diag *d)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = rights,
	    .parent_fd = dir};

	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
		&rule, 0U) == -1)
		return (fail(d, "landlock_add_rule", errno));
	return (0);
}

static int
add_state_dir(int ruleset, const char *dir, uint64_t rights, struct diag *d)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return (fail(d, dir, errno));
	int rc = add_rule(ruleset, fd, rights, d);
	io_close(&fd);
	return (rc);
}

static int
restrict_files(int ruleset, const struct confine_paths *paths, uint64_t handled,
    struct diag *d)
{
	if (paths->state_dir != NULL &&
	    add_state_dir(ruleset, paths->state_dir, STATE_RIGHTS & handled,
		d) == -1)
		return (-1);
	if (paths->leaf_parent != -1 &&
	    add_rule(ruleset, paths->leaf_parent, LANDLOCK_ACCESS_FS_REMOVE_DIR,
		d) == -1)
		return (-1);
	if (syscall(SYS_landlock_restrict_self, ruleset, 0U) == -1)
		return (fail(d, "landlock_restrict_self", errno));
	return (0);
}

static int
apply_landlock(const struct confine_paths *paths, bool is_waived,
    bool *has_landlock, struct diag *d)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0,
	    LANDLOCK_CREATE_RULESET_VERSION);

	*has_landlock = abi > 0;
	if (abi <= 0 && errno != ENOSYS && errno != EOPNOTSUPP)
		return (fail(d, "landlock_create_ruleset", errno));
	if (abi <= 0 && is_waived)
		return (0);
	if (abi <= 0)
		return (diag_set(d, DIAG_REFUSED,
		    "landlock cannot be held on this host (%s), for the broker "
		    "neither; accept with --allow-degraded=landlock",
		    strerror(errno)));
	struct kabi_landlock_ruleset_attr attr = ruleset_for((int)abi);
	int ruleset =
	    (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0U);
	if (ruleset == -1)
		return (fail(d, "landlock_create_ruleset", errno));
	int rc = restrict_files(ruleset, paths, attr.handled_access_fs, d);
	io_close(&ruleset);
	return (rc);
}

static int
apply_filter(const struct filter *f, struct diag *d)
{
	if (f->len == 0 || f->len > USHRT_MAX)
		return (fail(d, "seccomp filter", EINVAL));

	struct sock_fprog prog = {.len = (unsigned short)f->len,
	    /* The kernel only reads it. */
	    .filter = (struct sock_filter *)(uintptr_t)f->insns};
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &prog) != 0)
		return (fail(d, "seccomp", errno));
	return (0);
}

struct status {
	uint64_t no_new_privs;
	uint64_t seccomp;
	uint64_t filters;
};

/* All of the open file, from its start: one read may give only a page. */
static int
read_again(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while ((n = pread(fd, text + len, size - 1 - len, (off_t)len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	if (n == 0 && len == size - 1)
		errno = EOVERFLOW;
	return (n == 0 && len < size - 1 ? 0 : -1);
}

static int
read_status(int fd, struct status *s)
{
	char *text = malloc(STATUS_SIZE);

	if (text == NULL)
		return (-1);
	int rc = read_again(fd, text, STATUS_SIZE);
	if (rc == 0)
		rc = io_field_u64(text, "NoNewPrivs", 10, &s->no_new_privs);
	if (rc == 0)
		rc = io_field_u64(text, "Seccomp", 10, &s->seccomp);
	if (rc == 0)
		rc = io_field_u64(text, "Seccomp_filters", 10, &s->filters);
	free(text);
	return (rc);
}

/*
 * The file was opened a moment ago, so only Landlock can refuse it now: the
 * filter lets openat(2) through.
 */
static int
check_canary(struct diag *d)
{
	int fd = open(STATUS_PATH, O_RDONLY | O_CLOEXEC);

	if (fd == -1 && errno == EACCES)
		return (0);
	int err = fd == -1 ? errno : 0;
	io_close(&fd);
	return (fail(d, "Landlock let " STATUS_PATH " be opened", err));
}

static int
check(int status_fd, const struct status *before, bool has_landlock,
    struct diag *d)
{
	struct status now = {.seccomp = 0};

	if (read_status(status_fd, &now) != 0)
		return (fail(d, "read " STATUS_PATH, errno));
	if (now.no_new_privs != 1)
		return (fail(d, "NoNewPrivs is not 1", 0));
	if (now.seccomp != SECCOMP_MODE_FILTER)
		return (fail(d, "Seccomp is not 2", 0));
	if (now.filters != before->filters + 1)
		return (fail(d, "Seccomp_filters has not grown by one", 0));
	return (has_landlock ? check_canary(d) : 0);
}

static int
confine_with(int status_fd, const struct confine_paths *paths,
    bool is_landlock_waived, bool *has_landlock, struct diag *d)
{
	struct status before = {.seccomp = 0};

	if (read_status(status_fd, &before) != 0)
		return (fail(d, "read " STATUS_PATH, errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return (fail(d, "no_new_privs", errno));
	if (apply_landlock(paths, is_landlock_waived, has_landlock, d) == -1)
		return (-1);
	if (apply_filter(&filter_broker, d) == -1)
		return (-1);
	return (check(status_fd, &before, *has_landlock, d));
}

int
confine_self(const struct confine_paths *paths, bool is_landlock_waived,
    bool *has_landlock, struct diag *d)
{
	int status_fd = open(STATUS_PATH, O_RDONLY | O_CLOEXEC);

	*has_landlock = false;
	if (status_fd == -1)
		return (fail(d, "open " STATUS_PATH, errno));
	int rc =
	    confine_with(status_fd, paths, is_landlock_waived, has_landlock, d);
	io_close(&status_fd);
	return (rc);
}
