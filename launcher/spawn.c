/*
 * spawn.c - starts init in its namespaces, and ends it without a trace.
 *
 * One clone3(2) makes every namespace.  When it fails, short-lived children
 * find out which of them it was; what is still possible is then tried all the
 * same, to collect every other fault.  Called by serve.c.
 */
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
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

static pid_t
init_clone(struct launch *l)
{
	uint64_t flags = 0;

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if (is_pending(l, ctl))
			flags |= controls[ctl].clone_flag;
	}
	return (sys_clone(flags, &l->init_pidfd));
}

/* 0 when a child can be made with flags, else the errno. */
static int
clone_probe(uint64_t flags)
{
	int status;
	pid_t pid = sys_clone(flags, NULL);

	if (pid == -1)
		return (errno);
	if (pid == 0)
		_exit(0);
	return (waitpid(pid, &status, 0) == pid ? 0 : errno);
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
	int errs[CTL__MAX];

	for (enum control ctl = CTL_USERNS + 1; ctl < CTL__MAX; ctl++) {
		if (!is_pending(l, ctl) || controls[ctl].clone_flag == 0)
			continue;
		tried |= CONTROL_BIT(ctl);
		errs[ctl] =
		    clone_probe(CLONE_NEWUSER | controls[ctl].clone_flag);
		if (errs[ctl] != 0)
			failed |= CONTROL_BIT(ctl);
	}
	if (failed == 0 || failed == tried) {
		errs[CTL_USERNS] = err;
		failed = CONTROL_BIT(CTL_USERNS);
	}
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		l->current = ctl;
		if ((failed & CONTROL_BIT(ctl)) != 0)
			(void)fault_at(l, STEP_CLONE, errs[ctl], FAULT_HOST);
	}
}

/* As fork(2); -1 with the faults on the board. */
static pid_t
init_fork(struct launch *l)
{
	pid_t pid = init_clone(l);

	if (pid != -1)
		return (pid);
	clone_attribute(l, errno);
	/* Without these three its kill(-1) would reach the host. */
	if (!is_pending(l, CTL_USERNS) || !is_pending(l, CTL_PIDNS) ||
	    !is_pending(l, CTL_MNTNS))
		return (-1);
	l->current = CTL_USERNS;
	if ((pid = init_clone(l)) == -1)
		(void)host_fault(l, STEP_CLONE);
	return (pid);
}

int
launch_start(struct launch *l, int broker)
{
	int pair[2] = {-1, -1}, one = 1;
	pid_t pid = -1;

	l->board = mmap(NULL, sizeof(*l->board), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (l->board == MAP_FAILED)
		return (-1);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if ((l->plan->controls & CONTROL_BIT(ctl)) != 0)
			l->board->rows[ctl].state = READBACK_PENDING;
	}
	l->current = CTL_USERNS;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1 ||
	    setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) ==
		-1)
		(void)host_fault(l, STEP_SOCKETPAIR);
	else
		pid = init_fork(l);
	if (pid == 0) {
		/* Ends that stay open here would keep their EOF away. */
		io_close(&broker);
		io_close(&pair[0]);
		l->sock = pair[1];
		init_main(l);
	}
	l->init_pid = pid == -1 ? 0 : pid; /* the report's word for none */
	l->sock = pair[0];
	io_close(&pair[1]);
	for (int i = 0; i < PLAN_FD__MAX; i++)
		io_close(&l->fds[i]);
	return (0);
}

bool
init_end(struct launch *l)
{
	siginfo_t info = {0};

	if (l->init_pidfd == -1)
		return (false);
	/* ESRCH: it is dead already, and waited for below. */
	(void)pidfd_send_signal(l->init_pidfd, SIGKILL, NULL, 0);
	while (waitid(P_PIDFD, (id_t)l->init_pidfd, &info, WEXITED) == -1 &&
	    errno == EINTR)
		continue;
	io_close(&l->init_pidfd);
	return (info.si_code == CLD_EXITED && info.si_status == 0);
}

void
launch_end(struct launch *l)
{
	(void)init_end(l);
	io_close(&l->job_proc);
	io_close(&l->sock);
	(void)munmap(l->board, sizeof(*l->board));
}
