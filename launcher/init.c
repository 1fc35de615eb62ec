/*
 * init.c - pid 1 of the job's namespaces, the row death, the job up to exec.
 *
 * Init builds as root of the first user namespace, forks the job, gives up
 * every privilege, then reaps and keeps the clocks.  After GO it waits for
 * nobody: launcher and broker may be stopped, the job is hostile.  The job sets
 * its own rows, stops until GO and executes: what it calls after the plan's
 * filter (kill, execve, access, exit_group) must be in that.
 */
#include "launcher.h"

#define TICK_MS 100
#define JOB_NOT_EXECUTED 127

int
die_with_parent(int sock)
{
	struct pollfd parent = {.fd = sock};

	/* It may have died before; from init its pid is not to be seen. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    poll(&parent, 1, 0) == -1)
		return (-1);
	errno = ESRCH;
	return ((parent.revents & (POLLHUP | POLLNVAL)) == 0 ? 0 : -1);
}

/* The job dies with init, pid 1 of its namespace, and init with the launcher.
 * Non-dumpable, it cannot be traced by the job.  Last row of all: the job was
 * born dumpable, and a change of credentials may clear PDEATHSIG. */
bool
death_apply(struct launch *l)
{
	return (must(l, STEP_DUMPABLE, prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) &&
	    capabilities_apply(l) && no_new_privs_apply(l) &&
	    must(l, STEP_PDEATHSIG, die_with_parent(l->sock)));
}

bool
death_verify(struct launch *l)
{
	int sig = 0;

	return (matches(l,
	    prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 &&
		prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
		prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0) == 0 && sig == SIGKILL));
}

/* True once the job is over.  Orphans come here too: only the exact pid is. */
static bool
reap(struct launch *l)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
		if (pid == l->job_pid) {
			l->board->exited.wait_status = status;
			return (true);
		}
	return (false);
}

static void
launcher_heard(struct launch *l)
{
	uint64_t now = now_us(), us = l->board->grace_ms * 1000ULL;
	char word;

	/* Its end is ours, and ours is the job's. */
	if (read(l->sock, &word, 1) != 1)
		_exit(1);
	if (word == WORD_GO) {
		l->started_us = now;
		l->board->is_go = true;
		us = (l->plan->wall_ms + l->plan->grace_ms) * 1000;
	} else {
		l->board->exited.flags |= EXITED_BY_KILL;
		/* The one error is that nobody is left. */
		(void)kill(-1, us == 0 ? SIGKILL : SIGTERM);
	}
	/* The deadline comes nearer, and never goes away. */
	if (l->deadline_us == 0 || now + us < l->deadline_us) {
		l->deadline_us = now + us;
		if (wall_arm(us) == -1)
			_exit(1);
	}
	/* The stopped must be able to act. */
	if (kill(-1, SIGCONT) == -1)
		_exit(1);
}

/* A clock that cannot be read any more ends the job. */
static bool
is_above_cpu(const struct launch *l)
{
	uint64_t ms;

	return (cpu_used_ms(l, &ms) == -1 || ms > l->cpu_end_ms);
}

static void
job_guard(struct launch *l)
{
	struct signalfd_siginfo info;
	sigset_t seen;

	while (!reap(l)) {
		struct pollfd fds[] = {{.fd = l->signal_fd, .events = POLLIN},
		    {.fd = l->sock, .events = POLLIN}};

		if (poll(fds, COUNT(fds), l->started_us != 0 ? TICK_MS : -1) ==
		    -1)
			_exit(1);
		if (fds[1].revents != 0)
			launcher_heard(l);
		/* A job sends it too, and floods that are read before it. */
		if (fds[0].revents != 0 && sigpending(&seen) == 0 &&
		    read(l->signal_fd, &info, sizeof(info)) > 0 &&
		    sigismember(&seen, SIGALRM) == 1 && l->deadline_us != 0 &&
		    now_us() >= l->deadline_us) {
			if (l->board->exited.flags == 0)
				l->board->exited.flags = EXITED_BY_DEADLINE;
			(void)kill(-1, SIGKILL);
		}
		/* Not at each wake: the job may fork fast. */
		if (l->started_us == 0 || now_us() < l->tick_us)
			continue;
		l->tick_us = now_us() + TICK_MS * 1000;
		/* Twice: one look can count a child with its parent as well. */
		if (is_above_cpu(l) && is_above_cpu(l)) {
			l->board->exited.flags |= EXITED_BY_CPU;
			(void)kill(-1, SIGKILL);
		}
	}
}

/* Nobody is left alive when the status stands, and all are counted. */
static _Noreturn void
init_finish(struct launch *l)
{
	struct msg_exited *e = &l->board->exited;
	struct rusage used;

	if (l->started_us != 0)
		e->wall_us = now_us() - l->started_us;
	(void)kill(-1, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		continue;
	if (getrusage(RUSAGE_CHILDREN, &used) == -1)
		_exit(1);
	e->cpu_us = timeval_us(used.ru_utime) + timeval_us(used.ru_stime);
	e->maxrss_bytes = (uint64_t)used.ru_maxrss * 1024;
	_exit(0);
}

/* What the rows rely on.  The signal descriptor, or -1. */
static int
init_prepare(const struct launch *l)
{
	struct sched_param param;
	sigset_t set;

	(void)sigfillset(&set);
	/* Dumpable is inherited as 0, and makes the uid_map root's to write. */
	if (getpid() != 1 || sigprocmask(SIG_SETMASK, &set, NULL) == -1 ||
	    die_with_parent(l->sock) == -1 ||
	    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1 ||
	    sched_getparam(0, &param) == -1 ||
	    /* The job is born without a real-time class or negative nice. */
	    sched_setscheduler(0, sched_getscheduler(0) | SCHED_RESET_ON_FORK,
		&param) == -1)
		return (-1);
	return (signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/* Returns only an errno, as execvp(3) does; ELIBBAD for a file without its
 * interpreter.  One without a format (ENOEXEC) is handed to no shell. */
static int
exec_command(const struct launch *l)
{
	const struct plan *p = l->plan;
	/* execve(2) changes neither; its prototype is older than const. */
	char *const *argv = (void *)(uintptr_t)&p->argv[p->path_count];
	char *const *envp = (void *)(uintptr_t)l->envp;
	int kept = ENOENT;

	for (uint32_t i = 0; i < p->path_count; i++) {
		(void)execve(p->argv[i], argv, envp);
		if (errno == ENOENT && access(p->argv[i], F_OK) == 0)
			return (ELIBBAD);
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return (errno);
		if (kept != EACCES)
			kept = errno;
	}
	return (kept);
}

static _Noreturn void
job_main(struct launch *l)
{
	/* So the launcher learns our pid: see job_verify(). */
	if (fcntl(l->host_proc, F_SETOWN, getpid()) == -1)
		_exit(JOB_NOT_EXECUTED);
	rows_apply(l, AT_JOB);
	while (!l->board->is_go) /* whoever continues us */
		if (kill(getpid(), SIGSTOP) == -1)
			_exit(JOB_NOT_EXECUTED);
	l->board->exec_errno = rows_are_held(l) ? exec_command(l) : ECANCELED;
	_exit(JOB_NOT_EXECUTED);
}

/* True when the job has tried all its rows: it runs nothing but our code. */
static bool
job_await(struct launch *l)
{
	int status;

	if (l->job_pid == -1)
		return (false);
	if (waitpid(l->job_pid, &status, WUNTRACED) == l->job_pid &&
	    WIFSTOPPED(status))
		return (true);
	rows_lost(l, CTL_SESSION, STEP_JOB_LOST, 0);
	return (false);
}

_Noreturn void
init_main(struct launch *l)
{
	char word;

	if ((l->signal_fd = init_prepare(l)) == -1)
		_exit(1);
	rows_apply(l, AT_INIT);
	/* While init is still dumpable: the job inherits that. */
	l->current = CTL_PIDNS;
	l->job_pid = sys_clone(0, NULL, -1);
	(void)must(l, STEP_FORK_JOB, l->job_pid);
	if (l->job_pid == 0)
		job_main(l);
	if (l->proc_fd == l->host_proc) /* it has none of its own */
		l->proc_fd = -1;
	rows_apply(l, AT_SEAL);
	for (int i = 0; i < PLAN_CGROUP; i++) /* that one is the CPU clock */
		io_close(&l->fds[i]);
	io_close(&l->root_fd);
	io_close(&l->host_proc);
	word = job_await(l) ? WORD_HELD : WORD_LOST;
	if (write(l->sock, &word, 1) != 1)
		_exit(1);
	job_guard(l);
	init_finish(l);
}
