/*
 * attack.c - runs the jobs of doctor --attack, one after the other, each with a
 * broker of its own: a broker confines itself for one job.  Collects what they
 * tell.  Called by doctor.c, before it becomes a broker itself.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"
#include "io.h"
#include "signals.h"
#include "spawn.h"

const struct attack_info attack_infos[ATTACK__MAX] = {
#define ATTACK(id, ctl, job, who, want, what, ...) \
	[ATTACK_##id] = {.name = #id, \
	    .control = CTL_##ctl, \
	    .batch = ATTACK_##job, \
	    .witness = ATTACK_##who, \
	    .wants = want, \
	    .tries = what, \
	    .words = {__VA_ARGS__}},
#include "attacks.def"
#undef ATTACK
};

const char *const attack_verdicts[ATTACK_VERDICT__MAX] = {
    [ATTACK_SKIPPED] = "skipped",
    [ATTACK_CONTAINED] = "contained",
    [ATTACK_OFF] = "off",
    [ATTACK_OPEN] = "open",
    [ATTACK_ESCAPED] = "escaped",
    [ATTACK_UNANSWERED] = "unanswered",
};

const char *
attack_name(enum attack a, char buf[ATTACK_NAME_SIZE])
{
	(void)strlcpy(buf, attack_infos[a].name, ATTACK_NAME_SIZE); /* fits */
	for (char *p = buf; *p != '\0'; p++)
		*p = *p == '_' ? '-' : *p;
	return (buf);
}

enum attack_batch
attack_job(enum attack a)
{
	enum attack_batch batch = attack_infos[a].batch;

	return (batch == ATTACK_INIT ? ATTACK_BASE : batch);
}

unsigned int
attack_count(const struct attack_report *r, enum attack_verdict verdict)
{
	unsigned int count = 0;

	for (enum attack a = 0; a < ATTACK__MAX; a++)
		count += r->results[a].verdict == verdict ? 1 : 0;
	return (count);
}

/* Reads all that the child tells; a signal meanwhile goes on to it. */
static int
listen_to(pid_t pid, int from, int signal_fd, struct attack_told *told,
    int *sig)
{
	struct pollfd fds[] = {{.fd = from, .events = POLLIN},
	    {.fd = signal_fd, .events = POLLIN}};
	size_t len = 0;
	ssize_t n;

	for (;;) {
		if (poll(fds, 2, -1) == -1 && errno != EINTR)
			return (-1);
		if (fds[1].revents != 0 && (*sig = signals_read(signal_fd)) > 0)
			(void)kill(pid, *sig); /* it may have ended */
		if (fds[0].revents == 0)
			continue;
		n = read(from, (char *)told + len, sizeof(*told) - len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0 || (len += (size_t)n) == sizeof(*told))
			break;
	}
	return (len == sizeof(*told) ? 0 : -1);
}

/* Its broker may have been taken over: texts end, numbers are in range. */
static bool
told_is_sane(struct attack_told *t)
{
	t->id[sizeof(t->id) - 1] = '\0';
	t->tenant[sizeof(t->tenant) - 1] = '\0';
	t->d.message[sizeof(t->d.message) - 1] = '\0';
	t->d.file[sizeof(t->d.file) - 1] = '\0';
	for (enum attack a = 0; a < ATTACK__MAX; a++) {
		t->results[a].why[sizeof(t->results[a].why) - 1] = '\0';
		if ((unsigned int)t->results[a].verdict >= ATTACK_VERDICT__MAX)
			return (false);
	}
	return ((unsigned int)t->end <= ATTACK_JOB_INTERRUPTED &&
	    (unsigned int)t->d.code < DIAG__MAX);
}

static int
run_child(struct session *s, enum attack_batch batch, int program,
    int signal_fd, struct attack_told *told, struct diag *d)
{
	int ends[2], rc, sig = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) == -1 || (pid = fork()) == -1)
		return (diag_set(d, DIAG_INTERNAL, "cannot start a broker: %s",
		    strerror(errno)));
	if (pid == 0) {
		(void)close(ends[0]);
		attack_job_run(s, batch, program, ends[1]);
	}
	(void)close(ends[1]);
	rc = listen_to(pid, ends[0], signal_fd, told, &sig);
	(void)close(ends[0]);
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		continue;
	if (sig > 0)
		return (sig);
	if (rc == -1 || !told_is_sane(told))
		return (diag_set(d, DIAG_INTERNAL,
		    "a broker died while its job was attacked; agsbx recover "
		    "closes the row"));
	if (told->end == ATTACK_JOB_INTERRUPTED)
		return (told->signal);
	if (told->end == ATTACK_JOB_FAILED)
		*d = told->d;
	return (told->end == ATTACK_JOB_FAILED ? -1 : 0);
}

static void
keep(struct attack_report *out, enum attack_batch batch,
    const struct attack_told *told)
{
	bool is_refused = told->end == ATTACK_JOB_REFUSED;

	out->is_refused = out->is_refused || is_refused;
	(void)strlcpy(out->jobs[batch], told->id, sizeof(out->jobs[batch]));
	(void)strlcpy(out->tenant, told->tenant, sizeof(out->tenant));
	for (enum attack a = 0; a < ATTACK__MAX; a++)
		if (attack_job(a) == batch && !is_refused)
			out->results[a] = told->results[a];
}

static int
run_all(struct session *s, int program, int signal_fd,
    struct attack_report *out, struct diag *d)
{
	static struct attack_told told;
	int rc = 0;

	for (enum attack a = 0; a < ATTACK__MAX; a++)
		(void)strlcpy(out->results[a].why, "no job can run here",
		    sizeof(out->results[a].why));
	for (enum attack_batch b = 0;
	     b < ATTACK_BATCH__MAX && rc == 0 && !out->is_refused; b++) {
		if (b == ATTACK_INIT)
			continue;
		told = (struct attack_told){.end = ATTACK_JOB_FAILED};
		rc = run_child(s, b, program, signal_fd, &told, d);
		if (rc == 0)
			keep(out, b, &told);
	}
	return (rc);
}

int
attack_all(struct session *s, struct attack_report *out, struct diag *d)
{
	int program, signal_fd, rc;

	*out = (struct attack_report){.is_refused = false};
	if ((program = attack_open(d)) == -1)
		return (-1);
	signal_fd = signals_open(d);
	rc = signal_fd == -1 ? -1 : run_all(s, program, signal_fd, out, d);
	io_close(&signal_fd);
	io_close(&program);
	return (rc);
}
