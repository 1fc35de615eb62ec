/*
 * spawn.c - starts init in its namespaces, and ends it without a trace.
 *
 * One clone3(2) makes every namespace.  When it fails, short-lived children
 * find out which of them it was, so that the fault stands on that row; what is
 * still possible is then tried all the same, to collect every other fault.
 * Called by serve.c; knows nothing of the conversation with the broker.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"
#include "sys.h"

/* The board lies in front of everything that can fail. */
static int
board_make(struct launch *l)
{
	void *board = mmap(NULL, sizeof(*l->board), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (board == MAP_FAILED)
		return (-1);
	l->board = board;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		bool is_wanted = (l->plan->controls & CONTROL_BIT(ctl)) != 0;

		l->board->rows[ctl].state =
		    is_wanted ? READBACK_PENDING : READBACK_OFF;
	}
	return (0);
}

static uint64_t
clone_flags(const struct launch *l)
{
	uint64_t flags = 0;

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if (l->board->rows[ctl].state == READBACK_PENDING)
			flags |= controls[ctl].clone_flag;
	}
	return (flags);
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

static void
clone_fault(struct launch *l, enum control ctl, int err)
{
	l->current = ctl;
	(void)fault_at(l, STEP_CLONE, err, FAULT_HOST);
}

/*
 * err is what all flags together gave.  When each other namespace fails
 * beside a user namespace that works, it is the user namespace whose
 * capabilities are worth nothing (AppArmor's restriction): one cause, one row.
 */
static void
clone_attribute(struct launch *l, int err)
{
	struct readback *rows = l->board->rows;
	unsigned int tried = 0, failed = 0;
	int e = clone_probe(CLONE_NEWUSER);

	if (e != 0) {
		clone_fault(l, CTL_USERNS, e);
		return;
	}
	for (enum control ctl = CTL_USERNS + 1; ctl < CTL__MAX; ctl++) {
		if (rows[ctl].state != READBACK_PENDING ||
		    controls[ctl].clone_flag == 0)
			continue;
		tried++;
		e = clone_probe(CLONE_NEWUSER | controls[ctl].clone_flag);
		if (e == 0)
			continue;
		failed++;
		clone_fault(l, ctl, e);
	}
	if (failed != 0 && failed != tried)
		return;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		if (rows[ctl].state == READBACK_FAULT)
			rows[ctl] =
			    (struct readback){.state = READBACK_PENDING};
	}
	clone_fault(l, CTL_USERNS, err);
}

/* Without these three there is no init: its kill(-1) would reach the host. */
static bool
can_have_init(const struct launch *l)
{
	return (l->board->rows[CTL_USERNS].state == READBACK_PENDING &&
	    l->board->rows[CTL_PIDNS].state == READBACK_PENDING &&
	    l->board->rows[CTL_MNTNS].state == READBACK_PENDING);
}

/* As fork(2); -1 with the faults on the board. */
static pid_t
init_clone(struct launch *l)
{
	pid_t pid = sys_clone(clone_flags(l), &l->init_pidfd);

	if (pid != -1)
		return (pid);
	clone_attribute(l, errno);
	if (can_have_init(l)) {
		pid = sys_clone(clone_flags(l), &l->init_pidfd);
		if (pid == -1)
			clone_fault(l, CTL_USERNS, errno);
	}
	if (pid == -1)
		rows_block(l);
	return (pid);
}

static int
pairs_make(int init_pair[2], int gate_pair[2])
{
	int one = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, init_pair) ==
		-1 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate_pair) ==
		-1)
		return (-1);
	return (setsockopt(gate_pair[0], SOL_SOCKET, SO_PASSCRED, &one,
	    sizeof(one)));
}

int
launch_start(struct launch *l, int broker)
{
	int init_pair[2] = {-1, -1}, gate_pair[2] = {-1, -1};

	if (board_make(l) == -1)
		return (-1);
	l->current = CTL_USERNS;
	if (pairs_make(init_pair, gate_pair) == -1)
		(void)fault_at(l, STEP_SOCKETPAIR, errno, FAULT_HOST);
	else if ((l->init_pid = init_clone(l)) == 0) {
		/* Ends that stay open here would keep their EOF away. */
		io_close(&broker);
		io_close(&init_pair[0]);
		io_close(&gate_pair[0]);
		io_close(&l->init_pidfd);
		l->init_sock = init_pair[1];
		l->gate = gate_pair[1];
		init_main(l);
	}
	if (l->init_pid == -1)
		l->init_pid = 0; /* the report's word for none */
	l->init_sock = init_pair[0];
	l->gate = gate_pair[0];
	io_close(&init_pair[1]);
	io_close(&gate_pair[1]);
	for (int i = 0; i < PLAN_FD__MAX; i++)
		io_close(&l->fds[i]);
	return (0);
}

void
launch_end(struct launch *l)
{
	siginfo_t info;

	if (l->init_pidfd != -1) {
		/* ESRCH: it is dead already, and waited for below. */
		(void)sys_pidfd_kill(l->init_pidfd, SIGKILL);
		while (waitid(P_PIDFD, (id_t)l->init_pidfd, &info, WEXITED) ==
			-1 &&
		    errno == EINTR)
			continue;
	}
	io_close(&l->init_pidfd);
	io_close(&l->job_pidfd);
	io_close(&l->job_proc);
	io_close(&l->init_sock);
	io_close(&l->gate);
	if (l->board != NULL)
		(void)munmap(l->board, sizeof(*l->board));
	l->board = NULL;
}
