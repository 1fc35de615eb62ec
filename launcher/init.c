/*
 * init.c - pid 1 of the job's namespaces.
 *
 * Builds what is built as root of the first user namespace, forks the job,
 * gives up every privilege, then reaps, keeps the clocks and ends everything.
 * It executes no other program, and after GO it waits for nobody: launcher
 * and broker may be stopped, the job is hostile.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"
#include "sys.h"

#define TICK_MS 100 /* how often the CPU ceiling is looked at */
#define NEVER UINT64_MAX

struct init {
	struct launch *l;
	struct msg_exited *exited; /* on the board */
	int signal_fd;		   /* SIGCHLD */
	uint64_t started_us;	   /* NEVER: no GO yet */
	uint64_t kill_at_us;	   /* NEVER: no grace is running */
	uint64_t ticked_us;	   /* when the clocks were last looked at */
};

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
	in->exited->flags |= flag;
	signal_all(SIGKILL);
}

/* True once the job is over.  Orphans come here too: only the exact pid is. */
static bool
reap(struct init *in)
{
	bool is_over = false;
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (pid != in->l->job_pid)
			continue;
		in->exited->wait_status = status;
		is_over = true;
	}
	return (is_over);
}

static void
launcher_heard(struct init *in)
{
	struct launch *l = in->l;
	uint32_t grace_ms = l->board->grace_ms;
	char word;

	/* Our end is the job's; so is a deadline that cannot be set. */
	if (read(l->sock, &word, 1) != 1)
		_exit(1);
	if (word == WORD_GO) {
		in->started_us = now_us();
		if (wall_arm(l) == -1 || write(l->gate, &word, 1) != 1)
			_exit(1);
	} else if (grace_ms == 0) {
		end_by(in, EXITED_BY_KILL);
	} else {
		in->exited->flags |= EXITED_BY_KILL;
		in->kill_at_us = now_us() + grace_ms * 1000ULL;
		signal_all(SIGTERM);
		signal_all(SIGCONT); /* the stopped must be able to act */
	}
}

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
job_guard(struct init *in)
{
	struct launch *l = in->l;
	struct signalfd_siginfo info;

	while (!reap(in)) {
		struct pollfd fds[] = {{.fd = in->signal_fd, .events = POLLIN},
		    {.fd = l->sock, .events = POLLIN},
		    {.fd = l->timer_fd, .events = POLLIN}};
		bool is_ticking =
		    in->started_us != NEVER || in->kill_at_us != NEVER;

		if (poll(fds, COUNT(fds), is_ticking ? TICK_MS : -1) == -1 &&
		    errno != EINTR)
			_exit(1);
		/* Only emptied: many SIGCHLD may have become one. */
		if (fds[0].revents != 0)
			(void)!read(in->signal_fd, &info, sizeof(info));
		if (fds[1].revents != 0)
			launcher_heard(in);
		if (fds[2].revents != 0) {
			end_by(in, EXITED_BY_DEADLINE);
			io_close(&l->timer_fd);
		}
		clocks_check(in);
	}
}

static uint64_t
timeval_us(struct timeval tv)
{
	return ((uint64_t)tv.tv_sec * 1000000 + (uint64_t)tv.tv_usec);
}

/* Nobody is left alive when the status stands, and all are counted. */
static _Noreturn void
init_finish(struct init *in)
{
	struct msg_exited *e = in->exited;
	struct rusage used;

	if (in->started_us != NEVER)
		e->wall_us = now_us() - in->started_us;
	signal_all(SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		continue;
	if (getrusage(RUSAGE_CHILDREN, &used) == -1)
		_exit(1);
	e->user_us = timeval_us(used.ru_utime);
	e->system_us = timeval_us(used.ru_stime);
	e->maxrss_bytes = (uint64_t)used.ru_maxrss * 1024;
	/* RLIMIT_CPU, which stops one process by itself, can come first. */
	if (e->flags == 0 && WIFSIGNALED(e->wait_status) &&
	    WTERMSIG(e->wait_status) == SIGKILL &&
	    e->user_us + e->system_us > in->l->plan->cpu_ms * 1000)
		e->flags = EXITED_BY_CPU;
	_exit(0);
}

/* Before the first row: what the rows rely on. */
static int
init_prepare(struct init *in)
{
	struct pollfd launcher = {.fd = in->l->sock};
	sigset_t set;

	(void)sigfillset(&set);
	if (getpid() != 1 || sigprocmask(SIG_SETMASK, &set, NULL) == -1 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    poll(&launcher, 1, 0) == -1 || (launcher.revents & POLLHUP) != 0)
		return (-1);
	/* Inherited as 0, and then its uid_map would be root's to write. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1)
		return (-1);
	/* -1 is the fault of the first row that needs it. */
	in->l->host_proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	in->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return (in->signal_fd == -1 ? -1 : 0);
}

/* While init is still dumpable: the job inherits that. */
static void
job_fork(struct launch *l)
{
	int pair[2] = {-1, -1};

	l->current = CTL_PIDNS;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1 ||
	    (l->job_pid = sys_clone(0, NULL)) == -1)
		(void)host_fault(l, STEP_FORK_JOB);
	if (l->job_pid == 0 && pair[1] != -1) {
		io_close(&pair[0]);
		l->gate = pair[1];
		job_main(l);
	}
	io_close(&pair[1]);
	l->gate = pair[0];
}

_Noreturn void
init_main(struct launch *l)
{
	struct init in = {.l = l,
	    .exited = &l->board->exited,
	    .signal_fd = -1,
	    .started_us = NEVER,
	    .kill_at_us = NEVER};
	char word;

	if (init_prepare(&in) == -1)
		_exit(1);
	rows_apply(l, AT_INIT);
	job_fork(l);
	rows_apply(l, AT_SEAL);
	for (int i = 0; i < PLAN_FD__MAX; i++)
		io_close(&l->fds[i]);
	io_close(&l->root_fd);
	io_close(&l->host_proc);
	/* The job runs nothing but our code as yet, and dies with us. */
	if (read(l->gate, &word, 1) != 1) {
		word = WORD_LOST;
		if (l->job_pid > 0)
			rows_lost(l, STEP_JOB_LOST, 0);
	}
	if (write(l->sock, &word, 1) != 1)
		_exit(1);
	job_guard(&in);
	init_finish(&in);
}
