/*
 * Decides why a job ended: a table of (condition, state, reason, text), read
 * from the top; the first that holds is the verdict.  Pure: no clock, no
 * descriptor.  Called by run.c when everything is known.
 */
#include <sys/wait.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verdict.h"

struct verdict_row {
	bool (*holds)(const struct ending *e);
	enum job_state state;
	enum reason reason;
	char *(*detail)(const struct ending *e);
};

static char *__attribute__((format(printf, 1, 2))) text(const char *fmt, ...)
{
	char *out = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&out, fmt, ap) == -1)
		out = NULL;
	va_end(ap);
	return (out);
}

const char *
verdict_signal_name(int sig)
{
	const char *name = sigabbrev_np(sig);

	return (name != NULL ? name : "?");
}

static bool
has_flag(const struct ending *e, uint32_t flag)
{
	return (e->has_exited && (e->exited.flags & flag) != 0);
}

static int
ended_by(const struct ending *e)
{
	return (e->has_exited && WIFSIGNALED(e->exited.wait_status) ?
		WTERMSIG(e->exited.wait_status) :
		0);
}

static bool
is_ours(const struct ending *e)
{
	return (e->cause == KILL_OURS);
}

static char *
ours_text(const struct ending *e)
{
	return (text("%s",
	    e->failure != NULL ? e->failure->message : "internal error"));
}

static bool
is_exec(const struct ending *e)
{
	return (e->has_exited && e->exited.exec_errno != 0);
}

/* What execve(2) means by its errno, for a person. */
static const struct {
	int err;
	const char *text;
} exec_texts[] = {
    {ENOENT, "not found inside the sandbox"},
    {ELIBBAD, "its interpreter is missing inside the sandbox"},
    {EACCES, "a directory, or a file that is not executable"},
    {ENOEXEC, "neither an ELF program nor a script with a #! line"},
    {E2BIG, "its arguments are too long"},
};

static char *
exec_text(const struct ending *e)
{
	int err = e->exited.exec_errno;
	const char *why = strerror(err);

	for (size_t i = 0; i < sizeof(exec_texts) / sizeof(exec_texts[0]); i++)
		if (exec_texts[i].err == err)
			why = exec_texts[i].text;
	if (err == ENOENT && e->hint != NULL)
		return (text("%s: %s; %s", e->command, why, e->hint));
	return (text("%s: %s", e->command, why));
}

static bool
is_interrupt(const struct ending *e)
{
	return (e->cause == KILL_SIGNAL);
}

static char *
interrupt_text(const struct ending *e)
{
	return (text("agsbx got SIG%s", verdict_signal_name(e->signal)));
}

static bool
is_pipe(const struct ending *e)
{
	return (e->cause == KILL_PIPE);
}

static char *
pipe_text(const struct ending *e)
{
	(void)e;
	return (text("the reader of agsbx's output is gone"));
}

static bool
is_output(const struct ending *e)
{
	return (e->cause == KILL_OUTPUT);
}

/* "output 64M (--max-output)": the limit, its value and who set it. */
static char *
limit_text(const struct ending *e, enum limit l)
{
	const struct origin *o = policy_limit_origin(e->policy, l);
	char value[32];

	(void)value_print(limit_infos[l].kind, e->policy->limits[l], value,
	    sizeof(value));
	if (o->flag != NULL)
		return (
		    text("%s %s (%s)", limit_infos[l].what, value, o->flag));
	if (o->file != NULL)
		return (text("%s %s (%s:%u)", limit_infos[l].what, value,
		    o->file, o->line));
	return (text("%s %s (default; --%s)", limit_infos[l].what, value,
	    limit_infos[l].flag));
}

static char *
output_text(const struct ending *e)
{
	return (limit_text(e, LIMIT_MAX_OUTPUT));
}

/* init's own deadline, or our KILL that it carried out, or a launcher that
 * heard neither and was killed. */
static bool
is_wall(const struct ending *e)
{
	return (has_flag(e, EXITED_BY_DEADLINE) ||
	    (e->cause == KILL_WALL &&
		(!e->has_exited || has_flag(e, EXITED_BY_KILL))));
}

static char *
wall_text(const struct ending *e)
{
	return (limit_text(e, LIMIT_WALL));
}

static uint64_t
cpu_ms(const struct ending *e)
{
	return (e->exited.cpu_us / 1000);
}

/* init's count, or RLIMIT_CPU of one process: SIGXCPU, or SIGKILL where soft
 * and hard limit are equal, and then only if so much was used. */
static bool
is_cpu(const struct ending *e)
{
	uint64_t limit = e->policy->limits[LIMIT_CPU];
	int sig = ended_by(e);

	return (has_flag(e, EXITED_BY_CPU) ||
	    ((sig == SIGXCPU || sig == SIGKILL) && cpu_ms(e) >= limit));
}

static char *
cpu_text(const struct ending *e)
{
	return (limit_text(e, LIMIT_CPU));
}

static bool
has_risen(const struct ending *e, enum leaf_counter c)
{
	return (e->counters.values[c] > 0);
}

/* The kernel kills the whole leaf at once, init included; a job that was not
 * killed did not end by it. */
static bool
is_memory(const struct ending *e)
{
	return (has_risen(e, LEAF_OOM_KILLS) &&
	    (!e->has_exited || has_flag(e, EXITED_INIT_LOST) ||
		ended_by(e) == SIGKILL));
}

static char *
memory_text(const struct ending *e)
{
	return (limit_text(e, LIMIT_MEMORY));
}

static bool
is_lost(const struct ending *e)
{
	return (!e->has_exited || has_flag(e, EXITED_INIT_LOST));
}

static char *
lost_text(const struct ending *e)
{
	if (e->failure != NULL && e->failure->code != DIAG_NONE)
		return (ours_text(e));
	return (text("the job's end was not reported: its init or launcher "
		     "died"));
}

static bool
is_syscall(const struct ending *e)
{
	return (ended_by(e) == SIGSYS);
}

/* seccomp(2): who waits for the process learns the signal and no more.  Only a
 * tracer or a listener would be told the number, and the kernel's log is. */
static char *
syscall_text(const struct ending *e)
{
	(void)e;
	return (text("signal SYS: a system call of another architecture (the "
		     "kernel's log has its number, audit type=1326), or its "
		     "own doing"));
}

/* A fork was refused at the ceiling, and the job ended badly by itself. */
static bool
is_processes(const struct ending *e)
{
	return (has_risen(e, LEAF_PROCESSES_REFUSED) &&
	    (ended_by(e) != 0 || WEXITSTATUS(e->exited.wait_status) != 0));
}

static char *
processes_text(const struct ending *e)
{
	return (limit_text(e, LIMIT_MAX_PROCS));
}

static bool
is_signal(const struct ending *e)
{
	return (ended_by(e) != 0);
}

static char *
signal_text(const struct ending *e)
{
	return (text("signal %d (%s)", ended_by(e),
	    verdict_signal_name(ended_by(e))));
}

static bool
is_failure(const struct ending *e)
{
	return (WEXITSTATUS(e->exited.wait_status) != 0);
}

static char *
status_text(const struct ending *e)
{
	return (text("exit status %d", WEXITSTATUS(e->exited.wait_status)));
}

static bool
is_success(const struct ending *e)
{
	(void)e;
	return (true);
}

static const struct verdict_row verdict_rows[] = {
    {is_ours, JOB_ERROR, REASON_ERROR, ours_text},
    {is_interrupt, JOB_KILLED, REASON_INTERRUPTED, interrupt_text},
    {is_pipe, JOB_KILLED, REASON_INTERRUPTED, pipe_text},
    {is_exec, JOB_FAILED, REASON_EXEC, exec_text},
    {is_output, JOB_KILLED, REASON_OUTPUT, output_text},
    {is_wall, JOB_KILLED, REASON_WALL, wall_text},
    {is_memory, JOB_KILLED, REASON_MEMORY, memory_text},
    {is_lost, JOB_ERROR, REASON_ERROR, lost_text},
    {is_cpu, JOB_KILLED, REASON_CPU, cpu_text},
    {is_syscall, JOB_FAILED, REASON_SYSCALL, syscall_text},
    {is_processes, JOB_FAILED, REASON_PROCESSES, processes_text},
    {is_signal, JOB_FAILED, REASON_SIGNAL, signal_text},
    {is_failure, JOB_FAILED, REASON_EXITED, status_text},
    {is_success, JOB_SUCCEEDED, REASON_EXITED, status_text},
};

static void
fill_status(struct job *j, const struct ending *e)
{
	int status = e->exited.wait_status;

	if (!e->has_exited || is_exec(e) || has_flag(e, EXITED_INIT_LOST))
		return;
	if (WIFEXITED(status))
		j->exit_code = WEXITSTATUS(status);
	else if (WIFSIGNALED(status))
		j->signal = WTERMSIG(status);
}

int
verdict_find(struct job *j, const struct ending *e)
{
	const struct verdict_row *row = verdict_rows;

	while (!row->holds(e))
		row++;
	j->state = row->state;
	j->reason = row->reason;
	free(j->detail);
	j->detail = row->detail(e);
	j->limits_hit[REASON_WALL] = is_wall(e);
	j->limits_hit[REASON_OUTPUT] = is_output(e);
	j->limits_hit[REASON_CPU] = e->has_exited &&
	    (is_cpu(e) || cpu_ms(e) >= e->policy->limits[LIMIT_CPU]);
	j->limits_hit[REASON_MEMORY] = has_risen(e, LEAF_OOM_KILLS);
	j->limits_hit[REASON_PROCESSES] = has_risen(e, LEAF_PROCESSES_REFUSED);
	usage_fill(j, e);
	fill_status(j, e);
	return (j->detail == NULL ? -1 : 0);
}
