/*
 * spawn.c - starts init in its namespaces, and ends it without a trace.
 *
 * One clone3(2) makes every namespace.  When it fails, short-lived children
 * find out which of them it was; what is still possible is then tried all the
 * same, to collect every other fault.  Called by serve.c.
 */
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"
#include "sys.h"

static bool
is_pending(const struct launch *l, enum control ctl)
{
	return (l->board->rows[ctl].state == READBACK_PENDING);
}

/* 0 when a child can be made with flags, else the errno. */
static int
clone_probe(uint64_t flags)
{
	pid_t pid = sys_clone(flags, NULL);

	if (pid == 0)
		_exit(0);
	return (pid != -1 && waitpid(pid, NULL, 0) == pid ? 0 : errno);
}

/*
 * err is what all flags together gave.  When every other namespace fails
 * beside a user namespace, it is the user namespace that is refused, or whose
 * capabilities are worth nothing (AppArmor's restriction): one cause, one row.
 */
static void
clone_attribute(struct launch *l, int err)
{
	control_set tried = 0, failed = 0;
	int errs[CTL__MAX] = {[CTL_USERNS] = err};

	for (enum control ctl = CTL_USERNS + 1; ctl < CTL__MAX; ctl++) {
		if (!is_pending(l, ctl) || controls[ctl].clone_flag == 0)
			continue;
		tried |= CONTROL_BIT(ctl);
		errs[ctl] =
		    clone_probe(CLONE_NEWUSER | controls[ctl].clone_flag);
		if (errs[ctl] != 0)
			failed |= CONTROL_BIT(ctl);
	}
	if (failed == 0 || failed == tried)
		failed = CONTROL_BIT(CTL_USERNS);
	for (l->current = 0; l->current < CTL__MAX; l->current++) {
		if ((failed & CONTROL_BIT(l->current)) != 0)
			(void)fault_at(l, STEP_CLONE, errs[l->current],
			    FAULT_HOST);
	}
}

/* As fork(2); -1 after a fault, of which each try leaves one at least. */
static pid_t
init_fork(struct launch *l)
{
	uint64_t flags;
	pid_t pid;

	/* Without these three its kill(-1) would reach the host. */
	while (is_pending(l, CTL_USERNS) && is_pending(l, CTL_PIDNS) &&
	    is_pending(l, CTL_MNTNS)) {
		flags = 0;
		for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
			if (is_pending(l, ctl))
				flags |= controls[ctl].clone_flag;
		}
		if ((pid = sys_clone(flags, &l->init_pidfd)) != -1)
			return (pid);
		clone_attribute(l, errno);
	}
	return (-1);
}

int
launch_start(struct launch *l, int broker)
{
	int pair[2];
	pid_t pid;

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if ((l->plan->controls & CONTROL_BIT(ctl)) != 0)
			l->board->rows[ctl].state = READBACK_PENDING;
	}
	l->current = CTL_USERNS;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		return (host_fault(l, STEP_SOCKETPAIR));
	l->host_proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->host_proc == -1)
		(void)host_fault(l, STEP_READ_PROC);
	if ((pid = init_fork(l)) == 0) {
		/* Ends that stay open here would keep their EOF away. */
		io_close(&broker);
		io_close(&pair[0]);
		l->sock = pair[1];
		init_main(l);
	}
	io_close(&pair[1]);
	l->sock = pair[0];
	l->init_pid = pid == -1 ? 0 : pid; /* the report's word for none */
	return (pid == -1 ? -1 : 0);
}

bool
launch_end(struct launch *l)
{
	siginfo_t info = {0};

	/* ESRCH: it is dead already, and only waited for. */
	if (l->init_pidfd != -1) {
		(void)pidfd_send_signal(l->init_pidfd, SIGKILL, NULL, 0);
		(void)waitid(P_PIDFD, (id_t)l->init_pidfd, &info, WEXITED);
	}
	io_close(&l->init_pidfd);
	io_close(&l->host_proc);
	io_close(&l->job_proc);
	io_close(&l->sock);
	return (info.si_code == CLD_EXITED && info.si_status == 0);
}
