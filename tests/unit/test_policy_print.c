/* test_policy_print.c - the canonical text of a policy, and its hash. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_fixture.h"

static const char canonical[] = "[limits]\n"
				"wall = 5s\n"
				"cpu = 120s\n"
				"memory = 512M\n"
				"max-procs = 256\n"
				"max-output = 64M\n"
				"max-file = 256M\n"
				"scratch = 256M\n"
				"scratch-inodes = 65536\n"
				"nofile = 64\n"
				"[network]\n"
				"access = host\n"
				"[env]\n"
				"allow = TOKEN\n"
				"[files]\n"
				"bind-ro = @/file:/x\n"
				"[degraded]\n"
				"allow = memory,landlock\n"
				"[cgroup]\n"
				"path = /sys/fs/cgroup/jobs\n"
				"systemd = no\n"
				"[ceiling]\n"
				"wall = 9s\n";

static void
the_text_is_canonical(void **state)
{
	struct fixture *f = *state;
	char hash[65];
	char *text;

	fixture_file(f, "file", "x");
	assert_int_equal(fixture_set(f, "limits", "wall", "5000ms"), 0);
	assert_int_equal(fixture_set(f, "limits", "nofile", "64"), 0);
	assert_int_equal(fixture_set(f, "network", "access", "host"), 0);
	assert_int_equal(fixture_set(f, "env", "allow", "TOKEN=secret"), 0);
	assert_int_equal(fixture_set(f, "files", "bind-ro",
			     fixture_want(f, "@/file:/x")),
	    0);
	assert_int_equal(fixture_set(f, "degraded", "allow", "landlock,memory"),
	    0);
	assert_int_equal(fixture_set(f, "cgroup", "path",
			     "/sys/fs/cgroup/jobs"),
	    0);
	assert_int_equal(fixture_set(f, "cgroup", "systemd", "no"), 0);
	assert_int_equal(fixture_set(f, "ceiling", "wall", "9"), 0);
	fixture_finish(f);
	text = policy_print(f->policy);
	assert_non_null(text);
	assert_string_equal(text, fixture_want(f, canonical));
	(void)snprintf(hash, sizeof(hash), "%s", f->policy->sha256);

	/* read back, it is the same policy (values of variables apart) */
	fixture_new_policy(f);
	assert_int_equal(setenv("TOKEN", "other", 1), 0);
	assert_int_equal(fixture_load(f, "p", text), 0);
	free(text);
	fixture_finish(f);
	assert_string_equal(f->policy->sha256, hash);
}

static void
every_value_changes_the_hash(void **state)
{
	static const struct {
		const char *section;
		const char *key;
		const char *value;
	} rows[] = {{"limits", "wall", "59"}, {"limits", "cpu", "59"},
	    {"limits", "memory", "511"}, {"limits", "max-procs", "7"},
	    {"limits", "max-output", "7"}, {"limits", "max-file", "7"},
	    {"limits", "scratch", "7K"}, {"limits", "scratch-inodes", "77"},
	    {"limits", "nofile", "77"}, {"limits", "cpu-quota", "77%"},
	    {"network", "access", "host"}, {"env", "allow", "A=b"},
	    {"files", "bind", "/usr/bin:/x"},
	    {"files", "bind-ro", "/usr/bin:/x"},
	    {"files", "bind-ro", "/usr/bin:/y"},
	    {"degraded", "allow", "memory"}, {"cgroup", "path", "/a"},
	    {"cgroup", "systemd", "no"}, {"ceiling", "wall", "7min"},
	    {"ceiling", "access", "none"}};
	char seen[COUNT(rows) + 1][65];
	struct fixture *f = *state;
	size_t i;
	size_t k;

	for (i = 0; i <= COUNT(rows); i++) {
		fixture_new_policy(f);
		if (i < COUNT(rows))
			assert_int_equal(fixture_set(f, rows[i].section,
					     rows[i].key, rows[i].value),
			    0);
		fixture_finish(f);
		(void)snprintf(seen[i], sizeof(seen[i]), "%s",
		    f->policy->sha256);
		for (k = 0; k < i; k++)
			assert_string_not_equal(seen[i], seen[k]);
	}
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(the_text_is_canonical),
	    ROW(every_value_changes_the_hash),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
