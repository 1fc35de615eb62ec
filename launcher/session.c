/*
 * session.c - the rows session, descriptors, output and environment.
 *
 * What a process inherits: nothing that the caller's shell set is left.  Runs
 * in the job, and the launcher reads it back from outside.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"
#include "sys.h"

#define JOB_UMASK 077
#define STREAM_COUNT 3
#define GATE_FD STREAM_COUNT

static int
signals_reset(void)
{
	sigset_t none;

	for (int sig = 1; sig <= 64; sig++) {
		if (sig != SIGKILL && sig != SIGSTOP &&
		    sys_signal_default(sig) == -1)
			return (-1);
	}
	(void)sigemptyset(&none);
	return (sigprocmask(SIG_SETMASK, &none, NULL));
}

static bool
is_plain(uint64_t policy)
{
	return (policy == SCHED_OTHER || policy == SCHED_BATCH ||
	    policy == SCHED_IDLE);
}

/* Giving up is allowed to everybody; nothing is written that need not be. */
static int
priority_reset(const struct launch *l)
{
	int proc = l->proc_fd != -1 ? l->proc_fd : l->host_proc;
	struct sched_param param = {0};
	char text[32];

	if ((!is_plain((uint64_t)sched_getscheduler(0)) &&
		sched_setscheduler(0, SCHED_OTHER, &param) == -1) ||
	    (getpriority(PRIO_PROCESS, 0) < 0 &&
		setpriority(PRIO_PROCESS, 0, 0) == -1) ||
	    io_read_file(proc, "self/oom_score_adj", text, sizeof(text)) == -1)
		return (-1);
	return (text[0] != '-' ?
		0 :
		io_write_file(proc, "self/oom_score_adj", "0"));
}

/*
 * No terminal (TIOCSTI, CVE-2017-5226), no session keyring with the caller's
 * keys, no ignored or blocked signal, no negative nice value, real-time class
 * or protection from the OOM killer.
 */
int
session_apply(struct launch *l)
{
	(void)umask(JOB_UMASK);
	/* ENOSYS: a kernel without keyrings has none to inherit. */
	if (sys_keyring_join_new() == -1 && errno != ENOSYS)
		return (host_fault(l, STEP_KEYRING));
	if (fails(l, STEP_SETSID, setsid()) ||
	    fails(l, STEP_SIGNALS, signals_reset()) ||
	    fails(l, STEP_PRIORITY, priority_reset(l)))
		return (-1);
	/* Exists in the new root only, whose row says why it failed. */
	if (row_is_applied(l, CTL_ROOT) && chdir(PLAN_WORKDIR) == -1)
		return (host_fault(l, STEP_CHDIR));
	return (0);
}

int
session_verify(struct launch *l)
{
	uint64_t sid, tty, nice_value, policy;
	const char *text = proc_text(l, "stat");

	if (text == NULL)
		return (-1);
	if (stat_field(text, 6, &sid) == -1 || sid != (uint64_t)l->job_pid ||
	    stat_field(text, 7, &tty) == -1 || tty != 0 ||
	    stat_field(text, 19, &nice_value) == -1 || /* negative */
	    stat_field(text, 41, &policy) == -1 || !is_plain(policy))
		return (mismatch(l));
	if (proc_expect(l, "Umask", 8, JOB_UMASK) == -1 ||
	    proc_expect(l, "SigBlk", 16, 0) == -1 ||
	    proc_expect(l, "SigIgn", 16, 0) == -1 ||
	    proc_expect(l, "SigCgt", 16, 0) == -1 ||
	    (text = proc_text(l, "oom_score_adj")) == NULL)
		return (-1);
	return (text[0] != '-' ? 0 : mismatch(l));
}

/*
 * The job has 0, 1, 2 and, until exec, its gate.  Close-on-exec on everything
 * is the first layer, this sweep the second (CVE-2024-21626 was one too many).
 */
int
descriptors_apply(struct launch *l)
{
	/* What was received lies above the gate's place: see main.c. */
	if (dup2(l->fds[PLAN_STDIN], STDIN_FILENO) == -1 ||
	    dup2(l->fds[PLAN_STDOUT], STDOUT_FILENO) == -1 ||
	    dup2(l->fds[PLAN_STDERR], STDERR_FILENO) == -1 ||
	    dup3(l->gate, GATE_FD, O_CLOEXEC) == -1)
		return (fault_at(l, STEP_DUP, errno, FAULT_OURS));
	l->gate = GATE_FD;
	if (close_range(GATE_FD + 1, ~0U, 0) == -1)
		return (host_fault(l, STEP_CLOSE_RANGE));
	l->sock = l->root_fd = l->proc_fd = l->host_proc = -1;
	return (0);
}

/* 1; more than may be there, for any but 0 to 3. */
static uint64_t
fd_weight(int dir, const char *name)
{
	(void)dir;
	return (strchr("0123", name[0]) != NULL && name[1] == '\0' ?
		1 :
		GATE_FD + 2);
}

int
descriptors_verify(struct launch *l)
{
	uint64_t count = 0, flags;

	if (dir_each(l->job_proc, "fd", fd_weight, &count) == -1)
		return (host_fault(l, STEP_READ_PROC));
	if (proc_number(l, "fdinfo/3", "flags", 8, &flags) == -1)
		return (-1);
	if ((flags & O_CLOEXEC) == 0)
		return (mismatch(l));
	/* The gate closes itself at exec. */
	return (readback(l, STREAM_COUNT, count - 1));
}

int
output_apply(struct launch *l)
{
	(void)l; /* the broker made the pipes, the sweep placed them */
	return (0);
}

/*
 * The broker counts what comes out of its pipes and ends the job at the
 * ceiling; that only holds when there is nothing else to write to.  A file
 * could be truncated through /proc/self/fd, a socket carries descriptors, a
 * terminal takes input.
 */
int
output_verify(struct launch *l)
{
	struct stat st;
	int flags;

	for (int fd = 0; fd < STREAM_COUNT; fd++) {
		if (fstat(fd, &st) == -1 || (flags = fcntl(fd, F_GETFL)) == -1)
			return (fault_at(l, STEP_STDIO, errno, FAULT_OURS));
		if (!S_ISFIFO(st.st_mode) ||
		    (flags & O_ACCMODE) != (fd == 0 ? O_RDONLY : O_WRONLY))
			return (fault_at(l, STEP_STDIO, EINVAL, FAULT_OURS));
	}
	return (readback(l, STREAM_COUNT, STREAM_COUNT));
}

int
environment_apply(struct launch *l)
{
	(void)l; /* job.c passes plan->envp, our own is never read */
	return (0);
}

/* What exec gets: exactly the plan's variables. */
int
environment_verify(struct launch *l)
{
	uint64_t count = 0;

	while (l->plan->envp[count] != NULL)
		count++;
	return (readback(l, l->plan->envc, count));
}
