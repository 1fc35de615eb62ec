/*
 * attack_limits.c - further probes of the group resources: what is counted by
 * limits that are not about memory, files or processes alone.  As bounded as
 * those of attack_resources.c.
 */
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define MIB (1U << 20)

static int
wait_for_ever(void *arg)
{
	(void)arg;
	while (pause() == -1)
		continue;
	return (0);
}

/* By clone(2): pthread_create(3) asks for clone3 first, which is no limit's. */
int
attempt_rs_threads(char *const *args)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
	    CLONE_THREAD | CLONE_SYSVSEM;
	static char stacks[300][4096] __attribute__((aligned(16)));
	int rc = 0;

	(void)args;
	for (int i = 0; i < 300 && rc == 0; i++)
		rc = errno_of(clone(wait_for_ever,
		    stacks[i] + sizeof(stacks[i]), flags, NULL));
	return (rc == 0 ? hold() : rc);
}

/* Ended and not waited for: they count as well. */
static int
make_zombies(int count)
{
	pid_t pid = 1;

	for (int i = 0; i < count && pid > 0; i++) {
		pid = fork();
		if (pid == 0)
			_exit(0);
	}
	return (hold_if(pid));
}

int
attempt_rs_zombies(char *const *args)
{
	(void)args;
	return (make_zombies(300));
}

int
attempt_rs_nproc_nested(char *const *args)
{
	(void)args;
	if (unshare(CLONE_NEWUSER) == -1)
		return (errno);
	return (make_zombies(300));
}

int
attempt_rs_mlock(char *const *args)
{
	static char pages[4 * MIB];

	(void)args;
	return (hold_if(mlock(pages, sizeof(pages))));
}

int
attempt_rs_timers(char *const *args)
{
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	timer_t timer;
	int rc = 0;

	(void)args;
	for (int i = 0; i < 600 && rc == 0; i++)
		rc = errno_of(timer_create(CLOCK_MONOTONIC, &none, &timer));
	return (rc);
}

int
attempt_rs_sigqueue(char *const *args)
{
	sigset_t set;
	int rc = 0;

	(void)args;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGRTMIN);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 600 && rc == 0; i++)
		rc = errno_of(sigqueue(getpid(), SIGRTMIN,
		    (union sigval){.sival_int = i}));
	return (rc == 0 ? hold() : rc);
}

int
attempt_rs_mq(char *const *args)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 64};
	mqd_t queue = mq_open(args[0], O_RDWR | O_CREAT, 0600, &attr);

	if (queue == -1)
		return (errno);
	(void)mq_unlink(args[0]);
	return (0);
}

/* Memory that no process of it maps; removed at once. */
int
attempt_rs_sysv(char *const *args)
{
	int id = shmget(IPC_PRIVATE, 4 * MIB, IPC_CREAT | 0600);

	(void)args;
	if (id == -1)
		return (errno);
	return (errno_of(shmctl(id, IPC_RMID, NULL)));
}

/* Sent to itself and not received. */
int
attempt_rs_fds_inflight(char *const *args)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(64 * sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(64 * sizeof(int)),
			 .cmsg_level = SOL_SOCKET,
			 .cmsg_type = SCM_RIGHTS}};
	struct iovec byte = {(char[]){0}, 1};
	struct msghdr msg = {.msg_iov = &byte,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control.room)};
	int pair[2], rc = 0;

	(void)args;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) == -1)
		return (errno);
	for (size_t i = 0; i < 64; i++)
		memcpy(CMSG_DATA(&control.head) + i * sizeof(int), &pair[0],
		    sizeof(int));
	for (int i = 0; i < 8 && rc == 0; i++)
		rc = errno_of(sendmsg(pair[0], &msg, 0));
	return (rc);
}

/* A hole: it takes no room, and is beyond the limit all the same. */
int
attempt_rs_sparse(char *const *args)
{
	int fd = open(args[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600), rc;

	if (fd == -1)
		return (errno);
	(void)signal(SIGXFSZ, SIG_IGN);
	rc = errno_of(ftruncate(fd, 1LL << 30));
	(void)unlink(args[0]);
	return (rc);
}

/* Blocks beyond the end of a file, which RLIMIT_FSIZE does not see. */
int
attempt_rs_keepsize(char *const *args)
{
	int fd = open(args[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd == -1)
		return (errno);
	return (errno_of(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 8 * MIB)));
}

/* No process for longer than what RLIMIT_CPU leaves it. */
int
attempt_rs_cpu_hop(char *const *args)
{
	(void)args;
	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();

		if (pid == -1)
			return (errno);
		while (pid == 0 && clock() < CLOCKS_PER_SEC / 2)
			continue;
		if (pid == 0)
			_exit(0);
		(void)waitpid(pid, NULL, 0);
	}
	return (0);
}

int
attempt_rs_cpu_xcpu(char *const *args)
{
	(void)args;
	(void)signal(SIGXCPU, SIG_IGN);
	while (clock() < 4 * CLOCKS_PER_SEC)
		continue;
	return (0);
}

static int
raise_limit(int resource, rlim_t value)
{
	struct rlimit more = {value, value};

	return (hold_if(setrlimit((__rlimit_resource_t)resource, &more)));
}

int
attempt_rs_core(char *const *args)
{
	(void)args;
	return (raise_limit(RLIMIT_CORE, MIB));
}

int
attempt_rs_stack(char *const *args)
{
	(void)args;
	return (raise_limit(RLIMIT_STACK, 64 * MIB));
}

int
attempt_rs_pty(char *const *args)
{
	int fd = 0;

	(void)args;
	for (int i = 0; i < 100 && fd != -1; i++)
		fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	return (fd == -1 ? errno : hold());
}

#define WATCHED 450 /* of 1,024 descriptors */

/* Watches until the kernel grants no more, then says so. */
_Noreturn static void
watch(int say)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fds[2], rc = pipe2(fds, O_CLOEXEC), ends[WATCHED], poll;

	for (int i = 0; i < WATCHED && rc != -1; i++)
		rc = ends[i] = dup(fds[0]);
	for (int i = 0; i < WATCHED && rc != -1; i++) {
		rc = poll = epoll_create1(EPOLL_CLOEXEC);
		for (int j = 0; j < WATCHED && rc != -1; j++)
			rc = epoll_ctl(poll, EPOLL_CTL_ADD, ends[j], &event);
	}
	(void)!write(say, "", 1);
	(void)alarm(20);
	(void)pause();
	_exit(0);
}

/* 1,620,000 at most. */
int
attempt_tn_epoll(char *const *args)
{
	pid_t pids[8];
	int said[2], rc = 0;
	char byte;

	(void)args;
	if (pipe2(said, O_CLOEXEC) == -1)
		return (errno);
	for (int i = 0; i < 8; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			watch(said[1]);
		rc = pids[i] == -1 ? errno : rc;
	}
	for (int i = 0; i < 8 && rc == 0; i++)
		rc = read(said[0], &byte, 1) == 1 ? 0 : EIO;
	rc = rc == 0 ? hold() : rc;
	for (int i = 0; i < 8; i++)
		if (pids[i] > 0)
			end_child(pids[i]);
	return (rc);
}
