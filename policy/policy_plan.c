/*
 * policy_plan.c - from a finished policy, a command and a set of controls to
 * the plan.  Opens nothing and allocates nothing: it is called a second time,
 * in a broker that is confined already, when a waived control could not be
 * held.  What plan_check() would refuse never leaves this file.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "filters.h"
#include "policy_int.h"
#include "words.h"

#define GRACE_MS 1000U
#define PATHS_MAX 256U
_Static_assert(POLICY_ARGS_MAX + PATHS_MAX <= PLAN_ARGV_MAX, "a plan has room");
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
	static const char *const dirs[PROGRAM_ENTRIES - 1] = {"/run",
	    PLAN_PROGRAM_DIR};

	memcpy(out->entries, v->entries,
	    v->entry_count * sizeof(v->entries[0]));
	out->entry_count = v->entry_count;
	out->has_program = cmd->program_path != NULL;
	if (!out->has_program)
		return;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (!view_has(v, dirs[i]))
			out->entries[out->entry_count++] =
			    (struct plan_entry){.kind = ENTRY_DIR,
				.mode = 0755,
				.path = dirs[i],
				.source = ""};
	out->program_bytes = cmd->program_bytes;
	out->entries[out->entry_count++] =
	    (struct plan_entry){.kind = ENTRY_PROGRAM,
		.mode = 0555,
		.path = cmd->program_path,
		.source = ""};
}

/*
 * What to execute: a name with a slash, or the name in each directory of the
 * job's PATH, as execvp(3) looks for it.  An empty directory is the working
 * directory; one that would make too long a path is passed over.
 */
static int
plan_paths(struct policy_view *v, const char *name, struct plan *out,
    struct diag *d)
{
	const char *dirs = "";
	size_t len, used = 0;

	out->argv[0] = name;
	out->argc = 1;
	if (name[0] == '\0' || strchr(name, '/') != NULL)
		return (0);
	for (uint32_t i = 0; i < v->env_count; i++)
		if (strncmp(v->env[i], "PATH=", 5) == 0)
			dirs = &v->env[i][5];
	out->argc = 0;
	for (;; dirs += len + 1) {
		char *path = &v->paths[used];

		len = strcspn(dirs, ":");
		if (len + strlen(name) + sizeof("/") <= PLAN_PATH_MAX) {
			if (used + PLAN_PATH_MAX > sizeof(v->paths) ||
			    out->argc == PATHS_MAX)
				return (diag_set(d, DIAG_USAGE,
				    "%s is looked for in at most %u "
				    "directories of PATH and %zu bytes: give "
				    "its path, or a shorter PATH",
				    name, PATHS_MAX, sizeof(v->paths)));
			used += (size_t)sprintf(path, "%.*s%s%s", (int)len,
				    dirs, len == 0 ? "" : "/", name) +
			    1;
			out->argv[out->argc++] = path;
		}
		if (dirs[len] == '\0')
			break;
	}
	/* Nothing is left of it: what is not there is not found. */
	if (out->argc == 0)
		out->argv[out->argc++] = "";
	return (0);
}

static int
plan_args(struct policy_view *v, const struct job_command *cmd,
    struct plan *out, struct diag *d)
{
	size_t bytes = 0;
	uint32_t i;

	if (plan_paths(v, cmd->argv[0], out, d) == -1)
		return (-1);
	out->path_count = out->argc;
	for (i = 0; cmd->argv[i] != NULL; i++) {
		if (i == POLICY_ARGS_MAX)
			return (diag_set(d, DIAG_USAGE,
			    "more than %u arguments", POLICY_ARGS_MAX));
		out->argv[out->argc++] = cmd->argv[i];
	}
	for (i = 0; i < out->argc; i++)
		bytes += strlen(out->argv[i]) + 1;
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
	enum step step = plan_check(plan);

	if (step == STEP_NONE)
		return (0);
	return (diag_set(d, DIAG_INTERNAL, "cannot %s", step_text(step)));
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
