/*
 * Runs agsbx under ptrace(2): follows broker, launcher, init and job up to the
 * job's exec, and waits for all of them.  Judges nothing.  Called by trial.c.
 */
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace_int.h"

#define OPTIONS \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	    PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

const char *const role_names[ROLE__MAX] = {
    [ROLE_BROKER] = "broker",
    [ROLE_LAUNCHER] = "launcher",
    [ROLE_INIT] = "init",
    [ROLE_JOB] = "job",
    [ROLE_OTHER] = "other",
};

/* Waits until it is attached to, then becomes agsbx. */
static _Noreturn void
become_agsbx(const struct trace_options *o, int ready)
{
	char byte;
	sigset_t none;

	if (dup2(o->out_fd, STDOUT_FILENO) == -1 ||
	    dup2(o->err_fd, STDERR_FILENO) == -1 ||
	    read(ready, &byte, 1) != 1 || sigemptyset(&none) == -1 ||
	    sigprocmask(SIG_SETMASK, &none, NULL) == -1)
		_exit(126);
	(void)execve(o->argv[0], o->argv, o->envp);
	_exit(126);
}

static pid_t
start(const struct trace_options *o)
{
	int pair[2], err;
	pid_t pid;

	if (pipe(pair) == -1)
		return (-1);
	pid = fork();
	if (pid == 0) {
		(void)close(pair[1]);
		become_agsbx(o, pair[0]);
	}
	if (pid != -1 &&
	    (ptrace(PTRACE_SEIZE, pid, NULL, OPTIONS) == -1 ||
		write(pair[1], "", 1) != 1)) {
		err = errno;
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		errno = err;
		pid = -1;
	}
	(void)close(pair[0]);
	(void)close(pair[1]);
	return (pid);
}

struct tracee *
tracer_find_role(struct tracer *tr, enum role role)
{
	for (size_t i = 0; i < tr->count; i++)
		if (tr->tracees[i].role == role)
			return (&tr->tracees[i]);
	return (NULL);
}

static struct tracee *
find(struct tracer *tr, pid_t pid)
{
	for (size_t i = 0; i < tr->count; i++)
		if (tr->tracees[i].pid == pid && tr->tracees[i].is_alive)
			return (&tr->tracees[i]);
	return (NULL);
}

static pid_t
parent_of(pid_t pid)
{
	char path[64], line[256];
	int parent = -1;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if ((f = fopen(path, "re")) == NULL)
		return (-1);
	while (parent == -1 && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "PPid:", 5) == 0)
			parent = (int)strtol(line + 5, NULL, 10);
	(void)fclose(f);
	return (parent);
}

/* One below its parent; the first such child only, others are canaries. */
static enum role
role_of(struct tracer *tr, pid_t pid)
{
	const struct tracee *parent = find(tr, parent_of(pid));
	enum role role;

	if (tr->count == 0)
		return (ROLE_BROKER);
	if (parent == NULL || parent->role >= ROLE_JOB)
		return (ROLE_OTHER);
	role = (enum role)((int)parent->role + 1);
	return (tracer_find_role(tr, role) == NULL ? role : ROLE_OTHER);
}

static struct tracee *
add(struct tracer *tr, pid_t pid)
{
	struct tracee *t = &tr->tracees[tr->count];

	if (tr->count == TRACEES_MAX) {
		errno = E2BIG;
		return (NULL);
	}
	*t = (struct tracee){.pid = pid,
	    .role = role_of(tr, pid),
	    .born_at = trace_now_us(),
	    .is_alive = true};
	t->is_free = t->role == ROLE_OTHER;
	tr->count++;
	clock_arm(tr, t->role);
	return (t);
}

/* A process that is no longer stopped here was killed: it has not run, and will
 * not, one instruction of the command. */
static bool
is_killed(pid_t pid)
{
	unsigned long unused;

	return (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &unused) == -1 &&
	    errno == ESRCH);
}

static int
on_exec(struct tracer *tr, struct tracee *t)
{
	const struct tracee *init = tracer_find_role(tr, ROLE_INIT);
	struct trace_result *r = tr->r;

	if (t->role != ROLE_JOB || r->did_exec)
		return (0);
	t->is_free = true;
	r->witness = witness_take(t->pid, init->pid);
	r->did_exec = !is_killed(t->pid);
	return (r->did_exec && r->witness == NULL ? -1 : 0);
}

/* Only where a call may still be the one: each stop costs two switches. */
static bool
is_counted(const struct tracer *tr, const struct tracee *t)
{
	const struct injection *in = &tr->o->injection;

	if (t->is_free)
		return (false);
	if (tr->o->is_recorded || t->is_injected)
		return (true);
	return (in->deed != DEED_NONE && in->after_us == 0 &&
	    in->role == t->role && !tr->r->was_injected);
}

/* Goes on after a stop; sig is what it was stopped by.  A process may be dead
 * by SIGKILL at any moment, which is no error. */
static int
resume(const struct tracer *tr, const struct tracee *t, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);
	bool is_watched = is_counted(tr, t);
	long rc;

	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP)
		rc = ptrace(PTRACE_LISTEN, t->pid, NULL, NULL);
	else
		rc = ptrace(is_watched ? PTRACE_SYSCALL : PTRACE_CONT, t->pid,
		    NULL,
		    event != 0 || sig == (SIGTRAP | 0x80) ? 0L : (long)sig);
	return (rc == -1 && errno != ESRCH ? -1 : 0);
}

static int
on_stop(struct tracer *tr, pid_t pid, int status)
{
	struct tracee *t = find(tr, pid);
	int rc = 0;

	if (t == NULL && (t = add(tr, pid)) == NULL)
		return (-1);
	if (status >> 16 == PTRACE_EVENT_EXEC)
		rc = on_exec(tr, t);
	else if (WSTOPSIG(status) == (SIGTRAP | 0x80) && !t->is_free)
		rc = inject_syscall(tr, t);
	if (rc == -1 && errno != ESRCH)
		return (-1);
	return (resume(tr, t, status));
}

static void
on_end(struct tracer *tr, pid_t pid, int status)
{
	struct tracee *t = find(tr, pid);

	if (t == NULL)
		return;
	t->is_alive = false;
	tr->r->life_us[t->role] = trace_now_us() - t->born_at;
	if (t->role == ROLE_BROKER)
		tr->r->status = status;
	if (t->role == ROLE_JOB)
		tr->r->job_status = status;
}

/* Until no child is left, each of which is also a tracee. */
static int
follow(struct tracer *tr)
{
	int status, rc = 0;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, __WALL);
		if (pid == -1 && errno == ECHILD)
			break;
		if (pid == -1 && errno != EINTR)
			return (-1);
		if (pid > 0 && WIFSTOPPED(status)) {
			if (on_stop(tr, pid, status) == -1) {
				rc = -1;
				clock_kill_all(tr);
			}
		} else if (pid > 0) {
			on_end(tr, pid, status);
		}
		clock_look(tr);
	}
	tr->r->ms = (trace_now_us() - tr->started_at) / 1000;
	return (rc);
}

int
trace_run(const struct trace_options *o, struct trace_result *r)
{
	struct tracer *tr = calloc(1, sizeof(*tr));
	int rc;

	*r = (struct trace_result){.status = -1, .job_status = -1};
	if (tr == NULL)
		return (-1);
	tr->o = o;
	tr->r = r;
	tr->started_at = trace_now_us();
	rc = start(o) == -1 ? -1 : follow(tr);
	free(tr);
	return (rc);
}

void
trace_free(struct trace_result *r)
{
	free(r->witness);
	free(r->calls);
	*r = (struct trace_result){.status = -1, .job_status = -1};
}
