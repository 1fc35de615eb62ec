/*
 * session.c - the rows session, descriptors, output and environment: of what a
 * process inherits, nothing that the caller's shell set is left.
 */
#include "launcher.h"

#define JOB_UMASK 077
#define STREAM_COUNT 3
#define OOM_FIRST "1000" /* of all processes: anybody may ask for that */

/* No terminal (TIOCSTI, CVE-2017-5226), no keyring of the caller's, no ignored
 * or blocked signal, no protection from the OOM killer; the fork took away a
 * negative nice value and a real-time class. */
bool
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
		return (fault(l, STEP_KEYRING, errno));
	/* The directory exists in the new root only, whose row says why not. */
	return (must(l, STEP_SETSID, setsid()) &&
	    must(l, STEP_SIGNALS, sigprocmask(SIG_SETMASK, &none, NULL)) &&
	    must(l, STEP_PRIORITY,
		io_write_file(l->proc_fd, "self/oom_score_adj", OOM_FIRST)) &&
	    (!row_is_applied(l, CTL_ROOT) ||
		must(l, STEP_CHDIR, chdir(PLAN_WORKDIR))));
}

bool
session_verify(struct launch *l)
{
	uint64_t sid, tty, n;
	const char *text = proc_text(l, "stat");

	/* The last two, priority and nice, may not be negative. */
	return (text != NULL &&
	    matches(l,
		stat_field(text, 6, &sid) && sid == (uint64_t)l->job_pid &&
		    stat_field(text, 7, &tty) && tty == 0 &&
		    stat_field(text, 18, &n) && stat_field(text, 19, &n)) &&
	    proc_expect(l, "Umask", 8, JOB_UMASK) &&
	    proc_expect(l, "SigBlk", 16, 0) &&
	    proc_expect(l, "SigIgn", 16, 0) &&
	    proc_expect(l, "SigCgt", 16, 0) &&
	    proc_is(l, "oom_score_adj", OOM_FIRST "\n"));
}

/* The job has 0, 1 and 2.  Close-on-exec on everything is the first layer, this
 * sweep the second (CVE-2024-21626: one was too few). */
bool
descriptors_apply(struct launch *l)
{
	/* What was received lies above them: see harden(). */
	if (dup2(l->fds[PLAN_STDIN], STDIN_FILENO) == -1 ||
	    dup2(l->fds[PLAN_STDOUT], STDOUT_FILENO) == -1 ||
	    dup2(l->fds[PLAN_STDERR], STDERR_FILENO) == -1)
		return (fault(l, STEP_DUP, errno));
	l->sock = l->root_fd = l->proc_fd = l->host_proc = -1;
	return (must(l, STEP_CLOSE_RANGE, close_range(STREAM_COUNT, ~0U, 0)));
}

/* 0 to 2 are there: the row output looks at each. */
bool
descriptors_verify(struct launch *l)
{
	uint64_t count = 0;

	return (must(l, STEP_READ_PROC,
		    dir_each(l->job_proc, "fd", NULL, &count)) &&
	    readback(l, STREAM_COUNT, count));
}

/* The broker counts what comes out of its pipes.  A file could be truncated
 * through /proc, a socket carries descriptors, a terminal takes input. */
bool
output_verify(struct launch *l)
{
	struct stat st;
	int flags;

	for (int fd = 0; fd < STREAM_COUNT; fd++) {
		if (fstat(fd, &st) == -1 || (flags = fcntl(fd, F_GETFL)) == -1)
			return (fault(l, STEP_STDIO, errno));
		if (!S_ISFIFO(st.st_mode) ||
		    (flags & O_ACCMODE) != (fd == 0 ? O_RDONLY : O_WRONLY))
			return (fault(l, STEP_STDIO, EINVAL));
	}
	return (readback(l, STREAM_COUNT, STREAM_COUNT));
}

/* What exec is given is the plan's: of the launcher's own, nothing. */
bool
environment_apply(struct launch *l)
{
	l->envp = l->plan->envp;
	return (true);
}

bool
environment_verify(struct launch *l)
{
	return (matches(l, l->envp == l->plan->envp));
}
