/*
 * attack_cgroup.c - probes of the group cgroup: see cgroup.def.
 *
 * What is charged to a cgroup and to no process's limits, and the files of a
 * cgroup itself.  Each has a bound of its own, 128 MiB at most.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

#define MIB (1U << 20)
#define BYTES (128 * MIB)
#define PAIRS_MAX 400
#define CHILDREN_MAX 4

static char chunk[MIB];

static int
touch(void)
{
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return (errno);
	for (size_t i = 0; i < BYTES; i += 4096)
		p[i] = 1;
	return (0);
}

/* Until it takes no more, on both sides; 0 when it took anything. */
static int
fill(int fd)
{
	ssize_t n, sum = 0;

	if (fcntl(fd, F_SETFL, O_NONBLOCK) == -1)
		return (errno);
	while ((n = write(fd, chunk, 4096)) > 0)
		sum += n;
	return (sum > 0 ? 0 : errno);
}

/* count of them, each full. */
static int
fill_pairs(int count, bool are_sockets)
{
	int pair[2], rc = 0;

	for (int i = 0; i < count && rc == 0; i++) {
		rc = errno_of(are_sockets ?
			socketpair(AF_UNIX, SOCK_STREAM, 0, pair) :
			pipe(pair));
		if (rc == 0)
			rc = fill(pair[1]);
		if (rc == 0 && are_sockets)
			rc = fill(pair[0]);
	}
	return (rc);
}

static int
fill_pipes(void)
{
	return (fill_pairs(PAIRS_MAX, false));
}

static int
fill_sockets(void)
{
	return (fill_pairs(PAIRS_MAX / 2, true));
}

/* By this many processes, which hold what they have; the first errno. */
static int
share(int count, int (*work)(void))
{
	pid_t pids[CHILDREN_MAX];
	int said[2], one, rc = 0;

	if (pipe(said) == -1)
		return (errno);
	for (int i = 0; i < count; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			one = work();
			(void)!write(said[1], &one, sizeof(one));
			(void)alarm(60);
			(void)pause();
			_exit(0);
		}
	}
	for (int i = 0; i < count && rc == 0; i++) {
		if (pids[i] == -1 || read(said[0], &rc, sizeof(rc)) == -1)
			rc = errno;
	}
	rc = rc != 0 ? rc : hold();
	for (int i = 0; i < count; i++) {
		if (pids[i] > 0)
			end_child(pids[i]);
	}
	return (rc);
}

int
attempt_cg_memory(char *const *args)
{
	int rc = touch();

	(void)args;
	return (rc != 0 ? rc : hold());
}

int
attempt_cg_memory_pipes(char *const *args)
{
	(void)args;
	return (share(CHILDREN_MAX, fill_pipes));
}

int
attempt_cg_memory_sockets(char *const *args)
{
	(void)args;
	return (share(2, fill_sockets));
}

static int
store(int fd)
{
	int rc = errno_of(fd);

	for (unsigned int i = 0; i < BYTES / MIB && rc == 0; i++)
		rc = errno_of(write(fd, chunk, sizeof(chunk)));
	return (rc);
}

int
attempt_cg_memory_tmpfs(char *const *args)
{
	int rc = store(open(args[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600));

	rc = rc != 0 ? rc : hold();
	(void)unlink(args[0]);
	return (rc);
}

int
attempt_cg_memory_memfd(char *const *args)
{
	int rc = store(memfd_create("m", MFD_CLOEXEC));

	(void)args;
	return (rc != 0 ? rc : hold());
}

/* What nobody has read yet, as far as it can be had: 128 MiB of files. */
int
attempt_cg_memory_cache(char *const *args)
{
	DIR *dir = opendir(args[0]);
	size_t left = BYTES;
	struct dirent *e;
	ssize_t n;
	int fd;

	if (dir == NULL)
		return (errno);
	while (left > 0 && (e = readdir(dir)) != NULL) {
		fd = openat(dirfd(dir), e->d_name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd == -1)
			continue;
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		while (left > 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
			left -= (size_t)n < left ? (size_t)n : left;
		(void)close(fd);
	}
	(void)closedir(dir);
	return (left > 0 ? DONE_NOT_HERE : hold());
}

int
attempt_cg_swap(char *const *args)
{
	return (attempt_cg_memory(args));
}

/* A child is killed for the ceiling: who started it lives on. */
int
attempt_cg_oom_group(char *const *args)
{
	int status;
	pid_t pid = fork();

	(void)args;
	if (pid == 0) {
		(void)touch();
		(void)alarm(60);
		(void)pause();
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		return (errno);
	return (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ?
		hold() :
		DONE_NOT_HERE);
}

/* 0, ESRCH, or why it cannot be told. */
static int
lists_us(int dir)
{
	char line[32];
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *f = fd == -1 ? NULL : fdopen(fd, "r");
	int rc = f == NULL ? errno : ESRCH;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strtol(line, NULL, 10) == getpid())
			rc = 0;
	}
	if (f != NULL)
		(void)fclose(f);
	return (rc);
}

/* Our own cgroup, one of those beneath path; -1 with errno. */
static int
open_ours(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int fd = -1, rc = ESRCH;

	if (dir == NULL)
		return (-1);
	while (rc != 0 && rc != EACCES && (e = readdir(dir)) != NULL) {
		fd = openat(dirfd(dir), e->d_name,
		    O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd == -1)
			continue;
		rc = lists_us(fd);
		if (rc != 0)
			(void)close(fd);
	}
	(void)closedir(dir);
	errno = rc;
	return (rc == 0 ? fd : -1);
}

static int
write_at(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	int rc = errno_of(fd);

	if (rc == 0) {
		rc = errno_of(write(fd, text, strlen(text)));
		(void)close(fd);
	}
	return (rc);
}

/* DIR FILE TEXT: into a file of our own cgroup. */
static int
change(char *const *args)
{
	int dir = open_ours(args[0]);
	int rc = dir == -1 ? errno : write_at(dir, args[1], args[2]);

	return (rc != 0 ? rc : hold());
}

int
attempt_cg_raise_memory(char *const *args)
{
	return (change(args));
}

int
attempt_cg_raise_processes(char *const *args)
{
	return (change(args));
}

int
attempt_cg_leave(char *const *args)
{
	int rc = write_at(AT_FDCWD, args[0], "0");

	return (rc != 0 ? rc : hold());
}
