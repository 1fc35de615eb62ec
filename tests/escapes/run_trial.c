/*
 * run_trial.c - runs one trial: the directory that witnesses look into, the
 * process, its streams, and what it answered.
 *
 * The worker that calls it is a child subreaper: whatever an ablated job
 * leaves behind becomes its child, and is ended here.
 */
#include <sys/pidfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

#define LIMIT_S 20
#define DRAIN_MS 200

struct streams {
	int in; /* our ends */
	int out;
	int err;
	int doc;
};

static int64_t
now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

/* Pipes, all above what a child moves them to. */
static int
open_streams(struct streams *s, int *theirs)
{
	int pairs[4][2];

	for (int i = 0; i < 4; i++) {
		if (pipe2(pairs[i], O_CLOEXEC) == -1)
			return (-1);
		for (int j = 0; j < 2; j++) {
			int high = fcntl(pairs[i][j], F_DUPFD_CLOEXEC, 20);

			(void)close(pairs[i][j]);
			pairs[i][j] = high;
		}
		theirs[i] = pairs[i][i == 0 ? 0 : 1];
	}
	*s = (struct streams){pairs[0][1], pairs[1][0], pairs[2][0],
	    pairs[3][0]};
	return (0);
}

static char doc_text[256U * 1024];
static size_t doc_len;

/* How many bytes came; the end closes it. */
static size_t
take(int *fd, char *buf, size_t size, size_t *len)
{
	char spill[4096];
	ssize_t n;

	if (*len < size - 1)
		n = read(*fd, buf + *len, size - 1 - *len);
	else
		n = read(*fd, spill, sizeof(spill));
	if (n <= 0) {
		(void)close(*fd);
		*fd = -1;
		return (0);
	}
	if (*len < size - 1)
		*len += (size_t)n;
	buf[*len] = '\0';
	return ((size_t)n);
}

/* The probe waits: look at it, then let it go. */
static void
look(struct trial *t, struct streams *s)
{
	if (s->in == -1 || strstr(t->output, "holding\n") == NULL)
		return;
	t->probe = find_comm(t->comm);
	if (t->attempt->witness->is_held)
		t->has_escaped = t->attempt->witness->judge(t);
	(void)close(s->in);
	s->in = -1;
}

/* Until it ends: what it left behind may keep its streams open. */
static void
talk(struct trial *t, struct streams *s, int pidfd, int64_t deadline)
{
	size_t err_len = 0;

	doc_len = 0;
	while (s->out != -1 || s->err != -1 || s->doc != -1) {
		struct pollfd fds[] = {{.fd = s->out, .events = POLLIN},
		    {.fd = s->err, .events = POLLIN},
		    {.fd = s->doc, .events = POLLIN},
		    {.fd = pidfd, .events = POLLIN}};
		int64_t left = deadline - now_ms();

		if (left <= 0 || poll(fds, 4, (int)left) <= 0)
			break;
		if (fds[3].revents != 0) {
			pidfd = -1;
			deadline = now_ms() + DRAIN_MS;
		}
		if (fds[0].revents != 0)
			t->output_seen += take(&s->out, t->output,
			    sizeof(t->output), &t->output_len);
		if (fds[1].revents != 0)
			take(&s->err, t->errors, sizeof(t->errors), &err_len);
		if (fds[2].revents != 0)
			take(&s->doc, doc_text, sizeof(doc_text), &doc_len);
		look(t, s);
	}
}

static void
close_streams(struct streams *s)
{
	int *const fds[] = {&s->in, &s->out, &s->err, &s->doc};

	for (size_t i = 0; i < 4; i++) {
		if (*fds[i] != -1)
			(void)close(*fds[i]);
	}
}

/* Waits until the deadline; then it is ended, with all that it made. */
static void
reap(struct trial *t, pid_t pid, int64_t deadline)
{
	while (waitpid(pid, &t->status, WNOHANG) == 0) {
		if (now_ms() > deadline) {
			t->is_late = true;
			(void)kill(-pid, SIGKILL);
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, &t->status, 0);
			return;
		}
		(void)usleep(2000);
	}
}

int
trial_run(struct trial *t, const struct attempt *a, bool is_naked,
    unsigned int without, const char *variant)
{
	struct streams s;
	int theirs[4];
	char tty[64];
	int64_t deadline;
	int pidfd, rc;
	pid_t pid;

	*t = (struct trial){.attempt = a,
	    .is_naked = is_naked,
	    .without = without,
	    .variant = variant,
	    .listener = -1,
	    .tty = -1,
	    .job_status = -1};
	if (trial_prepare(t, tty, sizeof(tty)) == -1 ||
	    open_streams(&s, theirs) == -1) {
		(void)snprintf(t->errors, sizeof(t->errors),
		    "cannot prepare a trial: %s", strerror(errno));
		return (-1);
	}
	deadline = now_ms() + 1000 * (a->limit_s != 0 ? a->limit_s : LIMIT_S);
	pid = fork();
	if (pid == 0)
		trial_exec(t, theirs, tty);
	for (int i = 0; i < 4; i++)
		(void)close(theirs[i]);
	pidfd = pidfd_open(pid, 0);
	talk(t, &s, pidfd, deadline);
	(void)close(pidfd);
	reap(t, pid, deadline);
	if (!is_naked && doc_len > 0)
		t->doc = json_loadb(doc_text, doc_len, 0, NULL);
	if (a->logs_stdout)
		witness_read_log(t);
	rc = trial_answer(t); /* with the job's status, which a witness needs */
	if (!a->witness->is_held)
		t->has_escaped = a->witness->judge(t);
	close_streams(&s);
	return (rc);
}
