/* test_policy_load.c - policy files: what is read, and each way to be wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_fixture.h"

static const struct {
	const char *text;
	unsigned int line;
	const char *message; /* behind "FILE:LINE: " */
} bad[] = {
    {"[limits]\nmemroy = 5\n", 2,
	"unknown key \"memroy\" in [limits] (did you mean \"memory\"?)"},
    {"# x\n\n[limts]\nwall = 5\n", 4,
	"unknown section [limts] (did you mean \"limits\"?)"},
    {"[tenants bob]\njobs-at-once = 5\n", 2, "unknown section [tenants bob]"},
    {"[ledger]\nkeep = 5\n", 2, "unknown key \"keep\" in [ledger]"},
    {"wall = 5\n", 1, "a key before the first [SECTION]"},
    {"[limits]\nwall = 5\ncpu = 6\nwall = 7\n", 4,
	"wall was set in line 2 already"},
    {"[limits]\nwall = 5\n[ceiling]\nwall = 6\n[limits]\nwall = 7\n", 6,
	"wall was set in line 2 already"},
    {"[limits]\nwall = 5x\n", 2,
	"wall: \"5x\" is not seconds (30, 2.5) or a number with ms, s, min or "
	"h, from 1ms to 7 days"},
    {"[limits]\nwall =\n", 2,
	"wall: \"\" is not seconds (30, 2.5) or a number with ms, s, min or "
	"h, from 1ms to 7 days"},
    {"[limits]\nnofile = 2\n", 2,
	"nofile: 2 is less than 8, the minimum (open descriptors of a "
	"process)"},
    {"[ceiling]\nmemory = 1K\n", 2,
	"memory: 1K is less than 1M, the minimum (memory of all processes "
	"together)"},
    {"[limits]\nwall = 5 ; five\n", 2, "a comment has a line of its own"},
    {"[limits]\nwall\n", 2, "neither KEY = VALUE nor [SECTION]"},
    {"[limits]\nwall: 5\n", 2, "neither KEY = VALUE nor [SECTION]"},
    {"[limits] wall\n", 1, "a section is [NAME] and nothing else"},
    {"[limits\n", 1, "a section is [NAME] and nothing else"},
    {"[network]\naccess = hsot\n", 2,
	"unknown access \"hsot\"; it is none or host"},
    {"[ceiling]\naccess = all\n", 2,
	"unknown access \"all\"; it is none or host"},
    {"[degraded]\nallow = memroy\n", 2,
	"unknown control \"memroy\" (did you mean \"memory\"?); those that can "
	"be waived are memory, cpushare, cgroupns, timens, procfs, nscounts, "
	"processes, landlock"},
    {"[env]\nallow = A=1\nallow = B\nallow = A\n", 4,
	"\"A\" was given in line 2 already"},
    {"[files]\nbind = :x\n", 2, "\":x\" is not SRC or SRC:DST"},
    {"\xef\xbb\xbf[limits]\n", 1, "neither KEY = VALUE nor [SECTION]"},
    {"= 5\n", 1, "a key before the first [SECTION]"},
    {"[limits]\n= 5\n", 2, "unknown key \"\" in [limits]"},
};

static void
faults_name_file_line_and_word(void **state)
{
	struct fixture *f = *state;
	char want[1024];
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		fixture_new_policy(f);
		assert_int_equal(fixture_load(f, "p", bad[i].text), -1);
		(void)snprintf(want, sizeof(want), "%s:%u: %s", f->path,
		    bad[i].line, bad[i].message);
		assert_string_equal(f->diag.message, want);
		assert_int_equal(f->diag.code, DIAG_POLICY);
		assert_string_equal(f->diag.file, f->path);
		assert_int_equal(f->diag.line, bad[i].line);
	}
}

static void
a_file_is_read(void **state)
{
	struct fixture *f = *state;
	struct policy *p = f->policy;

	assert_int_equal(
	    fixture_load(f, "p",
		"# a comment ; with = signs [and brackets]\n; another\n\n"
		"[limits]\r\n  wall = 2min\r\n\tmemory=64M\nnofile  =  64\n"
		"[network]\naccess = host\n"
		"[env]\nallow = A=b;c=d # e\nallow = B=\nallow = PATH\n"
		"[files]\nbind-ro = /a:/b\nbind = c d\n"
		"[degraded]\nallow = memory, landlock\n"
		"[ceiling]\nwall = 3min\nmemory = 1G"),
	    0);
	assert_string_equal(p->name, f->path);
	assert_int_equal(p->limits[LIMIT_WALL], 120000);
	assert_int_equal(p->limits[LIMIT_MEMORY], 64ULL << 20);
	assert_int_equal(p->limits[LIMIT_NOFILE], 64);
	assert_string_equal(p->limit_origins[LIMIT_WALL].file, f->path);
	assert_int_equal(p->limit_origins[LIMIT_WALL].line, 5);
	assert_true(p->network_host);
	assert_int_equal(p->env_count, 3);
	assert_string_equal(p->envs[0].value, "b;c=d # e");
	assert_string_equal(p->envs[1].value, "");
	assert_null(p->envs[2].value);
	assert_int_equal(p->bind_count, 2);
	assert_string_equal(p->binds[0].source, "/a");
	assert_string_equal(p->binds[0].path, "/b");
	assert_false(p->binds[0].is_writable);
	assert_string_equal(p->binds[1].source, "c d");
	assert_null(p->binds[1].path);
	assert_true(p->binds[1].is_writable);
	assert_true(
	    p->waived == (CONTROL_BIT(CTL_MEMORY) | CONTROL_BIT(CTL_LANDLOCK)));
	assert_int_equal(p->ceilings[LIMIT_MEMORY], 1ULL << 30);
}

static void
a_later_file_overrides(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_load(f, "a",
			     "[limits]\nwall = 5\n[env]\nallow = A=1\n"),
	    0);
	assert_int_equal(fixture_load(f, "b",
			     "[limits]\nwall = 7\n[env]\nallow = A=2\n"),
	    0);
	assert_int_equal(f->policy->limits[LIMIT_WALL], 7000);
	assert_int_equal(f->policy->env_count, 1);
	assert_string_equal(f->policy->envs[0].value, "2");
	assert_string_equal(f->policy->name, f->path);
}

static void
long_lines_are_errors_and_long_comments_are_not(void **state)
{
	struct fixture *f = *state;
	char text[2048];
	size_t n;

	n = (size_t)snprintf(text, sizeof(text), "#");
	memset(text + n, 'x', 1000);
	(void)snprintf(text + n + 1000, sizeof(text) - n - 1000,
	    "\n[limits]\nwall = 5\n");
	assert_int_equal(fixture_load(f, "p", text), 0);
	n = (size_t)snprintf(text, sizeof(text), "[files]\nbind = /");
	memset(text + n, 'x', 1000);
	(void)snprintf(text + n + 1000, sizeof(text) - n - 1000, "\n");
	assert_int_equal(fixture_load(f, "p", text), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f, "@/p:2: the line is too long"));
}

static void
a_nul_byte_is_an_error(void **state)
{
	struct fixture *f = *state;
	static const char text[] = "[limits]\nwall = 5\0000\n";
	FILE *file;

	fixture_file(f, "p", "");
	file = fopen(f->path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, sizeof(text) - 1, file),
	    sizeof(text) - 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(policy_load(f->policy, f->path, true, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f, "@/p:2: the line holds a NUL byte"));
}

static void
a_missing_file_matters_only_when_named(void **state)
{
	struct fixture *f = *state;
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/none", f->dir);
	assert_int_equal(policy_load(f->policy, path, false, &f->diag), 0);
	assert_int_equal(f->diag.code, DIAG_NONE);
	assert_string_equal(f->policy->name, "built-in");
	assert_int_equal(policy_load(f->policy, path, true, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f,
		"@/none: cannot be read: No such file or directory"));
	assert_int_equal(f->diag.code, DIAG_POLICY);
}

static void
only_regular_files_are_read(void **state)
{
	struct fixture *f = *state;
	char path[128];

	assert_int_equal(policy_load(f->policy, f->dir, false, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f, "@: is not a regular file of at most 1 MiB"));
	(void)snprintf(path, sizeof(path), "%s/fifo", f->dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(policy_load(f->policy, path, false, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f, "@/fifo: is not a regular file of at most 1 MiB"));
	fixture_file(f, "big", "");
	assert_int_equal(truncate(f->path, (1 << 20) + 1), 0);
	assert_int_equal(policy_load(f->policy, f->path, false, &f->diag), -1);
}

static void
an_unreadable_file_is_an_error(void **state)
{
	struct fixture *f = *state;

	fixture_file(f, "p", "[limits]\n");
	assert_int_equal(chmod(f->path, 0), 0);
	if (access(f->path, R_OK) == 0) {
		print_message("SKIP: root reads every file\n");
		skip();
	}
	assert_int_equal(policy_load(f->policy, f->path, false, &f->diag), -1);
	assert_string_equal(f->diag.message,
	    fixture_want(f, "@/p: cannot be read: Permission denied"));
}

/* Bit flips and truncations of one good file: no crash, and no file that is
 * wrong in a way that inih alone would not see. */
static void
damaged_files_are_survived(void **state)
{
	struct fixture *f = *state;
	static const char good[] =
	    "[limits]\nwall = 2min\nmemory = 64M\n[env]\nallow = A=b\n"
	    "[files]\nbind-ro = /a:/b\n[degraded]\nallow = memory\n"
	    "[ceiling]\nwall = 3min\naccess = none\n";
	char text[sizeof(good)];
	size_t i;
	unsigned int bit;

	for (i = 0; i < sizeof(good) - 1; i++) {
		for (bit = 0; bit < 8; bit++) {
			memcpy(text, good, sizeof(good));
			text[i] = (char)(text[i] ^ (1 << bit));
			fixture_new_policy(f);
			if (fixture_load(f, "p", text) == -1)
				assert_int_equal(f->diag.code, DIAG_POLICY);
		}
		memcpy(text, good, i);
		text[i] = '\0';
		fixture_new_policy(f);
		if (fixture_load(f, "p", text) == -1)
			assert_int_equal(f->diag.code, DIAG_POLICY);
	}
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(faults_name_file_line_and_word),
	    ROW(a_file_is_read),
	    ROW(a_later_file_overrides),
	    ROW(long_lines_are_errors_and_long_comments_are_not),
	    ROW(a_nul_byte_is_an_error),
	    ROW(a_missing_file_matters_only_when_named),
	    ROW(only_regular_files_are_read),
	    ROW(an_unreadable_file_is_an_error),
	    ROW(damaged_files_are_survived),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
