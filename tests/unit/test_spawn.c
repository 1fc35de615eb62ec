/*
 * Which launcher is accepted, and what a launcher finds when it starts: a
 * socket, /dev/null and nothing else.  The launcher is a script's stand-in: a
 * copy of this program, which then reports what it sees.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "spawn.h"

static char dir[64];

static void
launcher_path(char *path, size_t size)
{
	(void)snprintf(path, size, "%s/agsbx-launcher", dir);
}

static int
set_up(void **state)
{
	(void)state;
	(void)strlcpy(dir, "/tmp/agsbx-spawn.XXXXXX", sizeof(dir));
	return (mkdtemp(dir) != NULL ? 0 : -1);
}

static int
tear_down(void **state)
{
	char path[128];

	(void)state;
	launcher_path(path, sizeof(path));
	(void)unlink(path);
	(void)rmdir(path);
	return (rmdir(dir));
}

static void
make_file(mode_t mode)
{
	char path[128];
	int fd;

	launcher_path(path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	io_close(&fd);
}

static void
want_refused(uid_t owner_ok, const char *why)
{
	struct diag d = {0};

	assert_int_equal(launcher_open_in(dir, owner_ok, &d), -1);
	assert_int_equal(d.code, DIAG_INTERNAL);
	if (strstr(d.message, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", d.message, why);
}

static void
test_accepted(void **state)
{
	struct diag d = {0};
	int fd;

	(void)state;
	make_file(0755);
	fd = launcher_open_in(dir, getuid(), &d);
	assert_true(fd >= 0);
	assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	io_close(&fd);
}

static void
test_none(void **state)
{
	struct diag d = {0};

	(void)state;
	assert_int_equal(launcher_open_in(dir, getuid(), &d), -1);
	assert_int_equal(d.code, DIAG_NONE);
	assert_int_equal(launcher_open_in("/dev/null", getuid(), &d), -1);
	assert_int_equal(d.code, DIAG_NONE);
}

static void
test_modes(void **state)
{
	(void)state;
	make_file(0775);
	want_refused(getuid(), "is writable by its group");
	make_file(0757);
	want_refused(getuid(), "is writable by its group or by others");
	make_file(04755);
	want_refused(getuid(), "setuid");
}

static void
test_owner(void **state)
{
	char path[128];

	(void)state;
	make_file(0755);
	if (getuid() == 0) {
		launcher_path(path, sizeof(path));
		assert_int_equal(chown(path, 12345, 12345), 0);
	}
	want_refused(54321, "belongs neither to root");
}

static void
test_kinds(void **state)
{
	char path[128];

	(void)state;
	launcher_path(path, sizeof(path));
	assert_int_equal(mkdir(path, 0755), 0);
	want_refused(getuid(), "is not a regular file");
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/bin/true", path), 0);
	want_refused(getuid(), "is not a regular file");
}

/* ---- the launcher's side ---- */

struct seen {
	int argc;
	int envc;
	int open_fds; /* besides 0 to 3 */
	bool is_null[3];
	bool is_leader;
	bool has_blocked_signals;
};

static bool
is_dev_null(int fd)
{
	struct stat st, null;

	return (fstat(fd, &st) == 0 && stat("/dev/null", &null) == 0 &&
	    st.st_rdev == null.st_rdev && S_ISCHR(st.st_mode));
}

static int
be_launcher(int argc, char **envp)
{
	struct seen seen = {.argc = argc};
	sigset_t mask;

	while (envp[seen.envc] != NULL)
		seen.envc++;
	for (int fd = SPAWN_SOCKET_FD + 1; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			seen.open_fds++;
	for (int fd = 0; fd < 3; fd++)
		seen.is_null[fd] = is_dev_null(fd);
	seen.is_leader = getsid(0) == getpid();
	seen.has_blocked_signals = sigprocmask(SIG_BLOCK, NULL, &mask) == -1 ||
	    sigismember(&mask, SIGTERM) != 0;
	return (send(SPAWN_SOCKET_FD, &seen, sizeof(seen), 0) ==
		    (ssize_t)sizeof(seen) ?
		0 :
		1);
}

static void
test_what_it_finds(void **state)
{
	int exe = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	int stray = open("/", O_RDONLY | O_DIRECTORY); /* inheritable */
	struct spawned s;
	struct diag d = {0};
	struct seen seen;
	sigset_t term;

	(void)state;
	assert_true(exe >= 0 && stray >= 0);
	assert_int_equal(sigemptyset(&term) | sigaddset(&term, SIGTERM), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &term, NULL), 0);
	assert_int_equal(spawn_launcher(exe, &s, &d), 0);
	assert_int_equal(recv(s.sock, &seen, sizeof(seen), 0), sizeof(seen));
	assert_int_equal(spawn_failure(&s), 0); /* it was executed */
	assert_int_equal(waitpid(s.pid, NULL, 0), s.pid);
	assert_false(s.has_other_children);
	assert_int_equal(seen.argc, 1);
	assert_int_equal(seen.envc, 0);
	assert_int_equal(seen.open_fds, 0);
	assert_true(seen.is_null[0] && seen.is_null[1] && seen.is_null[2]);
	assert_true(seen.is_leader);
	assert_false(seen.has_blocked_signals);
	io_close(&s.sock);
	io_close(&s.pidfd);
	io_close(&exe);
	io_close(&stray);
}

static void
test_cannot_be_executed(void **state)
{
	int fd = open("/dev/null", O_PATH | O_CLOEXEC);
	struct spawned s;
	struct diag d = {0};
	char byte;
	int status;

	(void)state;
	assert_int_equal(spawn_launcher(fd, &s, &d), 0);
	assert_int_equal(recv(s.sock, &byte, 1, 0), 0); /* closed, no HELLO */
	assert_int_equal(spawn_failure(&s), EACCES);
	assert_int_equal(waitpid(s.pid, &status, 0), s.pid);
	assert_int_equal(spawn_failure(&s), 0); /* reaped: nothing is known */
	io_close(&s.sock);
	io_close(&s.pidfd);
	io_close(&fd);
}

static void
test_other_children(void **state)
{
	pid_t other = fork();
	int fd = open("/dev/null", O_PATH | O_CLOEXEC);
	struct spawned s;
	struct diag d = {0};

	(void)state;
	if (other == 0) {
		(void)pause();
		_exit(0);
	}
	assert_true(other > 0);
	assert_int_equal(spawn_launcher(fd, &s, &d), 0);
	assert_true(s.has_other_children);
	assert_int_equal(waitpid(s.pid, NULL, 0), s.pid);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
	io_close(&s.sock);
	io_close(&s.pidfd);
	io_close(&fd);
}

int
main(int argc, char **argv, char **envp)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_accepted, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_none, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_modes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_owner, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
	    cmocka_unit_test(test_what_it_finds),
	    cmocka_unit_test(test_cannot_be_executed),
	    cmocka_unit_test(test_other_children),
	};

	if (argc == 1 && strcmp(argv[0], "agsbx-launcher") == 0)
		return (be_launcher(argc, envp));
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
