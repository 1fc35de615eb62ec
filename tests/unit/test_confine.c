/*
 * confine.c: what is taken away, and what must go on.  The attempts are made
 * unconfined first, so that a refusal means something.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>

#include "confine_fixture.h"
#include "streams.h"

/* In a coverage build its counters are here, and stay within reach. */
static char made_dir[] = "/tmp/agsbx-test-XXXXXX";
static const char *dir;

static void
confine(const char *state_dir)
{
	struct diag d = {.code = DIAG_NONE, .message = ""};
	bool has_landlock = false;

	if (confine_self(&(struct confine_paths){state_dir, -1}, false,
		&has_landlock, &d) == -1) {
		(void)dprintf(2, "%s\n", d.message);
		exit(1);
	}
	CHECK(has_landlock);
}

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
	struct pump_options o = {-1, 1000, false, -1};
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
	};

	return (cmocka_run_group_tests(tests, make_dir, remove_dir));
}
