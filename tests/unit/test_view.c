/*
 * test_view.c - what of the host a job is shown, and what never.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_plan_fixture.h"

static void
a_shared_network_asks_for_more_landlock(void **state)
{
	struct fixture *f = *state;
	const struct plan_entry *e;

	assert_int_equal(fixture_set(f, "network", "access", "host"), 0);
	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	assert_true(plan.network_host);
	assert_true(plan.controls ==
	    (CONTROL_ALL &
		~(CONTROL_BIT(CTL_NETNS) | CONTROL_BIT(CTL_CPUSHARE))));
	assert_int_equal(plan.landlock_abi_min, 6);
	e = entry("/etc/nsswitch.conf");
	assert_non_null(e);
	assert_non_null(strstr((const char *)e->content, "hosts: files dns\n"));
	e = entry("/etc/resolv.conf");
	if (access("/etc/resolv.conf", R_OK) == 0) {
		assert_non_null(e);
		assert_int_equal(e->kind, ENTRY_FILE);
	}
}

static void
the_view_shows_usr_and_an_etc_of_its_own(void **state)
{
	static const char *const made[] = {"/etc/passwd", "/etc/group",
	    "/etc/hosts", "/etc/nsswitch.conf", "/etc/hostname"};
	struct fixture *f = *state;
	const struct plan_entry *e;
	struct stat st;
	size_t i;

	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	e = entry("/usr");
	assert_non_null(e);
	assert_int_equal(stat("/usr", &st), 0);
	assert_int_equal(e->kind, ENTRY_BIND);
	assert_int_equal(e->flags, 0);
	assert_true(e->dev == st.st_dev && e->ino == st.st_ino);
	assert_non_null(entry("/bin"));
	for (i = 0; i < COUNT(made); i++) {
		e = entry(made[i]);
		assert_non_null(e);
		assert_int_equal(e->kind, ENTRY_FILE);
		assert_int_equal(e->mode, 0444);
		assert_int_equal(e->content_len,
		    strlen((const char *)e->content));
	}
	assert_null(
	    strstr((const char *)entry("/etc/nsswitch.conf")->content, "dns"));
	assert_null(entry("/etc/resolv.conf"));
	assert_non_null(strstr((const char *)entry("/etc/passwd")->content,
	    "sandbox:x:1000:1000:sandbox:/work:/bin/sh\n"));
}

/* Whatever views.def says: nothing with names of users, keys or tokens. */
static void
no_secret_of_the_host_is_shown(void **state)
{
	static const char *const secrets[] = {"/etc/passwd", "/etc/shadow",
	    "/etc/gshadow", "/etc/group", "/etc/sudoers", "/etc/ssh",
	    "/etc/ssl/private", "/etc/gitconfig", "/etc/npmrc", "/etc/pip.conf",
	    "/etc/machine-id", "/etc/hostname", "/etc/krb5.keytab", "/root",
	    "/home", "/var", "/opt", "/etc"};
	struct fixture *f = *state;
	size_t i;
	uint32_t k;

	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	for (k = 0; k < plan.entry_count; k++) {
		const struct plan_entry *e = &plan.entries[k];

		if (e->kind != ENTRY_BIND)
			continue;
		assert_int_equal(e->flags & ENTRY_WRITABLE, 0);
		for (i = 0; i < COUNT(secrets); i++) {
			size_t len = strlen(e->source);

			/* neither the secret nor a directory that holds it */
			assert_false(strncmp(e->source, secrets[i], len) == 0 &&
			    (secrets[i][len] == '\0' ||
				secrets[i][len] == '/'));
		}
	}
}

static void
links_stay_below_usr_or_tmp(void **state)
{
	struct fixture *f = *state;
	uint32_t k;

	fixture_finish(f);
	make_plan(f, CONTROL_ALL);
	for (k = 0; k < plan.entry_count; k++) {
		const struct plan_entry *e = &plan.entries[k];

		if (e->kind == ENTRY_LINK && strcmp(e->source, "/tmp") != 0)
			assert_int_equal(strncmp(e->source, "/usr/", 5), 0);
	}
}

#define ROW(fn) \
	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(a_shared_network_asks_for_more_landlock),
	    ROW(the_view_shows_usr_and_an_etc_of_its_own),
	    ROW(no_secret_of_the_host_is_shown),
	    ROW(links_stay_below_usr_or_tmp),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
