/*
 * Throw-away ledgers for the unit tests.  Used by the tests of the ledger, of
 * recover, of jobs and of the documents.
 */
#include <ftw.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ledger_fixture.h"
#include "words.h"

char *
fixture_dir(void)
{
	const char *base = getenv("TMPDIR");
	char *dir = NULL;

	assert_true(asprintf(&dir, "%s/agsbx-ledger.XXXXXX",
			base != NULL ? base : "/tmp") > 0);
	assert_non_null(mkdtemp(dir));
	return (dir);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return (remove(path));
}

void
fixture_remove(char *dir)
{
	assert_int_equal(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(dir);
}

int
fixture_setup(void **state)
{
	*state = fixture_dir();
	return (0);
}

int
fixture_teardown(void **state)
{
	fixture_remove(*state);
	return (0);
}

char *
fixture_path(const char *dir, const char *name)
{
	static char path[2048];

	assert_true(snprintf(path, sizeof(path), "%s/%s", dir, name) > 0);
	return (path);
}

struct ledger *
fixture_open(const char *dir)
{
	struct ledger *l = NULL;
	struct diag d = {0};

	if (ledger_open(dir, LEDGER_WRITE, &l, &d) == -1)
		fail_msg("%s", d.message);
	assert_non_null(l);
	return (l);
}

static char *
copy(const char *text)
{
	char *s = strdup(text);

	assert_non_null(s);
	return (s);
}

void
fixture_small_job(struct job *j)
{
	job_init(j);
	j->argv = calloc(2, sizeof(char *));
	assert_non_null(j->argv);
	j->argv[0] = copy("true");
}

void
fixture_gap(struct job *j, enum control ctl, bool is_waived)
{
	struct job_gap *gap = &j->gaps[j->gap_count++];

	*gap = (struct job_gap){.control = ctl,
	    .err = 1,
	    .cause = copy("no delegated cgroup v2"),
	    .fix = copy("systemd-run --user --scope -p Delegate=yes"),
	    .is_waived = is_waived};
	assert_true(strlcpy(gap->token, control_words[ctl].token,
			sizeof(gap->token)) < sizeof(gap->token));
	j->rows[ctl] = (struct readback){.state = READBACK_OFF};
	j->is_degraded = j->is_degraded || is_waived;
}

static void
fill_strings(struct job *j)
{
	j->note = copy("ticket 7; \xc3\xa9");
	j->detail = copy("wall clock 60s (--wall)");
	j->argv = calloc(4, sizeof(char *));
	assert_non_null(j->argv);
	j->argv[0] = copy("sh");
	j->argv[1] = copy("");
	j->argv[2] = copy("a\nb\xff'; DROP TABLE jobs; --");
	j->file = copy("/home/u/x.py");
	j->policy_name = copy("built-in");
	j->kernel = copy("6.1.0-13-amd64");
	memset(j->command_sha256, 'a', 64);
	memset(j->policy_sha256, 'b', 64);
	memset(j->out.sha256, 'c', 64);
	memset(j->err.sha256, 'd', 64);
	memcpy(j->boot_id, "0f0e0d0c-0b0a-4908-8706-050403020100", 37);
	memcpy(j->tenant, "team-1", 7);
}

void
fixture_job(struct job *j)
{
	job_init(j);
	fill_strings(j);
	j->reason = REASON_WALL;
	j->limits_hit[REASON_WALL] = true;
	j->limits_hit[REASON_PROCESSES] = true;
	j->exit_code = 7;
	j->signal = 9;
	j->out.bytes_seen = 10;
	j->out.bytes_kept = 9;
	j->out.is_truncated = true;
	j->err.bytes_seen = 0;
	j->err.bytes_kept = 0;
	j->wall_ms = 60012;
	j->cpu_ms = 1234;
	j->memory_peak_bytes = 18 << 20;
	j->processes_peak = 3;
	j->usage_source = "cgroup";
	j->network_host = true;
	j->uid = 1000;
	j->launcher_pid = 4000001;
	j->init_pid = 4000002;
	j->lock_byte = 12345;
	j->has_rows = true;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		j->rows[ctl] = (struct readback){.state = READBACK_HELD,
		    .want = 1024 + (uint64_t)ctl,
		    .got = 1024 + (uint64_t)ctl};
	j->rows[CTL_NETNS] = (struct readback){.state = READBACK_OFF};
	j->rows[CTL_CAPABILITIES].want = UINT64_MAX;
}

sqlite3 *
fixture_raw(const char *dir)
{
	char path[2048];
	sqlite3 *db = NULL;

	assert_true(snprintf(path, sizeof(path), "%s/agsbx.db", dir) > 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_busy_timeout(db, 10000), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys=ON", NULL, NULL,
			     NULL),
	    SQLITE_OK);
	return (db);
}

int
fixture_sql(sqlite3 *db, const char *sql, const char **message)
{
	static char text[512];
	char *error = NULL;
	int rc = sqlite3_exec(db, sql, NULL, NULL, &error);

	(void)strlcpy(text, error != NULL ? error : "", sizeof(text));
	sqlite3_free(error);
	if (message != NULL)
		*message = text;
	return (rc);
}

long long
fixture_number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	long long number;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	number = sqlite3_column_int64(stmt, 0);
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	return (number);
}

const struct ledger_filter fixture_everything = {.state = JOB__MAX,
    .since_ms = JOB_UNKNOWN,
    .until_ms = JOB_UNKNOWN};

int
fixture_take(struct job *j, void *found)
{
	struct found *f = found;

	assert_true(f->count < FOUND_MAX);
	f->jobs[f->count++] = *j;
	job_init(j);
	return (f->count == f->stop_at ? 1 : 0);
}

void
fixture_list(struct ledger *l, struct ledger_filter filter, struct found *f)
{
	struct diag d = {0};

	memset(f, 0, sizeof(*f));
	if (ledger_each(l, &filter, fixture_take, f, &d) == -1)
		fail_msg("%s", d.message);
}

void
fixture_found_free(struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		job_free(&f->jobs[i]);
	f->count = 0;
}
