/*
 * attack_resources.c - probes of the group resources: see resources.def.
 * Each has a bound of its own, far below what would harm a host.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define MIB (1U << 20)

int
attempt_rs_fds(char *const *args)
{
	struct rlimit rl;
	int fd = 0;

	(void)args;
	/* As far as it may: naked the soft limit is low, the hard one is not */
	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		return (errno);
	rl.rlim_cur = rl.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &rl);
	while (fd != -1 && fd < 10010)
		fd = dup(STDOUT_FILENO);
	return (fd == -1 ? errno : hold());
}

int
attempt_rs_memory(char *const *args)
{
	char *p = mmap(NULL, 512 * MIB, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)args;
	if (p == MAP_FAILED)
		return (errno);
	for (size_t i = 0; i < 512 * MIB; i += 4096)
		p[i] = 1;
	return (hold());
}

/* Each far below what a process may have, and all at once. */
int
attempt_rs_memory_many(char *const *args)
{
	const size_t processes = 6, bytes = 40 * MIB;
	int done[2], count = 0, rc = 0;
	pid_t pids[6];
	char byte;

	(void)args;
	if (pipe2(done, O_CLOEXEC) == -1)
		return (errno);
	for (size_t i = 0; i < processes; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			for (size_t at = 0; p != MAP_FAILED && at < bytes;
			     at += 4096)
				p[at] = 1;
			byte = p == MAP_FAILED ? (char)errno : 0;
			(void)!write(done[1], &byte, 1);
			(void)alarm(20);
			(void)pause();
			_exit(0);
		}
		rc = pids[i] == -1 ? errno : rc;
	}
	(void)close(done[1]);
	for (; count < (int)processes && rc == 0; count++)
		rc = read(done[0], &byte, 1) == 1 ? byte : EIO;
	rc = rc == 0 ? hold() : rc;
	for (size_t i = 0; i < processes; i++)
		if (pids[i] > 0)
			end_child(pids[i]);
	return (rc);
}

int
attempt_rs_fork_bomb(char *const *args)
{
	int rc = 0, count = 0;
	pid_t pid = 1;

	(void)args;
	(void)setpgid(0, 0);
	for (; count < 1000 && pid > 0; count++)
		pid = fork();
	if (pid == 0) { /* no longer than the runner looks */
		(void)alarm(20);
		(void)pause();
		_exit(0);
	}
	rc = pid == -1 ? errno : hold();
	(void)signal(SIGTERM, SIG_IGN);
	(void)kill(0, SIGTERM);
	return (rc);
}

/* count files of 1 MiB chunks each. */
static int
store(const char *path, int files, int chunks)
{
	static char chunk[MIB];
	char name[128];
	int rc = 0, fd;

	(void)signal(SIGXFSZ, SIG_IGN);
	memset(chunk, 'x', sizeof(chunk));
	for (int i = 0; i < files && rc == 0; i++) {
		(void)snprintf(name, sizeof(name), "%s-%d", path, i);
		fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		rc = errno_of(fd);
		for (int j = 0; j < chunks && rc == 0; j++)
			rc = errno_of(write(fd, chunk, sizeof(chunk)));
		(void)close(fd);
	}
	rc = rc != 0 ? rc : hold();
	for (int i = 0; i < files; i++) {
		(void)snprintf(name, sizeof(name), "%s-%d", path, i);
		(void)unlink(name);
	}
	return (rc);
}

int
attempt_rs_file_size(char *const *args)
{
	return (store(args[0], 1, 65));
}

int
attempt_rs_scratch(char *const *args)
{
	return (store(args[0], 17, 1));
}

int
attempt_rs_stdout_flood(char *const *args)
{
	static char chunk[64 * 1024];

	(void)args;
	memset(chunk, 'x', sizeof(chunk));
	for (int i = 0; i < 160; i++) {
		if (write(STDOUT_FILENO, chunk, sizeof(chunk)) == -1)
			return (errno);
	}
	return (0);
}

int
attempt_rs_cpu_spin(char *const *args)
{
	(void)args;
	while (clock() < 4 * CLOCKS_PER_SEC)
		continue;
	return (0);
}

int
attempt_rs_sleep(char *const *args)
{
	(void)args;
	for (;;)
		(void)pause();
}

int
attempt_rs_raise_limits(char *const *args)
{
	struct rlimit more = {4096, 4096};

	(void)args;
	return (setrlimit(RLIMIT_NOFILE, &more) == -1 ? errno : hold());
}

int
attempt_rs_cpu_share(char *const *args)
{
	struct timespec start, now;

	(void)args;
	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	do
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec - start.tv_sec < 3);
	return (0);
}
