/*
 * session.c - the rows session, descriptors, output and environment.
 *
 * What a process inherits: nothing that the caller's shell set is left.
 */
#include "launcher.h"

#define JOB_UMASK 077
#define STREAM_COUNT 3
#define GATE_FD STREAM_COUNT

#define OOM_FIRST "1000" /* of all processes: anybody may ask for that */

/*
 * No terminal (TIOCSTI, CVE-2017-5226), no session keyring with the caller's
 * keys, no ignored or blocked signal, no protection from the OOM killer; the
 * fork took away a negative nice value and a real-time class.
 */
int
session_apply(struct launch *l)
{
	sigset_t none;

	(void)umask(JOB_UMASK);
	/* Two answer EINVAL, as they must: all is read back. */
	for (int sig = 1; sig <= 64; sig++)
		(void)sys_signal_default(sig);
	(void)sigemptyset(&none);
	/* ENOSYS: a kernel without keyrings has none to inherit. */
	if (sys_keyring_join_new() == -1 && errno != ENOSYS)
		return (host_fault(l, STEP_KEYRING));
	if (fails(l, STEP_SETSID, setsid()) ||
	    fails(l, STEP_SIGNALS, sigprocmask(SIG_SETMASK, &none, NULL)) ||
	    fails(l, STEP_PRIORITY,
		io_write_file(proc_of(l), "self/oom_score_adj", OOM_FIRST)))
		return (-1);
	/* Exists in the new root only, whose row says why it failed. */
	return (row_is_applied(l, CTL_ROOT) ?
		must(l, STEP_CHDIR, chdir(PLAN_WORKDIR)) :
		0);
}

int
session_verify(struct launch *l)
{
	uint64_t sid, tty, n;
	const char *text = proc_text(l, "stat");

	if (text == NULL)
		return (-1);
	/* The last two, priority and nice, may not be negative. */
	if (stat_field(text, 6, &sid) == -1 || sid != (uint64_t)l->job_pid ||
	    stat_field(text, 7, &tty) == -1 || tty != 0 ||
	    stat_field(text, 18, &n) == -1 || stat_field(text, 19, &n) == -1)
		return (mismatch(l));
	if (proc_expect(l, "Umask", 8, JOB_UMASK) == -1 ||
	    proc_expect(l, "SigBlk", 16, 0) == -1 ||
	    proc_expect(l, "SigIgn", 16, 0) == -1 ||
	    proc_expect(l, "SigCgt", 16, 0) == -1 ||
	    (text = proc_text(l, "oom_score_adj")) == NULL)
		return (-1);
	return (strcmp(text, OOM_FIRST "\n") == 0 ? 0 : mismatch(l));
}

/*
 * The job has 0, 1, 2 and, until exec, its gate.  Close-on-exec on everything
 * is the first layer, this sweep the second (CVE-2024-21626 was one too many).
 */
int
descriptors_apply(struct launch *l)
{
	/* What was received lies above the gate's place: see harden(). */
	if (dup2(l->fds[PLAN_STDIN], STDIN_FILENO) == -1 ||
	    dup2(l->fds[PLAN_STDOUT], STDOUT_FILENO) == -1 ||
	    dup2(l->fds[PLAN_STDERR], STDERR_FILENO) == -1 ||
	    dup3(l->gate, GATE_FD, O_CLOEXEC) == -1)
		return (fault_at(l, STEP_DUP, errno, FAULT_OURS));
	l->gate = GATE_FD;
	l->sock = l->root_fd = l->proc_fd = l->host_proc = -1;
	return (must(l, STEP_CLOSE_RANGE, close_range(GATE_FD + 1, ~0U, 0)));
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

	if (fails(l, STEP_READ_PROC,
		dir_each(l->job_proc, "fd", fd_weight, &count)) ||
	    proc_number(l, "fdinfo/3", "flags", 8, &flags) == -1)
		return (-1);
	if ((flags & O_CLOEXEC) == 0)
		return (mismatch(l));
	/* The gate closes itself at exec. */
	return (readback(l, STREAM_COUNT, count - 1));
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

/* The launcher's own is never read: exec gets the plan's. */
int
environment_verify(struct launch *l)
{
	uint64_t count = 0;

	while (l->plan->envp[count] != NULL)
		count++;
	return (readback(l, l->plan->envc, count));
}
