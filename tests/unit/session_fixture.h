/*
 * session_fixture.h - a run up to its launcher, which is the test program once
 * more: the job's command is the name of what it does wrong.  The run is a
 * child's, because it confines itself.
 */
#ifndef TESTS_UNIT_SESSION_FIXTURE_H
#define TESTS_UNIT_SESSION_FIXTURE_H

#include "confine_fixture.h"
#include "peer_fixture.h"

#include "ledger_fixture.h"
#include "session.h"
#include "signals.h"
#include "spawn.h"

/* ---- the launcher ---- */

struct launcher {
	struct channel ch;
	struct plan plan;
	struct msg m;
	struct msg_report report; /* what an honest one would say */
	int out;		  /* the job's end of stdout */
};

struct manner {
	const char *name;
	int (*fn)(struct launcher *l); /* with the plan; its exit status */
};

static inline int
take_plan(struct launcher *l)
{
	if (msg_recv(&l->ch, &l->m) != 1 || l->m.type != MSG_PLAN ||
	    plan_decode(&l->plan, l->m.body, l->m.body_len) != STEP_NONE)
		return (-1);
	l->out = dup(l->m.fds[PLAN_STDOUT]);
	msg_close_fds(&l->m);
	l->report = good_report(&l->plan);
	l->report.init_pid = l->report.job_pid = getpid();
	return (0);
}

static inline int
say_report(struct launcher *l, enum msg_type type)
{
	return (msg_send(&l->ch, type, &l->report, sizeof(l->report), NULL, 0));
}

static inline int
say_fault(struct launcher *l, enum control ctl, enum step step, int err)
{
	l->report.rows[ctl] = (struct readback){.state = READBACK_FAULT,
	    .step = (uint16_t)step,
	    .err = err};
	return (say_report(l, MSG_REFUSED));
}

/* All is held; -1 unless GO comes. */
static inline int
hold(struct launcher *l)
{
	if (say_report(l, MSG_HELD) == -1 || msg_recv(&l->ch, &l->m) != 1 ||
	    l->m.type != MSG_GO)
		return (-1);
	return (0);
}

static inline int
say_end(struct launcher *l, int wait_status, uint32_t flags)
{
	const struct msg_exited x = {.wait_status = wait_status,
	    .flags = flags};

	return (msg_send(&l->ch, MSG_EXITED, &x, sizeof(x), NULL, 0));
}

static inline int
say_exited(struct launcher *l, int wait_status)
{
	return (say_end(l, wait_status, 0));
}

/* The n-th word of the job's command. */
static inline const char *
word(const struct launcher *l, unsigned int n)
{
	return (n < l->plan.argc - l->plan.path_count ?
		l->plan.argv[l->plan.path_count + n] :
		"");
}

/* main() is this when argv[0] is SPAWNED. */
#define SPAWNED "agsbx-launcher"
static inline int
be_launcher(const struct manner *manners)
{
	static struct launcher l = {
	    .ch = {.fd = SPAWN_SOCKET_FD, .side = SIDE_LAUNCHER}};
	const struct msg_hello hello = good_hello();

	if (msg_send(&l.ch, MSG_HELLO, &hello, sizeof(hello), NULL, 0) == -1 ||
	    take_plan(&l) == -1)
		return (1);
	for (; manners->name != NULL; manners++)
		if (strcmp(word(&l, 0), manners->name) == 0)
			return (manners->fn(&l));
	return (1);
}

/* ---- the run ---- */

/* The state directory of the test that runs, and what waives what. */
static char *state_dir;
static const char *waivers;

/* In a coverage build a confined child writes its counters below it. */
static inline int
state_dir_setup(void **state)
{
	const char *counters = getenv("GCOV_PREFIX");
	char text[2048];

	(void)state;
	state_dir = fixture_dir();
	waivers = "memory";
	if (counters == NULL)
		return (0);
	(void)snprintf(text, sizeof(text), "cp -al '%s' '%s/gcov'", counters,
	    state_dir);
	return (system(text));
}

static inline int
state_dir_teardown(void **state)
{
	(void)state;
	fixture_remove(state_dir);
	return (0);
}

static inline void
check_diag(int rc, const struct diag *d)
{
	if (rc == 0)
		return;
	(void)dprintf(2, "%s\n", d->message);
	exit(1);
}

static inline void
load_policy(struct session *s)
{
	const struct origin flag = {.flag = "--allow-degraded"};

	s->policy = policy_new();
	CHECK(s->policy != NULL);
	if (waivers != NULL)
		check_diag(policy_set(s->policy, "degraded", "allow", waivers,
			       &flag, &s->d),
		    &s->d);
	check_diag(policy_finish(s->policy, &s->d), &s->d);
}

/* A session before its launch, with a ledger where has_row. */
static inline struct session *
session_of_test(const char *manner, bool has_row)
{
	static struct cli cli = {.json_fd = -1};
	const char *const args[] = {state_dir, NULL};
	struct session *s = session_new(&cli);
	char counters[2048];

	CHECK(s != NULL);
	(void)snprintf(counters, sizeof(counters), "%s/gcov", state_dir);
	CHECK(getenv("GCOV_PREFIX") == NULL ||
	    setenv("GCOV_PREFIX", counters, 1) == 0);
	s->has_row = true;
	s->opts.no_stdin = true;
	load_policy(s);
	check_diag(command_resolve(&s->command, FORM_COMMAND, manner, args,
		       NULL, -1, &s->d),
	    &s->d);
	s->plan = malloc(sizeof(*s->plan));
	s->state_dir = strdup(state_dir);
	s->job.argv = calloc(1, sizeof(char *));
	CHECK(s->plan != NULL && s->state_dir != NULL && s->job.argv != NULL);
	s->launcher_fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	s->signal_fd = signals_open(&s->d);
	CHECK(s->launcher_fd >= 0 && s->signal_fd >= 0);
	if (has_row)
		check_diag(session_admit(s, &s->d), &s->d);
	return (s);
}

/* Nothing of the launcher may be left. */
static inline void
end_session(struct session *s)
{
	struct diag d = {0};

	CHECK(peer_end(&s->peer, 0, &d) == 0);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	session_free(s);
}

static inline void
check_launch(struct session *s, enum launch_end want)
{
	enum launch_end end;

	check_diag(session_open_streams(s, false, &s->d), &s->d);
	end = launch(s, &s->d);
	if (end == want)
		return;
	(void)dprintf(2, "%s ended with %d: %s\n", s->command.argv[0], (int)end,
	    s->d.message);
	exit(1);
}

#define IN_STATE_DIR(test) \
	cmocka_unit_test_setup_teardown(test, state_dir_setup, \
	    state_dir_teardown)

#endif
