/*
 * Counts the system calls of a traced process, and makes the chosen one fail,
 * or kills somebody as it is entered.  A call that is to fail becomes
 * getpid(2), which every filter of ours lets through, and its answer is then
 * replaced.  Called by trace.c at each system call stop.
 */
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include "calls.h"
#include "trace_int.h"

#define STOP_US 30000 /* from SIGSTOP to SIGKILL */

static int
record(struct tracer *tr, struct tracee *t, int nr)
{
	struct trace_result *r = tr->r;
	struct call *calls;

	if (!tr->o->is_recorded)
		return (0);
	if (r->call_count == tr->capacity) {
		tr->capacity = tr->capacity * 2 + 1024;
		calls = reallocarray(r->calls, tr->capacity, sizeof(*calls));
		if (calls == NULL)
			return (-1);
		r->calls = calls;
	}
	r->calls[r->call_count] = (struct call){.role = t->role,
	    .nr = nr,
	    .occurrence = tr->counts[t->role][nr]};
	t->record = ++r->call_count;
	return (0);
}

static bool
is_chosen(const struct tracer *tr, const struct tracee *t, int nr)
{
	const struct injection *in = &tr->o->injection;

	if (in->deed == DEED_NONE || in->after_us != 0 || tr->r->was_injected ||
	    in->role != t->role)
		return (false);
	return (in->nr == nr && in->occurrence == tr->counts[t->role][nr]);
}

/* ESRCH: it is dead already, or never was. */
void
inject_attack(struct tracer *tr)
{
	struct tracee *victim = tracer_find_role(tr, tr->o->injection.victim);

	if (victim == NULL || !victim->is_alive)
		return;
	tr->r->was_injected = true;
	if (tr->o->injection.deed == DEED_KILL) {
		(void)kill(victim->pid, SIGKILL);
		return;
	}
	(void)kill(victim->pid, SIGSTOP);
	tr->kill_at = trace_now_us() + STOP_US;
}

/* That answers no error: there is a lock, and it is freed. */
static bool
is_unlock(const struct tracee *t, int nr, const struct user_regs_struct *regs)
{
	return (nr == SYS_fcntl &&
	    (regs->rsi == F_SETLK || regs->rsi == F_OFD_SETLK) &&
	    (short)ptrace(PTRACE_PEEKDATA, t->pid, regs->rdx, NULL) == F_UNLCK);
}

/* The entry half of a fault. */
static int
begin_fault(struct tracer *tr, struct tracee *t, int nr)
{
	unsigned int kind = call_kind(nr);
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) == -1)
		return (-1);
	if (is_unlock(t, nr, &regs))
		return (0);
	if (tr->o->injection.fault != FAULT_SHORT) {
		if ((kind & CALL_DONE) == 0)
			regs.orig_rax = SYS_getpid;
	} else if ((kind & CALL_LESS) != 0) {
		if (regs.rdx < 2)
			return (0);
		regs.rdx /= 2;
	}
	tr->r->was_injected = true;
	t->is_injected = true;
	return ((int)ptrace(PTRACE_SETREGS, t->pid, NULL, &regs));
}

/* The exit half. */
static int
end_fault(struct tracer *tr, struct tracee *t)
{
	int fault = tr->o->injection.fault;
	struct user_regs_struct regs;

	t->is_injected = false;
	if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) == -1)
		return (-1);
	if (fault != FAULT_SHORT)
		regs.rax = (unsigned long long)-fault;
	else if ((long long)regs.rax > 1 &&
	    (call_kind(tr->o->injection.nr) & CALL_CUT) != 0)
		regs.rax /= 2;
	return ((int)ptrace(PTRACE_SETREGS, t->pid, NULL, &regs));
}

static int
on_entry(struct tracer *tr, struct tracee *t, int nr)
{
	int rc;

	t->record = 0;
	if (nr < 0 || nr >= TRACE_NR_MAX) /* a canary */
		return (0);
	rc = record(tr, t, nr);
	if (rc == 0 && is_chosen(tr, t, nr)) {
		if (tr->o->injection.deed == DEED_FAULT)
			rc = begin_fault(tr, t, nr);
		else
			inject_attack(tr);
	}
	tr->counts[t->role][nr]++;
	return (rc);
}

int
inject_syscall(struct tracer *tr, struct tracee *t)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof(info), &info) == -1)
		return (-1);
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		return (on_entry(tr, t, (int)info.entry.nr));
	if (info.op != PTRACE_SYSCALL_INFO_EXIT)
		return (0);
	if (t->record != 0)
		tr->r->calls[t->record - 1].result = (long)info.exit.rval;
	return (t->is_injected ? end_fault(tr, t) : 0);
}
