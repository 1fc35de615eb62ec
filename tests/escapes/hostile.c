/*
 * hostile.c - agsbx-launcher-hostile: a launcher that was taken over.
 *
 * It builds nothing and runs nothing.  It says HELLO, takes the plan, reports
 * that all of it is held, waits for GO and says that the job has ended well;
 * AGSBX_HOSTILE names the one thing that is wrong with what it says.  agsbx-test
 * starts it in place of a launcher; the drills of broker.def look at what agsbx
 * makes of it.  Nothing that is shipped knows of it.
 */
#include <sys/socket.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ablate.h"
#include "build_id.h"
#include "msg.h"

#define BROKER_FD 3
#define FDS_MAX 64
#define LONG_BYTES (MSG_BYTES_MAX + 9000U)

/* What is wrong, and a number for it: "length=4294967295". */
static const char *wrong;
static unsigned long number;

static bool
is_wrong(const char *what)
{
	size_t len = strlen(what);

	return (strncmp(wrong, what, len) == 0 &&
	    (wrong[len] == '=' || wrong[len] == '\0'));
}

static int
hello_send(struct channel *ch)
{
	struct msg_hello hello = {.control_count = CTL__MAX};

	memcpy(hello.floor_id, filter_floor_id, sizeof(hello.floor_id));
	memcpy(hello.build_id, AGSBX_BUILD_ID, sizeof(AGSBX_BUILD_ID));
	return (msg_send(ch, MSG_HELLO, &hello, sizeof(hello), NULL, 0));
}

/* A datagram as no table permits it. */
static int
send_raw(const struct msg_header *header, const void *body, size_t len,
    unsigned int fd_count)
{
	static unsigned char bytes[LONG_BYTES];
	char control[CMSG_SPACE(sizeof(int) * FDS_MAX)] = {0};
	struct iovec iov = {bytes, sizeof(*header) + len};
	struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *c;
	int fds[FDS_MAX];

	memcpy(bytes, header, sizeof(*header));
	memcpy(bytes + sizeof(*header), body, len);
	if (is_wrong("long"))
		iov.iov_len = sizeof(bytes);
	if (fd_count > 0) {
		for (unsigned int i = 0; i < fd_count; i++)
			fds[i] = BROKER_FD;
		mh.msg_control = control;
		mh.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * fd_count);
	}
	return (sendmsg(BROKER_FD, &mh, MSG_NOSIGNAL) == -1 ? -1 : 0);
}

/* What an honest launcher reports of this plan. */
static void
report_fill(struct msg_report *r, const struct plan *p)
{
	const struct {
		enum control ctl;
		uint64_t want;
	} known[] = {{CTL_MEMORY, p->memory_bytes},
	    {CTL_PROCESSES, p->max_procs}, {CTL_CPU, p->cpu_ms},
	    {CTL_CPUSHARE, p->cpu_quota_percent},
	    {CTL_SCRATCH, p->scratch_bytes}, {CTL_CAPABILITIES, 0}};

	*r = (struct msg_report){.init_pid = getpid(),
	    .job_pid = getpid(),
	    .count = CTL__MAX};
	for (unsigned int c = 0; c < CTL__MAX; c++) {
		if ((p->controls & CONTROL_BIT(c)) == 0)
			continue;
		r->rows[c] = (struct readback){.state = READBACK_HELD,
		    .want = 1,
		    .got = 1};
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (known[i].ctl == c)
				r->rows[c].want = r->rows[c].got =
				    known[i].want;
		}
	}
}

/* The control number is not held, in one of the ways that there are. */
static void
report_spoil(struct msg_report *r)
{
	const struct {
		const char *what;
		uint8_t state;
	} ways[] = {{"off", READBACK_OFF}, {"pending", READBACK_PENDING},
	    {"fault", READBACK_FAULT}, {"less", READBACK_HELD}};
	struct readback *row = &r->rows[number % CTL__MAX];

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!is_wrong(ways[i].what))
			continue;
		if (number >= CTL__MAX || row->state != READBACK_HELD)
			exit(1); /* it is not in this plan */
		row->state = ways[i].state;
		if (row->state == READBACK_HELD)
			row->got ^= 1;
	}
}

static int
exited_send(void)
{
	struct msg_exited exited = {0};
	struct msg_header header = {PROTO_MAGIC, PROTO_VERSION, MSG_EXITED,
	    (uint32_t)(sizeof(header) + sizeof(exited)), 0};
	const struct {
		const char *what;
		void *field;
		size_t size;
	} fields[] = {{"length", &header.length, sizeof(header.length)},
	    {"type", &header.type, sizeof(header.type)},
	    {"magic", &header.magic, sizeof(header.magic)},
	    {"reserved", &header.reserved, sizeof(header.reserved)},
	    {"status", &exited.wait_status, sizeof(exited.wait_status)},
	    {"exec", &exited.exec_errno, sizeof(exited.exec_errno)},
	    {"flags", &exited.flags, sizeof(exited.flags)}};

	/* Of this machine's byte order: the low bytes come first. */
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (is_wrong(fields[i].what))
			memcpy(fields[i].field, &number, fields[i].size);
	}
	return (send_raw(&header, &exited, sizeof(exited),
	    is_wrong("fds") ? (unsigned int)(number % FDS_MAX) : 0));
}

int
main(void)
{
	static struct msg m;
	static struct plan plan;
	struct channel ch = {.fd = BROKER_FD,
	    .side = SIDE_LAUNCHER,
	    .state = CH_NEW};
	struct msg_report report;
	const char *at;

	wrong = getenv(HOSTILE_ENV);
	if (wrong == NULL)
		return (1);
	at = strchr(wrong, '=');
	number = at != NULL ? strtoul(at + 1, NULL, 0) : 0;
	if (hello_send(&ch) == -1 || msg_recv(&ch, &m) != 1 ||
	    m.type != MSG_PLAN ||
	    plan_decode(&plan, m.body, m.body_len) != STEP_NONE)
		return (1);
	msg_close_fds(&m); /* the job's pipes: nobody writes to them */
	if (is_wrong("silent")) {
		for (;;)
			(void)pause();
	}
	report_fill(&report, &plan);
	report_spoil(&report);
	if (msg_send(&ch, MSG_HELD, &report, sizeof(report), NULL, 0) == -1 ||
	    msg_recv(&ch, &m) != 1 || m.type != MSG_GO)
		return (1);
	return (exited_send() == -1);
}
