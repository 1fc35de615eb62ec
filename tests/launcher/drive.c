/*
 * drive.c - plays the broker: spawns the launcher, sends plans, collects. Plans
 * are drive_plan.c's.
 */
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drive.h"
#include "words.h"

#define ANSWER_MS 20000

const char *drive_program = "agsbx-launcher";
void (*drive_before_exec)(void);

static enum drive_host current_host;

/* A sysctl that is set to 0 there: it is the user namespace's own. */
static const char *const host_sysctls[HOST__MAX] = {
    [HOST_NO_USERNS] = "/proc/sys/user/max_user_namespaces",
    [HOST_NO_NETNS] = "/proc/sys/user/max_net_namespaces",
};

static int
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int rc = fd == -1 || write(fd, text, strlen(text)) == -1 ? -1 : 0;

	if (fd != -1)
		close(fd);
	return (rc);
}

static int
enter_host(enum drive_host host)
{
	char uid[32], gid[32];

	if (host == HOST_PLAIN)
		return (0);
	(void)snprintf(uid, sizeof(uid), "0 %u 1", geteuid());
	(void)snprintf(gid, sizeof(gid), "0 %u 1", getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1 ||
	    write_text("/proc/self/setgroups", "deny") == -1 ||
	    write_text("/proc/self/uid_map", uid) == -1 ||
	    write_text("/proc/self/gid_map", gid) == -1)
		return (-1);
	if (host_sysctls[host] != NULL)
		return (write_text(host_sysctls[host], "0"));
	return (mount("none", "/proc/fs", "tmpfs", 0, NULL));
}

void
drive_host(enum drive_host host)
{
	int status;
	pid_t pid = fork();

	assert_int_not_equal(pid, -1);
	if (pid == 0)
		_exit(enter_host(host) == -1 ? errno : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	current_host = status == 0 ? host : HOST_PLAIN;
	if (status == 0)
		return;
	print_message("not on this host: %s\n", strerror(WEXITSTATUS(status)));
	skip();
}

static void
spawn(struct drive *d, int sock)
{
	const char *b = getenv("B");
	char path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", b == NULL ? "build" : b,
	    drive_program);
	d->launcher = fork();
	assert_int_not_equal(d->launcher, -1);
	if (d->launcher != 0)
		return;
	if (drive_before_exec != NULL)
		drive_before_exec();
	if (dup2(sock, 3) == 3 && enter_host(current_host) == 0)
		execl(path, "agsbx-launcher", (char *)NULL);
	dprintf(STDERR_FILENO, "%s: %s\n", path, strerror(errno));
	_exit(127);
}

/* The type of the next message, or -1 when the launcher has closed. */
static int
hear(struct drive *d, struct msg *m)
{
	struct pollfd fd = {.fd = d->ch.fd, .events = POLLIN};

	assert_int_equal(poll(&fd, 1, ANSWER_MS), 1);
	switch (msg_recv(&d->ch, m)) {
	case 1:
		return ((int)m->type);
	case 0:
		return (-1);
	default:
		return (errno == ECONNRESET ? -1 : MSG__MAX);
	}
}

void
drive_start(struct drive *d)
{
	static struct msg m;
	int pair[2], leaf = d->leaf;

	memset(d, 0, sizeof(*d));
	d->in = d->out = -1;
	d->leaf = leaf;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
			     pair),
	    0);
	spawn(d, pair[1]);
	close(pair[1]);
	d->ch = (struct channel){.fd = pair[0],
	    .side = SIDE_BROKER,
	    .state = CH_NEW};
	assert_int_equal(hear(d, &m), MSG_HELLO);
	memcpy(&d->hello, m.body, sizeof(d->hello));
}

int
drive_send_bytes(struct drive *d, const void *bytes, size_t len, const int *fds,
    unsigned int fd_count)
{
	static struct msg m;
	int type;

	assert_int_equal(msg_send(&d->ch, MSG_PLAN, bytes, len, fds, fd_count),
	    0);
	type = hear(d, &m);
	if (type == MSG_HELD || type == MSG_REFUSED)
		memcpy(&d->report, m.body, sizeof(d->report));
	return (type);
}

int
drive_send(struct drive *d, const struct plan *p)
{
	static uint8_t bytes[PLAN_BYTES_MAX];
	long len = drive_encode(p, bytes, sizeof(bytes));
	int in[2], out[2], type;

	assert_true(len > 0);
	if (d->in != -1)
		close(d->in);
	if (d->out != -1)
		close(d->out);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	d->in = in[1];
	d->out = out[0];
	type = drive_send_bytes(d, bytes, (size_t)len,
	    (const int[]){in[0], out[1], out[1], d->leaf},
	    p->has_cgroup ? 4 : 3);
	close(in[0]);
	close(out[1]);
	return (type);
}

void
drive_go(struct drive *d)
{
	assert_int_equal(msg_send(&d->ch, MSG_GO, NULL, 0, NULL, 0), 0);
}

void
drive_kill(struct drive *d, uint32_t grace_ms)
{
	struct msg_kill kill = {.grace_ms = grace_ms};

	assert_int_equal(msg_send(&d->ch, MSG_KILL, &kill, sizeof(kill), NULL,
			     0),
	    0);
}

static void
drain(struct drive *d)
{
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(d->output) - 1 &&
	    (n = read(d->out, d->output + have, sizeof(d->output) - 1 - have)) >
		0)
		have += (size_t)n;
	d->output[have] = '\0';
}

int
drive_finish(struct drive *d)
{
	static struct msg m;
	int type = hear(d, &m);

	if (type != MSG_EXITED)
		return (-1);
	memcpy(&d->exited, m.body, sizeof(d->exited));
	drain(d);
	return (d->exited.wait_status);
}

int
drive_end(struct drive *d)
{
	int status;

	close(d->ch.fd);
	if (d->in != -1)
		close(d->in);
	if (d->out != -1)
		close(d->out);
	assert_int_equal(waitpid(d->launcher, &status, 0), d->launcher);
	return (status);
}

int
drive_run(struct drive *d, const struct plan *p)
{
	int status;

	drive_start(d);
	if (drive_send(d, p) != MSG_HELD) {
		drive_print_rows(d);
		fail_msg("not held");
	}
	drive_go(d);
	status = drive_finish(d);
	assert_int_equal(drive_end(d), 0);
	return (status);
}

void
drive_skip_root(void)
{
	if (geteuid() != 0)
		return;
	print_message("the launcher refuses the host's root\n");
	skip();
}

void
drive_print_rows(const struct drive *d)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		const struct readback *row = &d->report.rows[ctl];

		if (row->state != READBACK_HELD && row->state != READBACK_OFF)
			print_message("%s: state %u: cannot %s: %s\n",
			    controls[ctl].name, row->state,
			    step_text(row->step), strerror(row->err));
	}
}
