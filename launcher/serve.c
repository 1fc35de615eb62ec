/*
 * serve.c - the launcher's conversation with the broker.
 *
 * At most two plans, one after the other; each is judged whole before
 * anything of it is built.  The broker is taken for compromised: it can only
 * ask for plans at or above the floor, and its EOF, at any moment, ends
 * everything.
 */
#include <sys/utsname.h>

#include <errno.h>
#include <fcntl.h>
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
	const uint64_t identity[] = {0, 0, UINT32_MAX};
	char text[512];
	char *p = text;
	uint64_t n;

	if (geteuid() != 0)
		return (false);
	if (io_read_file(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) ==
	    -1)
		return (true);
	for (unsigned int i = 0; i < 3; i++) {
		p += strspn(p, " ");
		if (io_parse_u64(p, 10, &n) == -1)
			return (true);
		if (n != identity[i])
			return (false);
		p += strspn(p, "0123456789");
	}
	return (true);
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

/* -1: this launcher is done, whatever the reason. */
static int
launch_run(struct launch *l, struct channel *ch)
{
	static struct msg m;

	if (launch_hold(l, ch) == -1)
		return (-1);
	if (!rows_are_held(l))
		return (report_send(ch, MSG_REFUSED, l));
	if (report_send(ch, MSG_HELD, l) == -1 || msg_recv(ch, &m) != 1 ||
	    m.type != MSG_GO)
		return (-1);
	return (launch_watch(l, ch));
}

static int
filters_before(uint32_t *out)
{
	static char text[64 * 1024];
	uint64_t n;

	if (io_read_file(AT_FDCWD, "/proc/self/status", text, sizeof(text)) ==
		-1 ||
	    io_field_u64(text, "Seccomp_filters", 10, &n) == -1)
		return (-1);
	*out = (uint32_t)n;
	return (0);
}

/* The plan's strings lie in m, so m must outlive the launch. */
static int
plan_serve(struct channel *ch, struct msg *m)
{
	static struct plan plan;
	struct launch l = {.plan = &plan,
	    .uid = geteuid(),
	    .gid = getegid(),
	    .init_sock = -1,
	    .gate = -1,
	    .root_fd = -1,
	    .proc_fd = -1,
	    .host_proc = -1,
	    .timer_fd = -1,
	    .init_pidfd = -1,
	    .job_pidfd = -1,
	    .job_proc = -1};
	struct fault fault = {.control = CTL_PLAN_FILTER,
	    .class = FAULT_HOST,
	    .step = STEP_READ_PROC};
	int r;

	if (plan_judge(&plan, m, &fault) == -1 ||
	    filters_before(&l.filters_before) == -1) {
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
