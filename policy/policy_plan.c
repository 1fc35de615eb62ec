/*
 * policy_plan.c - from a finished policy, a command and a set of controls to
 * the plan.  Opens nothing and allocates nothing: it is called a second time,
 * in a broker that is confined already, when a waived control could not be
 * held.  What plan_check() would refuse never leaves this file.
 */
#include <string.h>
#include <unistd.h>

#include "filters.h"
#include "policy_int.h"
#include "words.h"

#define GRACE_MS 1000U
#define ABI_DEFAULT 2U	    /* links and renames between directories */
#define ABI_NETWORK_HOST 6U /* TCP and scopes: no namespace bounds them */

static bool
has(control_set set, enum control ctl)
{
	return ((set & CONTROL_BIT(ctl)) != 0);
}

static void
plan_limits(const struct policy *p, struct plan *out)
{
	const uint64_t *l = p->limits;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	out->wall_ms = l[LIMIT_WALL];
	out->grace_ms = GRACE_MS;
	out->cpu_ms = l[LIMIT_CPU];
	out->cpu_quota_percent = l[LIMIT_CPU_QUOTA];
	/* What the kernel keeps of it (page_counter_memparse): memory.max would
	 * read back as another value. */
	out->memory_bytes = l[LIMIT_MEMORY] / page * page;
	out->max_procs = l[LIMIT_MAX_PROCS];
	out->nofile = l[LIMIT_NOFILE];
	out->file_bytes = l[LIMIT_MAX_FILE];
	out->scratch_bytes = l[LIMIT_SCRATCH];
	out->scratch_inodes = l[LIMIT_SCRATCH_INODES];
	out->stack_bytes = p->stack_bytes;
}

/* Controls, and what stands in for those that were left out. */
static void
plan_controls(const struct policy *p, control_set wanted, struct plan *out)
{
	const struct filter *f;

	out->network_host = p->network_host;
	if (p->network_host)
		wanted &= ~CONTROL_BIT(CTL_NETNS);
	if (out->cpu_quota_percent == 0)
		wanted &= ~CONTROL_BIT(CTL_CPUSHARE);
	out->controls = wanted;
	if (has(wanted, CTL_LANDLOCK))
		out->landlock_abi_min =
		    p->network_host ? ABI_NETWORK_HOST : ABI_DEFAULT;
	if (!has(wanted, CTL_MEMORY))
		out->data_bytes = 2 * out->memory_bytes;
	f = has(wanted, CTL_MEMORY) ? &filter_plan : &filter_plan_no_memcg;
	memcpy(out->filter, f->insns, f->len * sizeof(f->insns[0]));
	out->filter_len = f->len;
}

static void
plan_entries(const struct policy_view *v, const struct job_command *cmd,
    struct plan *out)
{
	memcpy(out->entries, v->entries,
	    v->entry_count * sizeof(v->entries[0]));
	out->entry_count = v->entry_count;
	out->has_program = cmd->program_path != NULL;
	if (!out->has_program)
		return;
	out->program_bytes = cmd->program_bytes;
	out->entries[out->entry_count++] =
	    (struct plan_entry){.kind = ENTRY_PROGRAM,
		.mode = 0555,
		.path = cmd->program_path,
		.source = ""};
}

static int
plan_args(const struct policy_view *v, const struct job_command *cmd,
    struct plan *out, struct diag *d)
{
	size_t bytes = 0;
	uint32_t i;

	for (i = 0; cmd->argv[i] != NULL; i++) {
		if (i == PLAN_ARGV_MAX)
			return (diag_set(d, DIAG_USAGE,
			    "more than %u arguments", PLAN_ARGV_MAX));
		bytes += strlen(cmd->argv[i]) + 1;
		out->argv[i] = cmd->argv[i];
	}
	out->argc = i;
	for (i = 0; i < v->env_count; i++) {
		bytes += strlen(v->env[i]) + 1;
		out->envp[i] = v->env[i];
	}
	out->envc = v->env_count;
	if (bytes > POLICY_ARGS_BYTES_MAX)
		return (diag_set(d, DIAG_USAGE,
		    "arguments and environment are %zu bytes; at most %u are "
		    "possible",
		    bytes, POLICY_ARGS_BYTES_MAX));
	return (0);
}

static int
check_program(const struct job_command *cmd, struct diag *d)
{
	if (cmd->program_path != NULL && cmd->program_bytes > PLAN_PROGRAM_MAX)
		return (diag_set(d, DIAG_COMMAND,
		    "the program is larger than %llu MiB",
		    PLAN_PROGRAM_MAX >> 20));
	if (cmd->program_path != NULL &&
	    !plan_path_is_in(cmd->program_path, PLAN_PROGRAM_DIR))
		return (
		    diag_set(d, DIAG_INTERNAL, "the program %s is not in %s",
			cmd->program_path, PLAN_PROGRAM_DIR));
	return (0);
}

/* Everything a person can get wrong was said in words before. */
static int
check(const struct plan *plan, struct diag *d)
{
	struct fault f;

	if (plan_check(plan, &f) == 0)
		return (0);
	return (
	    diag_set(d, DIAG_INTERNAL, "cannot %s (%s): %s", step_text(f.step),
		f.control < CTL__MAX ? controls[f.control].name : "plan",
		strerror(f.err)));
}

int
policy_plan(struct policy *p, const struct job_command *cmd, control_set set,
    struct plan *out, struct diag *d)
{
	if (p->view == NULL)
		return (diag_set(d, DIAG_INTERNAL, "policy is not finished"));
	memset(out, 0, sizeof(*out));
	plan_limits(p, out);
	plan_controls(p, set, out);
	plan_entries(p->view, cmd, out);
	if (check_program(cmd, d) == -1 ||
	    plan_args(p->view, cmd, out, d) == -1)
		return (-1);
	return (check(out, d));
}
