/*
 * Everything that comes before the launcher: policy, command, root drop,
 * ledger, row.  Opens all that needs a path, since the broker is confined
 * later.  Called by run.c, doctor.c and policy_cmd.c.
 */
#include <sys/resource.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "io.h"
#include "recover.h"
#include "session.h"
#include "signals.h"
#include "spawn.h"
#include "statedir.h"

#define POLICY_FILE "/etc/agsbx/policy.conf"

struct session *
session_new(struct cli *cli)
{
	struct session *s = calloc(1, sizeof(*s));
	struct diag d = {0};

	if (s == NULL) {
		(void)diag_set(&d, DIAG_INTERNAL, "out of memory");
		(void)cli_fail(cli, &d);
		return (NULL);
	}
	s->cli = cli;
	s->lock_fd = s->anchor_fd = s->launcher_fd = s->signal_fd = -1;
	s->command.program_fd = -1;
	for (unsigned int i = 0; i < PLAN_FD__MAX; i++)
		s->job_fds[i] = -1;
	leaf_init(&s->leaf);
	s->caller_uid = getuid();
	job_init(&s->job);
	peer_init(&s->peer);
	s->ending.failure = &s->failure;
	return (s);
}

void
session_free(struct session *s)
{
	/* A leaf that is still there is an error that was told. */
	leaf_close(&s->leaf);
	leaf_place_leave(&s->host.leaf);
	for (unsigned int i = 0; i < PLAN_FD__MAX; i++)
		io_close(&s->job_fds[i]);
	feed_free(s->feed);
	pump_free(s->out);
	pump_free(s->err);
	peer_free(&s->peer);
	ledger_close(s->ledger);
	io_close(&s->lock_fd);
	io_close(&s->anchor_fd);
	io_close(&s->launcher_fd);
	io_close(&s->signal_fd);
	command_free(&s->command);
	policy_free(s->policy);
	settings_free(&s->settings);
	job_free(&s->job);
	free(s->plan);
	free(s->state_dir);
	free(s);
}

/* The caller's own file; root's HOME says nothing. */
static int
load_own_policy(struct session *s, struct diag *d)
{
	char *path;
	int rc;

	if (s->root.is_root)
		return (0);
	path = statedir_policy_file(d);
	if (path == NULL)
		return (d->code == DIAG_NONE ? 0 : -1);
	rc = policy_load(s->policy, path, false, d);
	free(path);
	return (rc);
}

int
session_load_policy(struct session *s, struct diag *d)
{
	if (rootdrop_plan(&s->root, d) == -1)
		return (-1);
	s->policy = policy_new();
	if (s->policy == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	s->policy->keep_json = s->cli->json_fd == STDOUT_FILENO;
	if (policy_load(s->policy, POLICY_FILE, false, d) == -1 ||
	    load_own_policy(s, d) == -1)
		return (-1);
	if (s->settings.policy_file != NULL &&
	    policy_load(s->policy, s->settings.policy_file, true, d) == -1)
		return (-1);
	if (settings_apply(&s->settings, s->policy, d) == -1)
		return (-1);
	if (s->has_row)
		policy_use_tenant(s->policy,
		    s->opts.tenant != NULL ? s->opts.tenant : s->job.tenant);
	return (0);
}

/* What the row and the documents say of policy, host and command. */
static int
describe(struct session *s, struct diag *d)
{
	struct job *j = &s->job;
	size_t argc = 0;

	while (s->command.argv[argc] != NULL)
		argc++;
	j->argv = calloc(argc + 1, sizeof(*j->argv));
	if (j->argv == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	for (size_t i = 0; i < argc; i++)
		if ((j->argv[i] = strdup(s->command.argv[i])) == NULL)
			return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	j->policy_name = strdup(s->policy->name);
	j->kernel = strdup(s->host.release);
	if (s->command.file != NULL)
		j->file = strdup(s->command.file);
	if (s->opts.note != NULL)
		j->note = strdup(s->opts.note);
	if (j->policy_name == NULL || j->kernel == NULL ||
	    (s->command.file != NULL && j->file == NULL) ||
	    (s->opts.note != NULL && j->note == NULL))
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	/* All of these have the size of their source. */
	(void)strlcpy(j->policy_sha256, s->policy->sha256,
	    sizeof(j->policy_sha256));
	(void)strlcpy(j->command_sha256, s->command.sha256,
	    sizeof(j->command_sha256));
	(void)strlcpy(j->boot_id, s->host.boot_id, sizeof(j->boot_id));
	if (s->opts.tenant != NULL)
		(void)strlcpy(j->tenant, s->opts.tenant, sizeof(j->tenant));
	j->network_host = s->policy->network_host;
	j->uid = s->caller_uid;
	j->pidns = recover_pidns();
	j->memory_limit_bytes = (int64_t)s->policy->limits[LIMIT_MEMORY];
	j->cpu_limit_ms = (int64_t)s->policy->limits[LIMIT_CPU];
	return (0);
}

/* file is taken apart. */
static const char *
directory_of(char *file)
{
	char *slash = file != NULL ? strrchr(file, '/') : NULL;

	if (slash == NULL || slash == file)
		return (NULL);
	*slash = '\0';
	return (file);
}

/* What the next job's confinement comes from. */
static int
guard_confinement(const struct session *s, struct diag *d)
{
	char all[] = POLICY_FILE, programs[PATH_MAX / 2];
	const char *dirs[GUARD__MAX] = {[GUARD_LIBEXEC] = libexec_directory()};
	char *own;
	int rc;

	if (!guard_has_work(s->policy))
		return (0);
	if (own_directory(programs, sizeof(programs)) == -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot find the directory of agsbx itself, to keep it out "
		    "of a writable bind: %s",
		    strerror(errno)));
	own = s->root.is_root ? NULL : statedir_policy_file(d);
	dirs[GUARD_POLICY] = directory_of(all);
	dirs[GUARD_OWN_POLICY] = directory_of(own);
	dirs[GUARD_PROGRAMS] = programs;
	rc = d->code == DIAG_NONE ? guard_next(s->policy, dirs, d) : -1;
	free(own);
	return (rc);
}

/* The state directory is handed over while we can still do it. */
static int
find_state_dir(struct session *s, struct diag *d)
{
	s->state_dir = statedir_find(s->opts.state_dir, s->root.is_root, d);
	if (s->state_dir == NULL)
		return (-1);
	if (guard_ledger(s->policy, s->plan, s->state_dir, d) == -1 ||
	    guard_confinement(s, d) == -1 ||
	    statedir_make_parents(s->state_dir, s->root.is_root, d) == -1)
		return (-1);
	return (rootdrop_give_dir(&s->root, s->state_dir, d));
}

/* A command that fits no plan is a usage error: found before there is a row. */
static int
try_plan(struct session *s, struct diag *d)
{
	const struct job_command cmd = {.argv = s->command.argv,
	    .program_path = s->command.program_path,
	    .program_bytes = s->command.program_bytes};

	s->plan = malloc(sizeof(*s->plan));
	if (s->plan == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	return (policy_plan(s->policy, &cmd, CONTROL_ALL, s->plan, d));
}

static int
drop_root(struct session *s, struct diag *d)
{
	if (s->root.is_root &&
	    leaf_root_make(&leaf_this_host, s->root.uid, s->root.gid, d) == -1)
		return (-1);
	if (rootdrop_drop(&s->root, d) == -1)
		return (-1);
	if (s->root.is_root)
		session_find_leaf(s);
	return (0);
}

/*
 * The kernel holds all descriptors of the account that are in flight, those in
 * the sockets of other jobs too, against the soft limit of who sends one more
 * (unix(7), ETOOMANYREFS): a job must not stop the next one's plan.
 */
static void
raise_nofile(void)
{
	struct rlimit most;

	/* Where it stays low, the sending of the plan tells. */
	if (getrlimit(RLIMIT_NOFILE, &most) == 0) {
		most.rlim_cur = most.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &most);
	}
}

int
session_prepare(struct session *s, struct diag *d)
{
	raise_nofile();
	if (policy_finish(s->policy, d) == -1 || try_plan(s, d) == -1)
		return (-1);
	tzset();
	s->launcher_fd = launcher_open(d);
	if (s->launcher_fd == -1)
		return (-1);
	if (s->has_row && find_state_dir(s, d) == -1)
		return (-1);
	if (drop_root(s, d) == -1 || policy_look_into_binds(s->policy, d) == -1)
		return (-1);
	s->signal_fd = signals_open(d);
	if (s->signal_fd == -1)
		return (-1);
	return (describe(s, d) == -1 ? -1 : session_name_leaf(s, d));
}

void
session_release_signals(struct session *s)
{
	int sig;

	if (s->signal_fd == -1)
		return;
	while ((sig = signals_read(s->signal_fd)) > 0)
		if (s->reraise == 0)
			s->reraise = sig;
	signals_release();
}

static int
open_pump(struct session *s, struct pump **p, int sink, int *job_end,
    struct diag *d)
{
	bool is_kept = s->cli->json_fd == STDOUT_FILENO;
	bool is_terminal = isatty(sink) == 1;
	struct pump_options o = {.sink = is_kept ? -1 : sink,
	    .limit = s->policy->limits[LIMIT_MAX_OUTPUT],
	    .is_terminal = !is_kept && is_terminal,
	    /* A terminal that goes sends SIGHUP. */
	    .reader = sink == STDOUT_FILENO && !is_terminal ? sink : -1};

	return (pump_open(p, &o, job_end, d));
}

int
session_open_streams(struct session *s, bool has_stdin, struct diag *d)
{
	int from =
	    has_stdin && !s->opts.no_stdin && s->command.form != FORM_STDIN ?
	    STDIN_FILENO :
	    -1;

	if (feed_open(&s->feed, from, &s->job_fds[PLAN_STDIN], d) == -1 ||
	    open_pump(s, &s->out, STDOUT_FILENO, &s->job_fds[PLAN_STDOUT], d) ==
		-1 ||
	    open_pump(s, &s->err, STDERR_FILENO, &s->job_fds[PLAN_STDERR], d) ==
		-1)
		return (-1);
	return (0);
}
