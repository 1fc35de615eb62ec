/*
 * init.c - pid 1 of the job's namespaces.
 *
 * Builds what is built as root of the first user namespace, forks the job,
 * gives up every privilege, then reaps, keeps the clocks and ends everything.
 * It never executes another program.  It must not wait for anybody: launcher
 * and broker may be stopped, the job is hostile.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"
#include "sys.h"
#include "wire.h"

#define TICK_MS 100 /* how often the CPU ceiling is looked at */
#define NEVER UINT64_MAX

enum init_fd {
	INIT_CHILD, /* SIGCHLD */
	INIT_LAUNCHER,
	INIT_TIMER,
	INIT__MAX
};

struct init {
	struct launch *l;
	int signal_fd;
	uint64_t started_us; /* NEVER: not armed */
	uint64_t kill_at_us; /* NEVER: no grace is running */
	uint64_t ticked_us;  /* when the clocks were last looked at */
	bool is_over;
	struct msg_exited exited;
};

static uint64_t
now_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000);
}

/* ESRCH: nobody is left; the job cannot become a user that init may not
 * signal, so there is no other error. */
static void
signal_all(int sig)
{
	(void)kill(-1, sig);
}

static void
end_by(struct init *in, uint32_t flag)
{
	in->exited.flags |= flag;
	signal_all(SIGKILL);
}

/* Orphans come here too: only the exact pid is the job's end. */
static void
reap(struct init *in)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (pid != in->l->job_pid)
			continue;
		in->exited.wait_status = status;
		in->is_over = true;
	}
}

static void
child_heard(struct init *in)
{
	struct signalfd_siginfo info;

	/* Only empties it: many SIGCHLD may have become one. */
	(void)!read(in->signal_fd, &info, sizeof(info));
}

static void
kill_order(struct init *in, uint32_t grace_ms)
{
	if (grace_ms == 0) {
		end_by(in, EXITED_BY_KILL);
		return;
	}
	in->exited.flags |= EXITED_BY_KILL;
	in->kill_at_us = now_us() + (uint64_t)grace_ms * 1000;
	signal_all(SIGTERM);
	signal_all(SIGCONT); /* the stopped must be able to act on it */
}

static void
launcher_heard(struct init *in)
{
	struct wire w;
	int fd, r;

	r = wire_recv(in->l->init_sock, &w, &fd);
	io_close(&fd);
	if (r == -1 && errno == EAGAIN)
		return;
	/* Its end kills the namespace; so does a deadline that is not set. */
	if (r != 1)
		_exit(1);
	if (w.word == WIRE_KILL) {
		kill_order(in, w.grace_ms);
		return;
	}
	if (w.word != WIRE_ARM || wall_arm(in->l) == -1)
		_exit(1);
	in->started_us = now_us();
	if (wire_send(in->l->init_sock, &(struct wire){.word = WIRE_ARMED},
		-1) == -1)
		_exit(1);
}

static void
timer_heard(struct init *in)
{
	end_by(in, EXITED_BY_DEADLINE);
	io_close(&in->l->timer_fd);
}

static void (*const handlers[INIT__MAX])(struct init *) = {
    [INIT_CHILD] = child_heard,
    [INIT_LAUNCHER] = launcher_heard,
    [INIT_TIMER] = timer_heard,
};

/*
 * Read twice: a child whose parent reaped it between two reads is counted in
 * both.  A clock that cannot be read any more ends the job.
 */
static bool
is_above_cpu(const struct launch *l)
{
	uint64_t ms;

	for (int i = 0; i < 2; i++) {
		if (cpu_used_ms(l, &ms) == 0 && ms <= l->plan->cpu_ms)
			return (false);
	}
	return (true);
}

/* Not at each wake: a job that forks fast would make init read fast. */
static void
clocks_check(struct init *in)
{
	uint64_t now = now_us();

	if (now - in->ticked_us < TICK_MS * 1000)
		return;
	in->ticked_us = now;
	if (now >= in->kill_at_us) {
		in->kill_at_us = NEVER;
		signal_all(SIGKILL);
	}
	if (in->started_us != NEVER && is_above_cpu(in->l))
		end_by(in, EXITED_BY_CPU);
}

static void
init_step(struct init *in)
{
	struct pollfd fds[INIT__MAX] = {[INIT_CHILD] = {.fd = in->signal_fd,
					    .events = POLLIN},
	    [INIT_LAUNCHER] = {.fd = in->l->init_sock, .events = POLLIN},
	    [INIT_TIMER] = {.fd = in->l->timer_fd, .events = POLLIN}};
	bool is_ticking = in->started_us != NEVER || in->kill_at_us != NEVER;
	int n = poll(fds, INIT__MAX, is_ticking ? TICK_MS : -1);

	if (n == -1 && errno != EINTR)
		_exit(1);
	for (int i = 0; n > 0 && i < INIT__MAX; i++) {
		if (fds[i].revents != 0)
			handlers[i](in);
	}
	reap(in);
	if (!in->is_over)
		clocks_check(in);
}

static uint64_t
timeval_us(struct timeval tv)
{
	return ((uint64_t)tv.tv_sec * 1000000 + (uint64_t)tv.tv_usec);
}

/* Nobody is left alive when the status is sent, and all are counted. */
static _Noreturn void
init_finish(struct init *in)
{
	struct wire w = {.word = WIRE_STATUS};
	uint64_t ended_us = now_us();
	struct rusage used;

	signal_all(SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		continue;
	if (getrusage(RUSAGE_CHILDREN, &used) == -1)
		_exit(1);
	w.status = in->exited;
	w.status.user_us = timeval_us(used.ru_utime);
	w.status.system_us = timeval_us(used.ru_stime);
	w.status.maxrss_bytes = (uint64_t)used.ru_maxrss * 1024;
	/* RLIMIT_CPU, which stops one process by itself, can come first. */
	if (w.status.flags == 0 && WIFSIGNALED(w.status.wait_status) &&
	    WTERMSIG(w.status.wait_status) == SIGKILL &&
	    w.status.user_us + w.status.system_us > in->l->plan->cpu_ms * 1000)
		w.status.flags = EXITED_BY_CPU;
	if (in->started_us != NEVER)
		w.status.wall_us = ended_us - in->started_us;
	_exit(wire_send(in->l->init_sock, &w, -1) == 0 ? 0 : 1);
}

/* Before the first row: what the rows rely on. */
static int
init_prepare(struct init *in)
{
	struct pollfd launcher = {.fd = in->l->init_sock};
	sigset_t all;

	(void)sigfillset(&all);
	if (getpid() != 1 || sigprocmask(SIG_SETMASK, &all, NULL) == -1 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    poll(&launcher, 1, 0) == -1 || (launcher.revents & POLLHUP) != 0)
		return (-1);
	/* Inherited as 0, and then its uid_map would be root's to write. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1)
		return (-1);
	/* -1 is the fault of the first row that needs it. */
	in->l->host_proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)sigemptyset(&all);
	(void)sigaddset(&all, SIGCHLD);
	in->signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	return (in->signal_fd == -1 ? -1 : 0);
}

/* While init is still dumpable: the job inherits that. */
static void
job_fork(struct launch *l)
{
	l->job_pid = sys_clone(0, &l->job_pidfd);
	if (l->job_pid == 0)
		job_main(l);
	if (l->job_pid != -1)
		return;
	l->current = CTL_PIDNS;
	(void)fault_at(l, STEP_FORK_JOB, errno, FAULT_HOST);
}

static void
init_seal(struct launch *l)
{
	rows_apply(l, AT_SEAL);
	for (int i = 0; i < PLAN_FD__MAX; i++)
		io_close(&l->fds[i]);
	io_close(&l->gate);
	io_close(&l->root_fd);
	io_close(&l->host_proc);
	if (wire_send(l->init_sock, &(struct wire){.word = WIRE_SEALED},
		l->job_pidfd) == -1)
		_exit(1);
	io_close(&l->job_pidfd);
}

_Noreturn void
init_main(struct launch *l)
{
	struct init in = {.l = l,
	    .signal_fd = -1,
	    .started_us = NEVER,
	    .kill_at_us = NEVER};

	if (init_prepare(&in) == -1)
		_exit(1);
	rows_apply(l, AT_INIT);
	job_fork(l);
	init_seal(l);
	while (!in.is_over)
		init_step(&in);
	init_finish(&in);
}
