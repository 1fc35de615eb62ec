/*
 * confine.c: each test confines a child and tries what is taken away, and what
 * must go on.  The same attempts are made unconfined first, so that a refusal
 * means something.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "streams.h"

/* A leak check at the end of a confined process would want clone and ptrace. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return ("detect_leaks=0");
}

/* In a child: a failed one ends it. */
#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			(void)dprintf(2, "%s:%d: %s (errno %d)\n", __FILE__, \
			    __LINE__, #cond, errno); \
			exit(1); \
		} \
	} while (0)

/* In a coverage build its counters are here, and stay within reach. */
static char made_dir[] = "/tmp/agsbx-test-XXXXXX";
static const char *dir;

static void
confine(const char *state_dir)
{
	struct diag d = {.code = DIAG_NONE, .message = ""};
	bool has_landlock = false;

	if (confine_self(state_dir, false, &has_landlock, &d) == -1) {
		(void)dprintf(2, "%s\n", d.message);
		exit(1);
	}
	CHECK(has_landlock);
}

/* Runs fn in a child, which must come to its end. */
static void
in_child(void (*fn)(void))
{
	int status = -1;

	(void)fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(30);
		fn();
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		fail_msg("the child ended with status %#x", status);
}

static bool
has_landlock(void)
{
	if (syscall(SYS_landlock_create_ruleset, NULL, (size_t)0,
		LANDLOCK_CREATE_RULESET_VERSION) > 0)
		return (true);
	print_message("this kernel has no Landlock: %s\n", strerror(errno));
	return (false);
}

/* ---- what is taken away ---- */

static int
try_open(void)
{
	return (open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static int
try_list(void)
{
	return (open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int
try_create(void)
{
	return (open("/tmp", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600));
}

static int
try_socket(void)
{
	return (socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int
try_socketpair(void)
{
	int ends[2];

	return (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
}

static int
try_fork(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return ((int)pid);
}

/* Succeeds by failing with ENOENT when nobody stands in its way. */
static int
try_exec(void)
{
	(void)execve("/nonexistent", (char *[]){NULL}, (char *[]){NULL});
	return (errno == ENOENT ? 0 : -1);
}

static int
try_unshare(void)
{
	return (unshare(CLONE_FILES));
}

static int
try_memfd(void)
{
	return ((int)syscall(SYS_memfd_create, "x", 0));
}

static int
try_chroot(void)
{
	return (chroot("/nonexistent") == -1 && errno == ENOENT ? 0 : -1);
}

static const struct {
	const char *name;
	int (*fn)(void);
	int err;
	bool is_root_only; /* unconfined it succeeds for root alone */
} attempts[] = {
    {"open", try_open, EACCES, false},
    {"list", try_list, EACCES, false},
    {"create", try_create, EACCES, false},
    {"socket", try_socket, EPERM, false},
    {"socketpair", try_socketpair, EPERM, false},
    {"fork", try_fork, EPERM, false},
    {"exec", try_exec, EPERM, false},
    {"unshare", try_unshare, EPERM, false},
    {"memfd", try_memfd, EPERM, false},
    {"chroot", try_chroot, EPERM, true},
};
#define ATTEMPTS (sizeof(attempts) / sizeof(attempts[0]))

static void
child_unconfined(void)
{
	for (size_t i = 0; i < ATTEMPTS; i++) {
		if (attempts[i].is_root_only && geteuid() != 0)
			continue;
		if (attempts[i].fn() == -1) {
			(void)dprintf(2, "%s fails without confinement too\n",
			    attempts[i].name);
			exit(1);
		}
	}
}

static void
child_confined(void)
{
	confine(dir);
	for (size_t i = 0; i < ATTEMPTS; i++) {
		errno = 0;
		int rc = attempts[i].fn();
		if (rc == -1 && errno == attempts[i].err)
			continue;
		(void)dprintf(2, "%s: %d, errno %d\n", attempts[i].name, rc,
		    errno);
		exit(1);
	}
}

static void
test_attempts(void **state)
{
	(void)state;
	if (!has_landlock())
		skip();
	in_child(child_unconfined);
	in_child(child_confined);
}

/* ---- what goes on ---- */

static void
run_sql(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK)
		return;
	(void)dprintf(2, "%s: %s\n", sql, message);
	exit(1);
}

/* Opened before, as run.c does; then a second one, as a new open. */
static void
child_sqlite(void)
{
	sqlite3 *before = NULL, *after = NULL;
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/test.db", dir);
	CHECK(sqlite3_open(path, &before) == SQLITE_OK);
	run_sql(before,
	    "PRAGMA journal_mode=WAL; PRAGMA temp_store=MEMORY;"
	    "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
	confine(dir);
	run_sql(before, "BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT");
	CHECK(sqlite3_open(path, &after) == SQLITE_OK);
	run_sql(after, "INSERT INTO t VALUES (3); SELECT a FROM t ORDER BY a");
	CHECK(sqlite3_close(before) == SQLITE_OK);
	/* The last one: a checkpoint, and WAL and shm are removed. */
	run_sql(after, "INSERT INTO t VALUES (4); VACUUM");
	CHECK(sqlite3_close(after) == SQLITE_OK);
	(void)strlcat(path, "-wal", sizeof(path));
	CHECK(access(path, F_OK) == -1 && errno == ENOENT);
}

static void
test_sqlite(void **state)
{
	char path[256];

	(void)state;
	if (!has_landlock())
		skip();
	in_child(child_sqlite);
	(void)snprintf(path, sizeof(path), "%s/test.db", dir);
	assert_int_equal(unlink(path), 0);
}

/* The launcher is outside of the domain and can still be ended. */
static void
child_kill(void)
{
	int status = -1;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	confine(dir);
	CHECK(kill(pid, SIGTERM) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	CHECK(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
}

static void
test_kill(void **state)
{
	(void)state;
	if (!has_landlock())
		skip();
	in_child(child_kill);
}

/* Both pumps and the feed, opened before, work on. */
static void
child_streams(void)
{
	struct pump_options o = {-1, 1000, false};
	struct job_stream s = {.text = NULL};
	struct pollfd fds[2];
	struct diag d;
	struct pump *out = NULL, *pass = NULL;
	struct feed *in = NULL;
	int from[2], sink[2], socks[2], out_end, pass_end, in_end;
	char got[8];

	CHECK(pipe2(from, O_CLOEXEC) == 0 && pipe2(sink, O_CLOEXEC) == 0);
	CHECK(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) == 0);
	CHECK(pump_open(&out, &o, &out_end, &d) == 0);
	o.sink = sink[1];
	CHECK(pump_open(&pass, &o, &pass_end, &d) == 0);
	CHECK(feed_open(&in, from[0], &in_end, &d) == 0);
	confine(dir);

	CHECK(write(from[1], "line1\nline2\n", 12) == 12);
	unsigned int n = feed_polls(in, fds);
	CHECK(poll(fds, n, 1000) > 0 && feed_step(in, fds, n) == 0);
	CHECK(read(in_end, got, 6) == 6);
	close(in_end);
	CHECK(feed_finish(in) == 0);
	CHECK(read(from[0], got, 6) == 6 && memcmp(got, "line2\n", 6) == 0);

	CHECK(write(out_end, "hello", 5) == 5);
	CHECK(write(pass_end, "hello", 5) == 5);
	n = pump_polls(out, fds);
	CHECK(poll(fds, n, 1000) > 0 && pump_step(out, fds, n) == PUMP_OPEN);
	n = pump_polls(pass, fds);
	CHECK(poll(fds, n, 1000) > 0 && pump_step(pass, fds, n) == PUMP_OPEN);
	CHECK(read(sink[0], got, 6) == 5);
	CHECK(pump_finish(out, &s) == 0 && strcmp(s.text, "hello") == 0);
	CHECK(send(socks[0], "x", 1, 0) == -1); /* sendmsg(2) is what is left */
	CHECK(errno == EPERM);
	free(s.text);
	pump_free(out);
	pump_free(pass);
	feed_free(in);
}

static void
test_streams(void **state)
{
	(void)state;
	if (!has_landlock())
		skip();
	in_child(child_streams);
}

/* ---- without a state directory, and when something is wrong ---- */

static void
child_no_dir(void)
{
	confine(NULL);
	CHECK(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) == -1);
	CHECK(errno == EACCES);
	CHECK(open(made_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) == -1);
	CHECK(errno == EACCES || errno == ENOENT);
}

static void
test_no_dir(void **state)
{
	(void)state;
	if (!has_landlock())
		skip();
	in_child(child_no_dir);
}

static void
assert_confine_fails(const char *state_dir, enum diag_code code,
    const char *words)
{
	struct diag d = {.code = DIAG_NONE, .message = ""};
	bool has = false;

	CHECK(confine_self(state_dir, false, &has, &d) == -1);
	CHECK(d.code == code);
	if (strstr(d.message, words) != NULL)
		return;
	(void)dprintf(2, "\"%s\" does not say \"%s\"\n", d.message, words);
	exit(1);
}

static void
child_missing_dir(void)
{
	assert_confine_fails("/nonexistent", DIAG_INTERNAL,
	    "cannot confine the broker: /nonexistent: No such file");
}

/* The canary can fail: here the rule lets it through. */
static void
child_canary(void)
{
	assert_confine_fails("/proc", DIAG_INTERNAL, "Landlock let");
}

/* Makes one system call answer with err, whatever the broker does. */
static void
break_syscall(int nr, int err)
{
	struct sock_filter insns[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(insns) / sizeof(insns[0]), insns};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
}

/* A system call that "succeeds" and does nothing must be found out. */
static void
child_seccomp_lies(void)
{
	break_syscall(SYS_seccomp, 0);
	assert_confine_fails(NULL, DIAG_INTERNAL, "Seccomp_filters");
}

static void
child_landlock_lies(void)
{
	break_syscall(SYS_landlock_restrict_self, 0);
	assert_confine_fails(NULL, DIAG_INTERNAL, "Landlock let");
}

static void
child_seccomp_fails(void)
{
	break_syscall(SYS_seccomp, EINVAL);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "cannot confine the broker: seccomp: Invalid argument");
}

static void
child_prctl_fails(void)
{
	break_syscall(SYS_prctl, EINVAL);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "no_new_privs: Invalid argument");
}

static void
child_ruleset_fails(void)
{
	break_syscall(SYS_landlock_create_ruleset, EPERM);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "landlock_create_ruleset: Operation not permitted");
}

static void
child_rule_fails(void)
{
	break_syscall(SYS_landlock_add_rule, EINVAL);
	assert_confine_fails("/tmp", DIAG_INTERNAL, "landlock_add_rule");
}

static void
child_restrict_fails(void)
{
	break_syscall(SYS_landlock_restrict_self, E2BIG);
	assert_confine_fails(NULL, DIAG_INTERNAL, "landlock_restrict_self");
}

static void
child_status_fails(void)
{
	break_syscall(SYS_pread64, EIO);
	assert_confine_fails(NULL, DIAG_INTERNAL,
	    "read /proc/self/status: Input/output error");
}

static void
child_open_fails(void)
{
	break_syscall(SYS_openat, EMFILE);
	assert_confine_fails(NULL, DIAG_INTERNAL, "open /proc/self/status");
}

static void
child_no_landlock(void)
{
	break_syscall(SYS_landlock_create_ruleset, ENOSYS);
	assert_confine_fails(NULL, DIAG_REFUSED, "--allow-degraded=landlock");
}

static void
child_landlock_waived(void)
{
	struct diag d;
	bool has = true;

	break_syscall(SYS_landlock_create_ruleset, EOPNOTSUPP);
	CHECK(confine_self(NULL, true, &has, &d) == 0);
	CHECK(!has);
	CHECK(try_socket() == -1 && errno == EPERM);
}

static void
test_failures(void **state)
{
	static void (*const children[])(void) = {child_seccomp_fails,
	    child_prctl_fails, child_ruleset_fails, child_status_fails,
	    child_open_fails, child_no_landlock, child_landlock_waived};

	(void)state;
	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		in_child(children[i]);
}

static void
test_landlock_failures(void **state)
{
	static void (*const children[])(void) = {child_missing_dir,
	    child_canary, child_seccomp_lies, child_landlock_lies,
	    child_rule_fails, child_restrict_fails};

	(void)state;
	if (!has_landlock())
		skip();
	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		in_child(children[i]);
}

static int
make_dir(void **state)
{
	(void)state;
	dir = getenv("GCOV_PREFIX");
	if (dir == NULL)
		dir = mkdtemp(made_dir);
	return (dir == NULL ? -1 : 0);
}

static int
remove_dir(void **state)
{
	(void)state;
	return (dir == made_dir ? rmdir(dir) : 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_attempts),
	    cmocka_unit_test(test_sqlite),
	    cmocka_unit_test(test_kill),
	    cmocka_unit_test(test_streams),
	    cmocka_unit_test(test_no_dir),
	    cmocka_unit_test(test_failures),
	    cmocka_unit_test(test_landlock_failures),
	};

	return (cmocka_run_group_tests(tests, make_dir, remove_dir));
}
