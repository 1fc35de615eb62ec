/*
 * init.c - pid 1 of the job's namespaces, and the job until it executes.
 *
 * Init builds what is built as root of the first user namespace, forks the
 * job, gives up every privilege, then reaps, keeps the clocks and ends
 * everything.  It executes no other program, and after GO it waits for nobody:
 * launcher and broker may be stopped, the job is hostile.  The job sets its own
 * rows, waits at the gate and executes: what it calls after the plan's filter
 * (write, read, execve, exit_group) must be in that.
 */
#include <sys/signalfd.h>

#include "launcher.h"

#define TICK_MS 100
#define JOB_NOT_EXECUTED 127

struct init {
	struct launch *l;
	struct msg_exited *exited; /* on the board */
	int signal_fd;		   /* SIGCHLD and SIGALRM */
	uint64_t started_us;	   /* 0: no GO yet */
	uint64_t deadline_us;
	uint64_t tick_us; /* the next look at the CPU ceiling */
};

/* The one error is ESRCH: nobody is left.  The job has no other uid. */
static void
signal_all(int sig)
{
	(void)kill(-1, sig);
}

/* True once the job is over.  Orphans come here too: only the exact pid is. */
static bool
reap(struct init *in)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (pid == in->l->job_pid) {
			in->exited->wait_status = status;
			return (true);
		}
	}
	return (false);
}

static void
launcher_heard(struct init *in)
{
	struct launch *l = in->l;
	uint64_t now = now_us(), us = l->board->grace_ms * 1000ULL;
	char word;

	/* Its end is ours, and ours is the job's. */
	if (read(l->sock, &word, 1) != 1)
		_exit(1);
	if (word == WORD_GO) {
		in->started_us = now;
		us = (l->plan->wall_ms + l->plan->grace_ms) * 1000;
	} else {
		in->exited->flags |= EXITED_BY_KILL;
		signal_all(us == 0 ? SIGKILL : SIGTERM);
		signal_all(SIGCONT); /* the stopped must be able to act */
	}
	/* The deadline comes nearer, and never goes away. */
	if (in->deadline_us == 0 || now + us < in->deadline_us) {
		in->deadline_us = now + us;
		if (wall_arm(us) == -1)
			_exit(1);
	}
	if (word == WORD_GO && write(l->gate, &word, 1) != 1)
		_exit(1);
}

/* A clock that cannot be read any more ends the job. */
static bool
is_above_cpu(const struct launch *l)
{
	uint64_t ms;

	return (
	    cpu_used_ms(l, &ms) == -1 || ms > l->cpu_base_ms + l->plan->cpu_ms);
}

static void
job_guard(struct init *in)
{
	struct launch *l = in->l;
	struct signalfd_siginfo info;

	while (!reap(in)) {
		struct pollfd fds[] = {{.fd = in->signal_fd, .events = POLLIN},
		    {.fd = l->sock, .events = POLLIN}};

		if (poll(fds, COUNT(fds), in->started_us != 0 ? TICK_MS : -1) ==
		    -1)
			_exit(1);
		if (fds[1].revents != 0)
			launcher_heard(in);
		/* Many signals may have become one, and the job can send us
		 * them too: SIGALRM only says that it is time to look. */
		if (fds[0].revents != 0 &&
		    read(in->signal_fd, &info, sizeof(info)) > 0 &&
		    info.ssi_signo == SIGALRM && in->deadline_us != 0 &&
		    now_us() >= in->deadline_us) {
			if (in->exited->flags == 0)
				in->exited->flags = EXITED_BY_DEADLINE;
			signal_all(SIGKILL);
		}
		/* Not at each wake: the job may fork fast. */
		if (in->started_us == 0 || now_us() < in->tick_us)
			continue;
		in->tick_us = now_us() + TICK_MS * 1000;
		/* Twice: a child that its parent reaped between two reads of
		 * one look is counted in both. */
		if (is_above_cpu(l) && is_above_cpu(l)) {
			in->exited->flags |= EXITED_BY_CPU;
			signal_all(SIGKILL);
		}
	}
}

/* Nobody is left alive when the status stands, and all are counted. */
static _Noreturn void
init_finish(struct init *in)
{
	struct msg_exited *e = in->exited;
	struct rusage used;

	if (in->started_us != 0)
		e->wall_us = now_us() - in->started_us;
	signal_all(SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		continue;
	if (getrusage(RUSAGE_CHILDREN, &used) == -1)
		_exit(1);
	e->cpu_us = timeval_us(used.ru_utime) + timeval_us(used.ru_stime);
	e->maxrss_bytes = (uint64_t)used.ru_maxrss * 1024;
	_exit(0);
}

/* Before the first row: what the rows rely on.  The signal descriptor, or -1. */
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
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigaddset(&set, SIGALRM);
	return (signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/*
 * Returns only an errno: ELIBBAD for a file whose interpreter is not there, and
 * EACCES before any "not there".  Nothing is handed to a shell: a file without
 * a format is the broker's to judge (ENOEXEC).
 */
static int
exec_command(const struct plan *p)
{
	/* execve(2) changes neither; its prototype is older than const. */
	union {
		const char *const *in;
		char *const *out;
	} argv = {.in = p->argv + p->path_count}, envp = {.in = p->envp};
	int kept = ENOENT;

	for (uint32_t i = 0; i < p->path_count; i++) {
		(void)execve(p->argv[i], argv.out, envp.out);
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
	char word = WORD_HELD;

	/* So the launcher learns our pid: see job_verify(). */
	if (fcntl(l->host_proc, F_SETOWN, getpid()) == -1)
		_exit(JOB_NOT_EXECUTED);
	rows_apply(l, AT_JOB);
	errno = 0; /* the gate's end is no error of the command's */
	l->board->exec_errno = write(l->gate, &word, 1) == 1 &&
		read(l->gate, &word, 1) == 1 && word == WORD_GO &&
		rows_are_held(l) ?
	    exec_command(l->plan) :
	    errno;
	_exit(JOB_NOT_EXECUTED);
}

/* While init is still dumpable: the job inherits that. */
static void
job_fork(struct launch *l)
{
	int pair[2] = {-1, -1};

	l->current = CTL_PIDNS;
	l->job_pid = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1 ||
	    (l->job_pid = sys_clone(0, NULL, -1)) == -1)
		(void)fault(l, STEP_FORK_JOB, errno);
	if (l->job_pid == 0) {
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
	struct init in = {.l = l, .exited = &l->board->exited};
	char word;

	if ((in.signal_fd = init_prepare(l)) == -1)
		_exit(1);
	rows_apply(l, AT_INIT);
	job_fork(l);
	rows_apply(l, AT_SEAL);
	for (int i = 0; i < PLAN_CGROUP; i++) /* that one is the CPU clock */
		io_close(&l->fds[i]);
	io_close(&l->root_fd);
	io_close(&l->host_proc);
	/* The job runs nothing but our code as yet, and dies with us. */
	if (read(l->gate, &word, 1) != 1) {
		word = WORD_LOST;
		if (l->job_pid != -1)
			rows_lost(l, CTL_SESSION, STEP_JOB_LOST, 0);
	}
	if (write(l->sock, &word, 1) != 1)
		_exit(1);
	job_guard(&in);
	init_finish(&in);
}
