/*
 * serve.c - agsbx-launcher: hardens itself, then serves the broker.
 *
 * Started with a SOCK_SEQPACKET socket as descriptor 3, whose EOF ends all.
 * Each plan is judged whole before anything is built.  Nothing that init or the
 * job do (die, hang, lie) ends in HELD: rows_are_held() decides.
 */
#include "build_id.h"
#include "launcher.h"

#define BROKER_FD 3

static int
harden(void)
{
	sigset_t all;

	/* A terminal's signals are for the broker. */
	(void)sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, NULL) == -1 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1 ||
	    die_with_parent(BROKER_FD) == -1 ||
	    close_range(BROKER_FD + 1, ~0U, 0) == -1 ||
	    fcntl(BROKER_FD, F_SETFD, FD_CLOEXEC) == -1)
		return (-1);
	/* 0 to 2 are taken, so that nothing that is received lands there. */
	for (int fd = 0; fd < BROKER_FD; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) != fd)
			return (-1);
	return (0);
}

static int
hello_send(struct channel *ch)
{
	struct msg_hello hello = {.control_count = CTL__MAX,
	    .build_id = AGSBX_BUILD_ID};

	memcpy(hello.floor_id, filter_floor_id, sizeof(hello.floor_id));
	return (msg_send(ch, MSG_HELLO, &hello, sizeof(hello), NULL, 0));
}

/* The host's root is uid 0 where the map is the identity over all ids: there
 * RLIMIT_NPROC is ignored, and root's files would be the job's. */
static bool
is_host_root(void)
{
	char text[512];

	return (geteuid() == 0 &&
	    (io_read_file(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) ==
		    -1 ||
		strcmp(text, "         0          0 4294967295\n") == 0));
}

/* By their roles, -1 where there is none; false: not what the plan says. */
static bool
fds_place(struct launch *l, const struct plan *p, const struct msg *m)
{
	const bool is_sent[PLAN_FD__MAX] = {true, true, true, p->has_program,
	    p->has_cgroup};
	unsigned int count = 0;

	for (unsigned int role = 0; role < PLAN_FD__MAX; role++)
		l->fds[role] = is_sent[role] ? m->fds[count++] : -1;
	return (m->fd_count == count);
}

static bool
plan_judge(struct launch *l, struct plan *p, const struct msg *m)
{
	enum step step = plan_decode(p, m->body, m->body_len);

	l->current = CTL_USERNS;
	if (step == STEP_NONE)
		step = plan_check(p);
	if (step == STEP_NONE && !fds_place(l, p, m))
		step = STEP_PLAN_FDS;
	if (step == STEP_NONE && is_host_root())
		step = STEP_HOST_ROOT;
	return (step == STEP_NONE || fault(l, step, EPERM));
}

static bool
launch_start(struct launch *l, int broker)
{
	int pair[2];
	pid_t pid;

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if (row_is_wanted(l, ctl))
			l->board->report.rows[ctl].state = READBACK_PENDING;
	l->host_proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	l->proc_fd = l->host_proc;
	if (!must(l, STEP_READ_PROC, l->host_proc) ||
	    !must(l, STEP_SOCKETPAIR,
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)))
		return (false);
	leaf_start(l);
	rows_apply(l, AT_START);
	l->current = CTL_USERNS;
	pid = sys_clone(CLONE_INIT, &l->init_pidfd,
	    l->leaf_err == 0 ? l->fds[PLAN_CGROUP] : -1);
	if (pid == -1 && l->leaf_err == 0) {
		/* Is it the leaf?  Its rows will say so then. */
		l->leaf_err = errno;
		pid = sys_clone(CLONE_INIT, &l->init_pidfd, -1);
	}
	if (pid == 0) {
		/* Ends that stay open here would keep their EOF away. */
		io_close(&broker);
		io_close(&pair[0]);
		l->sock = pair[1];
		init_main(l);
	}
	l->init_pid = pid == -1 ? 0 : pid; /* the report's word for none */
	io_close(&pair[1]);
	l->sock = pair[0];
	return (must(l, STEP_CLONE, pid));
}

/* Kills and reaps init, closes everything; true when it had exited with 0. */
static bool
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

static int
report_send(struct channel *ch, enum msg_type type, const struct launch *l)
{
	struct msg_report *report = &l->board->report;

	report->init_pid = l->init_pid;
	report->job_pid = l->job_pid;
	report->count = CTL__MAX;
	return (msg_send(ch, type, report, sizeof(*report), NULL, 0));
}

/* The job made itself the owner of host_proc, and the kernel tells its pid here
 * as long as it exists: the same after all reads, they were of no other. */
static void
job_verify(struct launch *l)
{
	char digits[IO_DECIMAL_MAX];

	l->current = CTL_PIDNS;
	l->job_pid = fcntl(l->host_proc, F_GETOWN);
	(void)io_put_u64(digits, (uint64_t)l->job_pid);
	l->job_proc =
	    openat(l->host_proc, digits, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!must(l, STEP_READ_PROC, l->job_proc))
		return;
	rows_verify(l);
	if (fcntl(l->host_proc, F_GETOWN) != l->job_pid)
		rows_lost(l, CTL_SESSION, STEP_JOB_LOST, ESRCH);
}

/* 0: every row was tried and read back; -1: the broker is gone or says KILL. */
static int
job_await(struct launch *l, const struct channel *ch)
{
	struct pollfd fds[] = {{.fd = ch->fd, .events = POLLIN},
	    {.fd = l->sock, .events = POLLIN}};
	char word = WORD_LOST;
	int n;

	errno = 0;
	n = poll(fds, COUNT(fds), MSG_PLANNED_DEADLINE_MS);
	/* Whatever a broker says here is KILL, EOF or a violation. */
	if (n > 0 && fds[0].revents != 0)
		return (-1);
	if (n == 0)
		errno = ETIMEDOUT;
	if (n != 1 || read(l->sock, &word, 1) != 1)
		rows_lost(l, CTL_USERNS, STEP_INIT_LOST, errno);
	if (word == WORD_HELD)
		job_verify(l);
	return (0);
}

/* EPIPE: init is dead, which its pidfd tells.  Else it does not read: -1. */
static int
word_send(int sock, char word)
{
	if (send(sock, &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
		return (0);
	return (errno == EPIPE ? 0 : -1);
}

/* From HELD to EXITED, which is init's word.  -1: end the job by force. */
static int
job_run(struct launch *l, struct channel *ch)
{
	static struct msg m;
	struct pollfd fds[] = {{.fd = ch->fd, .events = POLLIN},
	    {.fd = l->init_pidfd, .events = POLLIN}};
	struct msg_exited exited = {.flags = EXITED_INIT_LOST};

	if (report_send(ch, MSG_HELD, l) == -1 || msg_recv(ch, &m) != 1 ||
	    m.type != MSG_GO || word_send(l->sock, WORD_GO) == -1)
		return (-1);
	while (fds[1].revents == 0) {
		if (poll(fds, COUNT(fds), -1) == -1)
			return (-1);
		if (fds[0].revents == 0)
			continue;
		if (msg_recv(ch, &m) != 1 || m.type != MSG_KILL)
			return (-1);
		memcpy(&l->board->grace_ms, m.body, sizeof(struct msg_kill));
		if (word_send(l->sock, WORD_KILL) == -1)
			return (-1);
	}
	/* Its end is the end of its whole pid namespace. */
	if (launch_end(l))
		exited = l->board->exited;
	exited.exec_errno = l->board->exec_errno;
	return (msg_send(ch, MSG_EXITED, &exited, sizeof(exited), NULL, 0));
}

/* The plan's strings lie in m.  -1: this launcher is done, for any reason. */
static int
plan_serve(struct channel *ch, struct msg *m, struct board *board)
{
	static struct plan plan;
	struct launch l = {.plan = &plan,
	    .board = board,
	    .uid = geteuid(),
	    .gid = getegid(),
	    .sock = -1,
	    .root_fd = -1,
	    .host_proc = -1,
	    .init_pidfd = -1,
	    .job_proc = -1};
	int r = 0;

	memset(board, 0, sizeof(*board));
	if (plan_judge(&l, &plan, m) && launch_start(&l, ch->fd))
		r = job_await(&l, ch);
	msg_close_fds(m);
	if (r == 0)
		r = rows_are_held(&l) ? job_run(&l, ch) :
					report_send(ch, MSG_REFUSED, &l);
	(void)launch_end(&l);
	return (r);
}

int
main(void)
{
	static struct msg m;
	struct channel ch = {.fd = BROKER_FD,
	    .side = SIDE_LAUNCHER,
	    .state = CH_NEW};
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (board == MAP_FAILED || harden() == -1 || hello_send(&ch) == -1)
		return (1);
	while (ch.state != CH_DONE)
		if (msg_recv(&ch, &m) != 1 || m.type != MSG_PLAN ||
		    plan_serve(&ch, &m, board) == -1)
			return (1);
	return (0);
}
