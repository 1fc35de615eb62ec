/*
 * No bind shows the state directory: as it is, from above, from within, through
 * a link, and where it does not exist yet.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"

#define PATH_SIZE 128

struct place {
	char base[PATH_SIZE];
	struct policy *policy;
	struct plan *plan;
};

static const char *const dirs[] = {"top", "top/state", "top/state/inner",
    "top/beside"};
#define DIRS (sizeof(dirs) / sizeof(dirs[0]))

static void
path_in(const struct place *p, const char *name, char path[PATH_SIZE])
{
	int n = snprintf(path, PATH_SIZE, "%s/%s", p->base, name);

	assert_true(n > 0 && n < PATH_SIZE);
}

static int
set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	char path[PATH_SIZE], target[PATH_SIZE];

	assert_non_null(p);
	(void)strlcpy(p->base, "/tmp/agsbx-guard.XXXXXX", sizeof(p->base));
	assert_non_null(mkdtemp(p->base));
	for (size_t i = 0; i < DIRS; i++) {
		path_in(p, dirs[i], path);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	path_in(p, "top/state", target);
	path_in(p, "link", path);
	assert_int_equal(symlink(target, path), 0);
	p->policy = policy_new();
	p->plan = calloc(1, sizeof(*p->plan));
	assert_non_null(p->policy);
	assert_non_null(p->plan);
	*state = p;
	return (0);
}

static int
tear_down(void **state)
{
	struct place *p = *state;
	char path[PATH_SIZE];

	path_in(p, "link", path);
	assert_int_equal(unlink(path), 0);
	for (size_t i = DIRS; i-- > 0;) {
		path_in(p, dirs[i], path);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rmdir(p->base), 0);
	policy_free(p->policy);
	free(p->plan);
	free(p);
	return (0);
}

static const struct {
	const char *bound;
	const char *state_dir;
	const char *how; /* NULL: permitted */
} rows[] = {
    {"top/state", "top/state", "is or holds"},
    {"top/state", "link", "is or holds"},
    {"top", "top/state", "is or holds"},
    {"top", "top/state/", "is or holds"},
    {"top", "link", "is or holds"},
    {"top", "top/none", "is or holds"},
    {"top", "top/none/at/all/", "is or holds"},
    {"top/state/inner", "top/state", "lies in"},
    {"top/state/inner", "link", "lies in"},
    {"top/beside", "top/state", NULL},
    {"top/beside", "top/none", NULL},
    {"top/state/inner", "top/state/none", NULL},
};

static void
judge(const struct place *p, size_t i)
{
	char state_dir[PATH_SIZE], bound[PATH_SIZE];
	struct diag d = {0};
	int rc;

	path_in(p, rows[i].state_dir, state_dir);
	path_in(p, rows[i].bound, bound);
	p->policy->binds[0] = (struct policy_bind){.source = bound,
	    .origin = {.flag = "--bind-ro"}};
	p->policy->bind_count = 1;
	rc = guard_ledger(p->policy, p->plan, state_dir, &d);
	p->policy->bind_count = 0;
	p->policy->binds[0].source = NULL;
	if (rc != (rows[i].how != NULL ? -1 : 0))
		fail_msg("bind %s, state %s: %d", rows[i].bound,
		    rows[i].state_dir, rc);
	if (rc == 0)
		return;
	assert_int_equal(d.code, DIAG_USAGE);
	assert_non_null(strstr(d.message, "--bind-ro: "));
	assert_non_null(strstr(d.message, bound));
	assert_non_null(strstr(d.message, rows[i].how));
	assert_non_null(strstr(d.message, state_dir));
}

/* The same places, of a policy file: those that can only be read may be. */
static void
judge_next(const struct place *p, size_t i, bool is_writable)
{
	bool is_refused = is_writable && rows[i].how != NULL;
	const char *guarded[GUARD__MAX] = {NULL};
	char own[PATH_SIZE], bound[PATH_SIZE];
	struct diag d = {0};

	path_in(p, rows[i].state_dir, own);
	path_in(p, rows[i].bound, bound);
	guarded[GUARD_OWN_POLICY] = own;
	p->policy->binds[0] = (struct policy_bind){.source = bound,
	    .is_writable = is_writable,
	    .origin = {.flag = "--bind"}};
	p->policy->bind_count = 1;
	assert_int_equal(guard_next(p->policy, guarded, &d),
	    is_refused ? -1 : 0);
	p->policy->bind_count = 0;
	p->policy->binds[0].source = NULL;
	if (!is_refused)
		return;
	assert_int_equal(d.code, DIAG_USAGE);
	assert_non_null(strstr(d.message, rows[i].how));
	assert_non_null(strstr(d.message, "the directory of your policy file"));
	assert_non_null(strstr(d.message, own));
}

static void
test_what_confines_the_next(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		judge_next(*state, i, true);
		judge_next(*state, i, false);
	}
}

static void
test_binds(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		judge(*state, i);
}

static void
test_what_every_job_is_shown(void **state)
{
	const struct place *p = *state;
	struct diag d = {0};
	struct stat st;
	char path[PATH_SIZE];

	assert_int_equal(stat(p->base, &st), 0);
	p->plan->entries[0] = (struct plan_entry){.kind = ENTRY_BIND,
	    .source = p->base,
	    .dev = st.st_dev,
	    .ino = st.st_ino};
	p->plan->entry_count = 1;
	path_in(p, "top/state", path);
	assert_int_equal(guard_ledger(p->policy, p->plan, path, &d), -1);
	assert_int_equal(d.code, DIAG_LEDGER);
	assert_non_null(strstr(d.message, "every job is shown"));
	p->plan->entries[0].kind = ENTRY_DIR;
	assert_int_equal(guard_ledger(p->policy, p->plan, path, &d), 0);
}

static void
test_no_directory_at_all(void **state)
{
	const struct place *p = *state;
	struct diag d = {0};

	assert_int_equal(guard_ledger(p->policy, p->plan, "/dev/null/state",
			     &d),
	    -1);
	assert_int_equal(d.code, DIAG_LEDGER);
	assert_non_null(strstr(d.message, "Not a directory"));
	assert_int_equal(guard_ledger(p->policy, p->plan, "/", &d), 0);
}

#define PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    PLACE(test_binds),
	    PLACE(test_what_confines_the_next),
	    PLACE(test_what_every_job_is_shown),
	    PLACE(test_no_directory_at_all),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
