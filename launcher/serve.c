/*
 * serve.c - the launcher's conversation with the broker.
 *
 * At most two plans, one after the other; each is judged whole before
 * anything of it is built.  The broker is taken for compromised: it can only
 * ask for plans at or above the floor, and its EOF, at any moment, ends
 * everything.  Nothing that init or the job do (die, hang, lie) can end in
 * HELD or delay it past its deadline: rows_are_held() decides.
 */
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "filter.h"
#include "io.h"
#include "launcher.h"
#include "sys.h"

static int
hello_send(struct channel *ch)
{
	struct msg_hello hello = {.control_count = CTL__MAX};
	struct utsname name;
	int abi = sys_landlock_abi();

	_Static_assert(sizeof(AGSBX_BUILD_ID) <= sizeof(hello.build_id),
	    "NUL-padded");
	if (uname(&name) == -1)
		return (-1);
	hello.landlock_abi = abi == -1 ? 0 : (uint32_t)abi;
	memcpy(hello.floor_id, filter_floor_id, sizeof(hello.floor_id));
	memcpy(hello.build_id, AGSBX_BUILD_ID, sizeof(AGSBX_BUILD_ID));
	memcpy(hello.kernel, name.release,
	    strnlen(name.release, sizeof(hello.kernel) - 1));
	return (msg_send(ch, MSG_HELLO, &hello, sizeof(hello), NULL, 0));
}

/*
 * The host's root is uid 0 in the first user namespace, where the map is the
 * identity over all ids; there RLIMIT_NPROC is ignored and every file of
 * root's would be the job's.  Unreadable counts as yes.
 */
static bool
is_host_root(void)
{
	char text[512];

	return (geteuid() == 0 &&
	    (io_read_file(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) ==
		    -1 ||
		strcmp(text, "         0          0 4294967295\n") == 0));
}

/* Decides before anything is built; 0, or -1 with *fault. */
static int
plan_judge(struct plan *p, const struct msg *m, struct fault *fault)
{
	if (plan_decode(p, m->body, m->body_len, fault) == -1 ||
	    plan_check(p, fault) == -1)
		return (-1);
	if (m->fd_count != PLAN_PROGRAM + (p->has_program ? 1U : 0U)) {
		*fault = (struct fault){.control = CTL_DESCRIPTORS,
		    .class = FAULT_OURS,
		    .step = STEP_PLAN_FDS,
		    .err = EBADF};
		return (-1);
	}
	if (is_host_root()) {
		*fault = (struct fault){.control = CTL_USERNS,
		    .class = FAULT_HOST,
		    .step = STEP_HOST_ROOT,
		    .err = EPERM};
		return (-1);
	}
	return (0);
}

static int
report_send(struct channel *ch, enum msg_type type, const struct launch *l)
{
	struct msg_report report = {.init_pid = l->init_pid,
	    .job_pid = l->job_pid,
	    .count = CTL__MAX,
	    .filters = l->filters};

	memcpy(report.rows, l->board->rows, sizeof(report.rows));
	return (msg_send(ch, type, &report, sizeof(report), NULL, 0));
}

/* Nothing was built: the fault is the only row that says anything. */
static int
refuse(struct channel *ch, const struct fault *fault)
{
	struct board board = {0};
	struct launch l = {.board = &board,
	    .current = fault->control < CTL__MAX ? fault->control : CTL_USERNS};

	(void)fault_at(&l, fault->step, fault->err, fault->class);
	return (report_send(ch, MSG_REFUSED, &l));
}

/* The next word and the pid of who said it; -1 with errno, 0: closed. */
static int
word_recv(int sock, char *word, pid_t *pid)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = {word, 1};
	struct msghdr m = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes)};
	ssize_t n = recvmsg(sock, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c = n == 1 ? CMSG_FIRSTHDR(&m) : NULL;
	struct ucred cred;

	if (n != 1)
		return ((int)n);
	if (c == NULL || c->cmsg_type != SCM_CREDENTIALS ||
	    c->cmsg_len != CMSG_LEN(sizeof(cred))) {
		errno = EPROTO;
		return (-1);
	}
	memcpy(&cred, CMSG_DATA(c), sizeof(cred));
	*pid = cred.pid;
	return (1);
}

/*
 * Waits until init says that every row was tried.  1: the job is held; 0: it
 * is not, and rows tell; -1: the broker is gone or has said KILL.
 */
static int
job_await(struct launch *l, const struct channel *ch)
{
	uint64_t deadline = now_us() + MSG_PLANNED_DEADLINE_MS * 1000ULL;
	pid_t pid;
	char word;

	for (;;) {
		struct pollfd fds[] = {{.fd = ch->fd, .events = POLLIN},
		    {.fd = l->sock, .events = POLLIN}};
		uint64_t now = now_us();
		int r = now >= deadline ?
		    0 :
		    poll(fds, COUNT(fds), (int)((deadline - now) / 1000 + 1));

		if (r == -1 && errno == EINTR)
			continue;
		if (r == 0)
			errno = ETIMEDOUT;
		/* Whatever a broker says here is KILL, EOF or a violation. */
		else if (r > 0 && fds[0].revents != 0)
			return (-1);
		else if (r > 0 && (r = word_recv(l->sock, &word, &pid)) == 0)
			errno = 0; /* closed: init is dead */
		if (r <= 0) {
			rows_lost(l, STEP_INIT_LOST, errno);
			return (0);
		}
		if (word != WORD_JOB)
			return (word == WORD_HELD);
		l->job_pid = pid;
	}
}

/*
 * The pid came with the job's own word, pidns_verify() sees that it is init's
 * only child, and a pidfd is readable once its process is dead: so all reads
 * were of the job, and of no later process with its number.
 */
static void
job_verify(struct launch *l)
{
	char path[sizeof("/proc/") + IO_DECIMAL_MAX], digits[IO_DECIMAL_MAX];
	struct pollfd job = {.fd = pidfd_open(l->job_pid, 0), .events = POLLIN};

	(void)stpcpy(stpcpy(path, "/proc/"),
	    io_format_u64(digits, (uint64_t)l->job_pid));
	l->job_proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	l->current = CTL_PIDNS;
	if (job.fd == -1 || l->job_proc == -1) {
		(void)host_fault(l, STEP_READ_PROC);
	} else {
		rows_verify(l);
		if (poll(&job, 1, 0) != 0)
			rows_lost(l, STEP_JOB_LOST, ESRCH);
	}
	io_close(&job.fd);
}

/* EPIPE: init is dead, which its pidfd tells.  Else it does not read: -1. */
static int
word_send(int sock, char word)
{
	if (send(sock, &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
		return (0);
	return (errno == EPIPE ? 0 : -1);
}

/*
 * From GO to EXITED.  A KILL goes on to init; what became of the job is init's
 * word, on the board.  -1: end the job by force.
 */
static int
job_watch(struct launch *l, struct channel *ch, struct msg *m)
{
	struct pollfd fds[] = {{.fd = ch->fd, .events = POLLIN},
	    {.fd = l->init_pidfd, .events = POLLIN}};
	struct msg_exited exited = {.flags = EXITED_INIT_LOST};
	const struct msg_kill *kill;

	if (word_send(l->sock, WORD_GO) == -1)
		return (-1);
	while (fds[1].revents == 0) {
		if (poll(fds, COUNT(fds), -1) == -1) {
			if (errno != EINTR)
				return (-1);
			continue;
		}
		if (fds[0].revents == 0)
			continue;
		if (msg_recv(ch, m) != 1 || m->type != MSG_KILL)
			return (-1);
		kill = (const void *)m->body;
		l->board->grace_ms = kill->grace_ms;
		if (word_send(l->sock, WORD_KILL) == -1)
			return (-1);
	}
	/* Its end is the end of its whole pid namespace. */
	if (init_end(l))
		exited = l->board->exited;
	exited.exec_errno = l->board->exec_errno;
	return (msg_send(ch, MSG_EXITED, &exited, sizeof(exited), NULL, 0));
}

/* -1: this launcher is done, whatever the reason. */
static int
launch_run(struct launch *l, struct channel *ch)
{
	static struct msg m;
	int r = l->init_pid == 0 ? 0 : job_await(l, ch);

	if (r == -1)
		return (-1);
	if (r == 1)
		job_verify(l);
	rows_block(l);
	if (!rows_are_held(l))
		return (report_send(ch, MSG_REFUSED, l));
	if (report_send(ch, MSG_HELD, l) == -1 || msg_recv(ch, &m) != 1 ||
	    m.type != MSG_GO)
		return (-1);
	return (job_watch(l, ch, &m));
}

/* The plan's strings lie in m, so m must outlive the launch. */
static int
plan_serve(struct channel *ch, struct msg *m)
{
	static struct plan plan;
	struct launch l = {.plan = &plan,
	    .uid = geteuid(),
	    .gid = getegid(),
	    .sock = -1,
	    .gate = -1,
	    .root_fd = -1,
	    .proc_fd = -1,
	    .host_proc = -1,
	    .timer_fd = -1,
	    .init_pidfd = -1,
	    .job_proc = -1};
	struct fault fault;
	int r;

	if (plan_judge(&plan, m, &fault) == -1) {
		msg_close_fds(m);
		return (refuse(ch, &fault));
	}
	/* They are the launch's from here on. */
	memcpy(l.fds, m->fds, sizeof(l.fds));
	m->fd_count = 0;
	if (launch_start(&l, ch->fd) == -1)
		return (-1);
	r = launch_run(&l, ch);
	launch_end(&l);
	return (r);
}

int
serve(struct channel *ch)
{
	static struct msg m;

	if (hello_send(ch) == -1)
		return (1);
	while (ch->state != CH_DONE) {
		if (msg_recv(ch, &m) != 1 || m.type != MSG_PLAN ||
		    plan_serve(ch, &m) == -1)
			return (1);
	}
	return (0);
}
