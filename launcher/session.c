/*
 * session.c - a session, keyring, signal state and priority of the job's own.
 *
 * Nothing that the caller's shell set is left: no terminal (TIOCSTI,
 * CVE-2017-5226), no session keyring with the caller's keys, no ignored or
 * blocked signal, no negative nice value, real-time class or protection from
 * the OOM killer.  Runs in the job, before its descriptors are swept.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "io.h"
#include "proc.h"
#include "sys.h"

#define JOB_UMASK 077

static int
signals_reset(void)
{
	sigset_t none;

	for (int sig = 1; sig <= 64; sig++) {
		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		if (sys_signal_default(sig) == -1)
			return (-1);
	}
	(void)sigemptyset(&none);
	return (sigprocmask(SIG_SETMASK, &none, NULL));
}

/* Raising nice and leaving a real-time class is allowed to everybody. */
static int
priority_reset(void)
{
	struct sched_param param = {0};
	int policy = sched_getscheduler(0);

	if (policy != SCHED_OTHER && policy != SCHED_BATCH &&
	    policy != SCHED_IDLE &&
	    sched_setscheduler(0, SCHED_OTHER, &param) == -1)
		return (-1);
	if (getpriority(PRIO_PROCESS, 0) < 0)
		return (setpriority(PRIO_PROCESS, 0, 0));
	return (0);
}

/* So is raising oom_score_adj; the file is only written where it must be. */
static int
oom_reset(const struct launch *l)
{
	int proc = l->proc_fd != -1 ? l->proc_fd : l->host_proc;
	char text[32];

	if (io_read_file(proc, "self/oom_score_adj", text, sizeof(text)) == -1)
		return (-1);
	if (text[0] != '-')
		return (0);
	return (io_write_file(proc, "self/oom_score_adj", "0"));
}

int
session_apply(struct launch *l)
{
	if (setsid() == -1)
		return (fault_at(l, STEP_SETSID, errno, FAULT_HOST));
	(void)umask(JOB_UMASK);
	/* ENOSYS: a kernel without keyrings has none to inherit. */
	if (sys_keyring_join_new() == -1 && errno != ENOSYS)
		return (fault_at(l, STEP_KEYRING, errno, FAULT_HOST));
	if (signals_reset() == -1)
		return (fault_at(l, STEP_SIGNALS, errno, FAULT_HOST));
	if (priority_reset() == -1 || oom_reset(l) == -1)
		return (fault_at(l, STEP_PRIORITY, errno, FAULT_HOST));
	/* Exists in the new root only, whose row says why it failed. */
	if (row_is_applied(l, CTL_ROOT) && chdir(PLAN_WORKDIR) == -1)
		return (fault_at(l, STEP_CHDIR, errno, FAULT_HOST));
	return (0);
}

static int
signals_verify(struct launch *l)
{
	uint64_t blocked, ignored, caught;

	if (proc_status_u64(l, "SigBlk", 16, &blocked) == -1 ||
	    proc_status_u64(l, "SigIgn", 16, &ignored) == -1 ||
	    proc_status_u64(l, "SigCgt", 16, &caught) == -1)
		return (-1);
	if ((blocked | ignored | caught) != 0)
		return (proc_mismatch(l));
	return (0);
}

/* Fields of proc_pid_stat(5). */
#define STAT_SESSION 6
#define STAT_TTY 7
#define STAT_NICE 19
#define STAT_POLICY 41

int
session_verify(struct launch *l)
{
	int64_t sid, tty, nice_value, policy;
	char text[PROC_TEXT_MAX];
	uint64_t mask;

	readback_want(l, 1);
	if (proc_stat_field(l, STAT_SESSION, &sid) == -1 ||
	    proc_stat_field(l, STAT_TTY, &tty) == -1 ||
	    proc_stat_field(l, STAT_NICE, &nice_value) == -1 ||
	    proc_stat_field(l, STAT_POLICY, &policy) == -1 ||
	    proc_status_u64(l, "Umask", 8, &mask) == -1 ||
	    proc_text(l, "oom_score_adj", text) == -1 ||
	    signals_verify(l) == -1)
		return (-1);
	if (sid != l->job_pid || tty != 0 || nice_value < 0 ||
	    mask != JOB_UMASK || text[0] == '-' || policy == SCHED_FIFO ||
	    policy == SCHED_RR || policy > SCHED_IDLE)
		return (proc_mismatch(l));
	readback_got(l, 1);
	return (0);
}
