/*
 * ledger_fixture.h - a throw-away state directory and jobs for it, for every
 * test that needs a ledger.  Owner: ledger_fixture.c.
 */
#ifndef TESTS_LEDGER_FIXTURE_H
#define TESTS_LEDGER_FIXTURE_H

#include <sqlite3.h>

#include <stddef.h>

#include "job.h"
#include "ledger.h"

/* A new directory below TMPDIR, mode 0700; malloced. */
char *fixture_dir(void);
/* Removes it with all that is in it, and frees the name. */
void fixture_remove(char *dir);
/* For cmocka: *state is such a directory while one test runs. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Fails the test with the message of the diag d that is in scope. */
#define OK(call) \
	do { \
		if ((call) == -1) \
			fail_msg("%s: %s", #call, d.message); \
	} while (0)

/* dir/name, until the next call. */
char *fixture_path(const char *dir, const char *name);

/* The ledger of dir, writable; fails the test when it cannot be opened. */
struct ledger *fixture_open(const char *dir);
/* Every field set, state admitted, every control held but what is said. */
void fixture_job(struct job *j);
/* Little: argv and no more. */
void fixture_small_job(struct job *j);
/* Adds one gap with texts of its own. */
void fixture_gap(struct job *j, enum control ctl, bool is_waived);

/* What ledger_each() gave: the first jobs of it, newest first. */
#define FOUND_MAX 8
struct found {
	struct job jobs[FOUND_MAX];
	size_t count;
	size_t stop_at; /* 0: all */
};
extern const struct ledger_filter fixture_everything;
/* For ledger_each(): keeps the job in a struct found. */
int fixture_take(struct job *j, void *found);
void
fixture_list(struct ledger *l, struct ledger_filter filter, struct found *f);
void fixture_found_free(struct found *f);

/* Another program's connection to the same file, with foreign keys on. */
sqlite3 *fixture_raw(const char *dir);
/* The result of one statement there, and its message in *message (static). */
int fixture_sql(sqlite3 *db, const char *sql, const char **message);
/* The number that a query gives. */
long long fixture_number(sqlite3 *db, const char *sql);

#endif
