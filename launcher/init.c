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
#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"
#define JOB_NOT_EXECUTED 127

struct init {
	struct launch *l;
	struct msg_exited *exited; /* on the board */
	int signal_fd;		   /* SIGCHLD */
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
		if (wall_arm(l, us) == -1)
			_exit(1);
	}
	if (word == WORD_GO && write(l->gate, &word, 1) != 1)
		_exit(1);
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
		if (cpu_used_ms(l, &ms) == 0 &&
		    ms <= l->cpu_base_ms + l->plan->cpu_ms)
			return (false);
	}
	return (true);
}

static void
job_guard(struct init *in)
{
	struct launch *l = in->l;
	struct signalfd_siginfo info;
	uint64_t expirations;

	while (!reap(in)) {
		struct pollfd fds[] = {{.fd = in->signal_fd, .events = POLLIN},
		    {.fd = l->sock, .events = POLLIN},
		    {.fd = l->timer_fd, .events = POLLIN}};

		if (poll(fds, COUNT(fds), in->started_us != 0 ? TICK_MS : -1) ==
		    -1)
			_exit(1);
		/* Only emptied: many SIGCHLD may have become one. */
		if (fds[0].revents != 0)
			(void)!read(in->signal_fd, &info, sizeof(info));
		if (fds[1].revents != 0)
			launcher_heard(in);
		if (fds[2].revents != 0) {
			(void)!read(l->timer_fd, &expirations,
			    sizeof(expirations));
			if (in->exited->flags == 0)
				in->exited->flags = EXITED_BY_DEADLINE;
			signal_all(SIGKILL);
		}
		/* Not at each wake: the job may fork fast. */
		if (in->started_us == 0 || now_us() < in->tick_us)
			continue;
		in->tick_us = now_us() + TICK_MS * 1000;
		if (is_above_cpu(l)) {
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
	return (signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/* Returns only an errno: ELIBBAD for a file whose interpreter is not there. */
static int
exec_path(const struct plan *p, const char *path)
{
	/* execve(2) changes neither; its prototype is older than const. */
	union {
		const char *const *in;
		char *const *out;
	} argv = {.in = p->argv}, envp = {.in = p->envp};

	(void)execve(path, argv.out, envp.out);
	return (errno == ENOENT && access(path, F_OK) == 0 ? ELIBBAD : errno);
}

/* The search is execvp(3)'s, along the plan's PATH, but nothing is handed to a
 * shell: a file without a format is the broker's to judge (ENOEXEC). */
static int
exec_command(const struct plan *p)
{
	const char *name = p->argv[0], *dirs = PATH_DEFAULT;
	char path[PLAN_PATH_MAX];
	int err, kept = ENOENT;
	size_t len;

	if (name[0] == '\0' || strchr(name, '/') != NULL)
		return (exec_path(p, name));
	for (uint32_t i = p->envc; i-- > 0;) {
		if (strncmp(p->envp[i], "PATH=", 5) == 0)
			dirs = &p->envp[i][5];
	}
	for (;; dirs += len + 1) {
		len = strcspn(dirs, ":");
		if (len + strlen(name) + sizeof("/") <= sizeof(path)) {
			memcpy(path, dirs, len);
			/* An empty one is the working directory. */
			(void)stpcpy(stpcpy(&path[len], len == 0 ? "" : "/"),
			    name);
			err = exec_path(p, path);
			if (err == EACCES)
				kept = err;
			else if (err != ENOENT && err != ENOTDIR)
				return (err);
		}
		if (dirs[len] == '\0')
			return (kept);
	}
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
		(void)host_fault(l, STEP_FORK_JOB);
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
