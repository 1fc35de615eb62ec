/*
 * Finds, judges and starts the launcher, and finds agsbx-attack.  Called by
 * session.c, launch.c and attack.c, before the broker is confined.
 */
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "libexecdir.h" /* generated: AGSBX_LIBEXECDIR */
#include "spawn.h"

#define LAUNCHER_NAME "agsbx-launcher"
#define ATTACK_NAME "agsbx-attack"
#define EXE_PATH_MAX 2048
/* Above every descriptor that the child moves to 0..3. */
#define CHILD_FD_MIN 16
/* No launcher ends with more than that by itself. */
#define FAILED_STATUS 128
#define FAILURE_WAIT_MS 1000 /* from the closed socket to the exit status */
#define CHILD_STACK 65536

/* What the child is given. */
struct child {
	int launcher_fd;
	int sock;
	int null;
};

static const char *
judge_program(const struct stat *st, uid_t owner_ok)
{
	if (!S_ISREG(st->st_mode))
		return ("is not a regular file");
	if (st->st_uid != 0 && st->st_uid != owner_ok)
		return ("belongs neither to root nor to the owner of agsbx");
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return ("is writable by its group or by others");
	if ((st->st_mode & (S_ISUID | S_ISGID)) != 0)
		return ("is setuid or setgid");
	return (NULL);
}

static int
open_in(const char *dir, const char *name, int flags, uid_t owner_ok,
    struct diag *d)
{
	char path[EXE_PATH_MAX];
	const char *why;
	struct stat st;
	int fd;

	if (strlcpy(path, dir, sizeof(path)) >= sizeof(path) ||
	    strlcat(path, "/", sizeof(path)) >= sizeof(path) ||
	    strlcat(path, name, sizeof(path)) >= sizeof(path))
		return (diag_set(d, DIAG_INTERNAL, "path too long: %s", dir));
	fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1) {
		if (errno == ENOENT || errno == ENOTDIR)
			return (-1);
		return (diag_set(d, DIAG_INTERNAL, "cannot open %s: %s", path,
		    strerror(errno)));
	}
	why = fstat(fd, &st) == -1 ? strerror(errno) :
				     judge_program(&st, owner_ok);
	if (why == NULL)
		return (fd);
	io_close(&fd);
	return (diag_set(d, DIAG_INTERNAL, "%s %s", path, why));
}

int
launcher_open_in(const char *dir, uid_t owner_ok, struct diag *d)
{
	return (open_in(dir, LAUNCHER_NAME, O_PATH, owner_ok, d));
}

int
own_directory(char *dir, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", dir, size);
	char *slash;

	if (n == -1)
		return (-1);
	errno = ENAMETOOLONG;
	if (n == 0 || (size_t)n >= size)
		return (-1);
	dir[n] = '\0';
	slash = strrchr(dir, '/');
	if (slash == NULL)
		return (-1);
	*slash = '\0';
	return (0);
}

const char *
libexec_directory(void)
{
	return (AGSBX_LIBEXECDIR);
}

static int
open_ours(const char *name, int flags, struct diag *d)
{
	char dir[EXE_PATH_MAX];
	struct stat self;
	int fd;

	if (stat("/proc/self/exe", &self) == -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot find agsbx itself: /proc/self/exe: %s",
		    strerror(errno)));
	if (own_directory(dir, sizeof(dir)) == 0) {
		fd = open_in(dir, name, flags, self.st_uid, d);
		if (fd != -1 || d->code != DIAG_NONE)
			return (fd);
	}
	fd = open_in(AGSBX_LIBEXECDIR, name, flags, self.st_uid, d);
	if (fd == -1 && d->code == DIAG_NONE)
		return (diag_set(d, DIAG_INTERNAL,
		    "no %s beside agsbx or in " AGSBX_LIBEXECDIR, name));
	return (fd);
}

int
launcher_open(struct diag *d)
{
	return (open_ours(LAUNCHER_NAME, O_PATH, d));
}

int
attack_open(struct diag *d)
{
	return (open_ours(ATTACK_NAME, O_RDONLY | O_NONBLOCK, d));
}

/* The child's only word to spawn_failure(): its exit status. */
static _Noreturn void
give_up(void)
{
	_exit(errno > 0 && errno < 127 ? FAILED_STATUS + errno : 127);
}

/* In our memory, until it executes: only what is safe there, and nothing that
 * we read.  Where it cannot, the socket closes before HELLO. */
static int
exec_launcher(void *arg)
{
	static char name[] = LAUNCHER_NAME;
	const struct child *c = arg;
	char *const argv[] = {name, NULL};
	char *const envp[] = {NULL};
	int launcher_fd, sock, null;
	sigset_t none;

	launcher_fd = fcntl(c->launcher_fd, F_DUPFD_CLOEXEC, CHILD_FD_MIN);
	sock = fcntl(c->sock, F_DUPFD_CLOEXEC, CHILD_FD_MIN);
	null = fcntl(c->null, F_DUPFD_CLOEXEC, CHILD_FD_MIN);
	if (launcher_fd == -1 || sock == -1 || null == -1 ||
	    dup2(null, STDIN_FILENO) == -1 || dup2(null, STDOUT_FILENO) == -1 ||
	    dup2(null, STDERR_FILENO) == -1 ||
	    dup2(sock, SPAWN_SOCKET_FD) == -1)
		give_up();
	/* All but the launcher's own, which exec closes: CLOSE_RANGE_CLOEXEC
	 * came with 5.11, and older kernels are to be told what they lack. */
	if (close_range(SPAWN_SOCKET_FD + 1, (unsigned int)launcher_fd - 1,
		0) == -1 ||
	    close_range((unsigned int)launcher_fd + 1, ~0U, 0) == -1)
		give_up();
	if (signal(SIGPIPE, SIG_DFL) == SIG_ERR ||
	    signal(SIGXFSZ, SIG_DFL) == SIG_ERR || sigemptyset(&none) == -1 ||
	    sigprocmask(SIG_SETMASK, &none, NULL) == -1 || setsid() == -1)
		give_up();
	(void)execveat(launcher_fd, "", argv, envp, AT_EMPTY_PATH);
	give_up();
}

static bool
have_children(void)
{
	siginfo_t info;

	return (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0);
}

/* As vfork(2): nothing of our memory is copied, and we wait until the child has
 * executed.  Its handlers of signals are its own; we have none. */
static int
clone_launcher(int launcher_fd, struct spawned *out, int theirs)
{
	static _Alignas(16) char stack[CHILD_STACK];
	struct child c = {.launcher_fd = launcher_fd,
	    .sock = theirs,
	    .null = open("/dev/null", O_RDWR | O_CLOEXEC)};

	if (c.null == -1)
		return (-1);
	out->pid = clone(exec_launcher, stack + sizeof(stack),
	    CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &c, &out->pidfd);
	io_close(&c.null);
	return (out->pid == -1 ? -1 : 0);
}

int
spawn_launcher(int launcher_fd, struct spawned *out, struct diag *d)
{
	int pair[2] = {-1, -1};

	*out = (struct spawned){.pid = -1, .pidfd = -1, .sock = -1};
	out->has_other_children = have_children();
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot become a child subreaper: %s", strerror(errno)));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot make a socketpair: %s", strerror(errno)));
	out->sock = pair[0];
	if (clone_launcher(launcher_fd, out, pair[1]) == -1) {
		(void)diag_set(d, DIAG_INTERNAL,
		    "cannot start " LAUNCHER_NAME ": %s", strerror(errno));
		io_close(&pair[1]);
		io_close(&out->sock);
		return (-1);
	}
	io_close(&pair[1]);
	return (0);
}

int
spawn_failure(const struct spawned *s)
{
	struct pollfd end = {.fd = s->pidfd, .events = POLLIN};
	siginfo_t info = {.si_pid = 0};

	/* It may have closed its socket and live on: it is not waited for. */
	if (poll(&end, 1, FAILURE_WAIT_MS) != 1 ||
	    waitid(P_PIDFD, (id_t)s->pidfd, &info,
		WEXITED | WNOHANG | WNOWAIT) == -1 ||
	    info.si_pid == 0 || info.si_code != CLD_EXITED ||
	    info.si_status <= FAILED_STATUS)
		return (0);
	return (info.si_status - FAILED_STATUS);
}
