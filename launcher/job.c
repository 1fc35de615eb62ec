/*
 * job.c - the held job: sets its rows, waits at the gate, executes.
 *
 * The last code of ours in the process that becomes the command.  Everything
 * after the plan's filter (write, read, execve, exit_group) must be in it.
 */
#include <unistd.h>

#include "launcher.h"
#include "wire.h"

#define JOB_NOT_RELEASED 126
#define JOB_NOT_EXECUTED 127

static bool
is_released(const struct launch *l)
{
	int32_t word = GATE_HELD;

	return (write(l->gate, &word, sizeof(word)) == sizeof(word) &&
	    read(l->gate, &word, sizeof(word)) == sizeof(word) &&
	    word == GATE_GO && rows_are_held(l));
}

_Noreturn void
job_main(struct launch *l)
{
	int32_t err;

	rows_apply(l, AT_JOB);
	if (!is_released(l))
		_exit(JOB_NOT_RELEASED);
	err = exec_command(l->plan);
	/* When this is lost too, the status alone tells: 127. */
	(void)!write(l->gate, &err, sizeof(err));
	_exit(JOB_NOT_EXECUTED);
}
