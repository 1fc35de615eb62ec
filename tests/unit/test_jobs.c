/*
 * test_jobs.c - agsbx jobs and agsbx recover from argv to what they print and
 * how they exit.  Each runs in a child that is nobody's root, because the
 * commands drop root for good.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli.h"
#include "ledger_fixture.h"

#define OTHER_ID 12345
#define OUTPUT_MAX 200000

struct world {
	char *dir;
	char ids[3][JOB_ID_SIZE];
	char out[OUTPUT_MAX];
	char err[4096];
};

static void
add(struct world *w, struct ledger *l, int i)
{
	struct diag d = {0};
	struct job j;

	fixture_small_job(&j);
	j.tenant[0] = (char)('a' + i);
	j.created_ms = INT64_C(1709211600000) + i * 3600000;
	j.network_host = i == 1;
	if (i == 2)
		fixture_gap(&j, CTL_MEMORY, true);
	assert_int_equal(ledger_admit(l, &j, &d), 0);
	if (i != 0) {
		j.state = JOB_KILLED;
		j.reason = REASON_INTERRUPTED;
		assert_int_equal(ledger_settle(l, &j, &d), 0);
	}
	(void)strlcpy(w->ids[i], j.id, sizeof(w->ids[i]));
	job_free(&j);
}

static void
give_away(const char *dir, const char *name)
{
	char path[2048];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	/* A file that is not there needs no owner. */
	(void)!chown(path, OTHER_ID, OTHER_ID);
}

static int
set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct ledger *l;

	assert_non_null(w);
	w->dir = fixture_dir();
	l = fixture_open(w->dir);
	for (int i = 0; i < 3; i++)
		add(w, l, i);
	ledger_close(l);
	if (geteuid() == 0) {
		give_away(w->dir, "agsbx.db");
		give_away(w->dir, ".");
	}
	*state = w;
	return (0);
}

static int
tear_down(void **state)
{
	struct world *w = *state;

	fixture_remove(w->dir);
	free(w);
	return (0);
}

static void
child(int out, int err, int (*fn)(struct cli *, int, char **), char **argv)
{
	struct cli cli = {.command = argv[0], .json_fd = -1};
	int argc = 0, rc;

	while (argv[argc] != NULL)
		argc++;
	if (geteuid() == 0 &&
	    (setresgid(OTHER_ID, OTHER_ID, OTHER_ID) == -1 ||
		setresuid(OTHER_ID, OTHER_ID, OTHER_ID) == -1))
		_exit(90);
	if (dup2(out, STDOUT_FILENO) == -1 || dup2(err, STDERR_FILENO) == -1)
		_exit(91);
	rc = fn(&cli, argc, argv);
	(void)fflush(stdout);
	exit(rc);
}

static int
temporary(void)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return (fd);
}

static void
read_back(int fd, char *buf, size_t size)
{
	ssize_t len = pread(fd, buf, size - 1, 0);

	assert_true(len >= 0);
	buf[len] = '\0';
	assert_int_equal(close(fd), 0);
}

/* Runs with the arguments (up to NULL) and this world's ledger. */
static int
run(struct world *w, int (*fn)(struct cli *, int, char **), const char *name,
    ...)
{
	char *argv[16] = {(char *)(uintptr_t)name,
	    (char *)(uintptr_t) "--state-dir", w->dir};
	int out = temporary(), err = temporary(), argc = 3, status;
	va_list ap;
	pid_t pid;

	va_start(ap, name);
	while (argc < 15 && (argv[argc] = va_arg(ap, char *)) != NULL)
		argc++;
	va_end(ap);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid != -1);
	if (pid == 0)
		child(out, err, fn, argv);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	read_back(out, w->out, sizeof(w->out));
	read_back(err, w->err, sizeof(w->err));
	return (WEXITSTATUS(status));
}
#define JOBS(...) run(w, jobs_main, "jobs", __VA_ARGS__, NULL)

static bool
shows(const struct world *w, int i)
{
	return (strstr(w->out, w->ids[i]) != NULL);
}

static void
newest_first(void **state)
{
	struct world *w = *state;

	assert_int_equal(JOBS("--limit", "0"), 0);
	assert_true(strstr(w->out, w->ids[2]) < strstr(w->out, w->ids[1]));
	assert_true(strstr(w->out, w->ids[1]) < strstr(w->out, w->ids[0]));
	assert_string_equal(w->err, "");
	assert_int_equal(JOBS("--limit", "2"), 0);
	assert_false(shows(w, 0));
	assert_non_null(strstr(w->err, "older jobs are not shown"));
}

static void
filters(void **state)
{
	static const struct {
		const char *flag;
		const char *value;
		const char *shown;
	} rows[] = {
	    {"--tenant", "befault", "1"},
	    {"--tenant", "nobody", ""},
	    {"--state", "open", "0"},
	    {"--state", "killed", "12"},
	    {"--degraded", NULL, "2"},
	    {"--network", NULL, "1"},
	    {"--since", "2024-02-29T14:00:00Z", "12"},
	    {"--until", "2024-02-29T15:00:00+01:00", "01"},
	    {"--since", "1h", ""},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(JOBS(rows[i].flag, rows[i].value), 0);
		for (int n = 0; n < 3; n++)
			assert_int_equal(shows(w, n),
			    strchr(rows[i].shown, '0' + n) != NULL);
		assert_memory_equal(w->out, "ID ", 3);
	}
}

static void
one_job(void **state)
{
	struct world *w = *state;
	char prefix[JOB_ID_SIZE];

	assert_int_equal(JOBS(w->ids[2]), 0);
	assert_non_null(strstr(w->out, "tenant    cefault\n"));
	assert_non_null(strstr(w->out, "NO-MEMORY-CEILING"));
	/* In either case, and shortened. */
	(void)strlcpy(prefix, w->ids[1], sizeof(prefix));
	prefix[18] = '\0';
	for (size_t i = 0; prefix[i] != '\0'; i++)
		if (prefix[i] >= 'A')
			prefix[i] = (char)(prefix[i] + 'a' - 'A');
	assert_int_equal(JOBS(prefix), 0);
	assert_non_null(strstr(w->out, "tenant    befault\n"));
	assert_int_equal(JOBS("0"), 1);
	assert_non_null(strstr(w->err, "more than one job begins with 0: "));
	for (int i = 0; i < 3; i++)
		assert_non_null(strstr(w->err, w->ids[i]));
	assert_int_equal(JOBS("7Z"), 1);
	assert_non_null(strstr(w->err, "no job that was asked for begins"));
	assert_int_equal(JOBS("--json", "7Z"), 1);
	assert_non_null(strstr(w->out, "\"agsbx.error/1\""));
	assert_int_equal(JOBS("--json", w->ids[0]), 0);
	assert_non_null(strstr(w->out, "\"agsbx.jobs/1\""));
	assert_true(shows(w, 0) && !shows(w, 1));
}

static void
usage_errors(void **state)
{
	static const char *const rows[][2] = {{"--state", "dead"},
	    {"--since", "yesterday"}, {"--until", ""}, {"--limit", "-1"},
	    {"--limit", "99999999999999999999"}, {"--limit", "x"},
	    {"--tenant", "a/b"}, {"%", NULL}, {"0", "1"},
	    {"--frobnicate", NULL}};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(JOBS(rows[i][0], rows[i][1]), 1);
		assert_string_equal(w->out, "");
		assert_non_null(strstr(w->err, "Try 'agsbx jobs --help'."));
	}
}

static void
recovering(void **state)
{
	struct world *w = *state;

	assert_int_equal(run(w, recover_main, "recover", NULL), 0);
	assert_true(shows(w, 0));
	assert_non_null(
	    strstr(w->out, " reaped: broker died; no process left\n"));
	assert_non_null(strstr(w->out, "\n1 reaped, 0 live, 0 failed\n"));
	assert_int_equal(run(w, recover_main, "recover", "--json", NULL), 0);
	assert_non_null(strstr(w->out, "\"agsbx.recover/1\""));
	assert_non_null(strstr(w->out, "\"reaped\": 0"));
	assert_int_equal(run(w, recover_main, "recover", "now", NULL), 1);
}

static void
nothing_there(void **state)
{
	struct world *w = *state, none = {0};
	char path[2048];

	(void)snprintf(path, sizeof(path), "%s/none", w->dir);
	none.dir = path;
	assert_int_equal(run(&none, jobs_main, "jobs", NULL), 0);
	assert_memory_equal(none.out, "ID ", 3);
	assert_int_equal(run(&none, recover_main, "recover", NULL), 0);
	assert_string_equal(none.out, "0 reaped, 0 live, 0 failed\n");
	assert_int_equal(access(path, F_OK), -1);
	none.dir = (char *)(uintptr_t) "/etc/passwd";
	assert_int_equal(run(&none, jobs_main, "jobs", NULL), 1);
	assert_non_null(strstr(none.err, "is not a directory"));
	assert_int_equal(run(&none, recover_main, "recover", NULL), 1);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(newest_first),
	    TEST(filters),
	    TEST(one_job),
	    TEST(usage_errors),
	    TEST(recovering),
	    TEST(nothing_there),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
