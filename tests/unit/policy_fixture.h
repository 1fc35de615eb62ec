/*
 * policy_fixture.h - a policy under test and a directory of its own, for the
 * tests of the policy layer.  Every file a test makes is in that directory,
 * which teardown removes.  Include <cmocka.h> before it.
 */
#ifndef TESTS_UNIT_POLICY_FIXTURE_H
#define TESTS_UNIT_POLICY_FIXTURE_H

#include <sys/stat.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
	struct policy *policy;
	struct diag diag;
	char dir[64];
	char path[128];	 /* of the last file made */
	char want[1024]; /* of fixture_want() */
};

static inline int
fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (f == NULL || (f->policy = policy_new()) == NULL)
		return (-1);
	/* not /tmp itself: what is below it may be bound */
	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/agsbx-unit.XXXXXX");
	if (mkdtemp(f->dir) == NULL)
		return (-1);
	return (0);
}

static inline int
fixture_remove(const char *path, const struct stat *st, int kind,
    struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return (remove(path));
}

static inline int
fixture_teardown(void **state)
{
	struct fixture *f = *state;
	int rc = chdir("/");

	policy_free(f->policy);
	if (nftw(f->dir, fixture_remove, 8, FTW_DEPTH | FTW_PHYS) == -1)
		rc = -1;
	free(f);
	return (rc);
}

/* Makes dir/name with these bytes; f->path is its path. */
static inline void
fixture_file(struct fixture *f, const char *name, const char *text)
{
	FILE *file;

	(void)snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
	file = fopen(f->path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static inline int
fixture_load(struct fixture *f, const char *name, const char *text)
{
	fixture_file(f, name, text);
	return (policy_load(f->policy, f->path, true, &f->diag));
}

static inline int
fixture_set(struct fixture *f, const char *section, const char *key,
    const char *value)
{
	const struct origin o = {.flag = "--flag"};

	return (policy_set(f->policy, section, key, value, &o, &f->diag));
}

static inline void
fixture_finish(struct fixture *f)
{
	if (policy_finish(f->policy, &f->diag) == -1)
		fail_msg("%s", f->diag.message);
}

static inline void
fixture_new_policy(struct fixture *f)
{
	policy_free(f->policy);
	f->policy = policy_new();
	assert_non_null(f->policy);
	memset(&f->diag, 0, sizeof(f->diag));
}

/* Copies text into f->want, with the fixture's directory for each "@". */
static inline const char *
fixture_want(struct fixture *f, const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++) {
		int len = *text == '@' ?
		    snprintf(f->want + n, sizeof(f->want) - n, "%s", f->dir) :
		    snprintf(f->want + n, sizeof(f->want) - n, "%c", *text);

		assert_true(len > 0);
		n += (size_t)len;
	}
	f->want[n] = '\0';
	return (f->want);
}

#endif
