/* test_env_hijack.c - which variables no job is given. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy_int.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void
hijacks_are_recognised(void **state)
{
	static const char *const names[] = {"LD_PRELOAD", "LD_LIBRARY_PATH",
	    "LD_AUDIT", "LD_", "DYLD_INSERT_LIBRARIES", "PYTHONPATH",
	    "PYTHONSTARTUP", "PYTHONWARNINGS", "NODE_OPTIONS", "BASH_ENV",
	    "ENV", "BASH_FUNC_ls%%", "PERL5OPT", "RUBYOPT", "GLIBC_TUNABLES",
	    "MALLOC_TRACE", "GCONV_PATH", "_JAVA_OPTIONS", "LUA_INIT",
	    "LUA_INIT_5_4", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT",
	    "OPENSSL_CONF", "PHPRC", "R_PROFILE_USER", "MAKEFLAGS", "IFS",
	    "GTK_MODULES", "QT_PLUGIN_PATH", "ERL_AFLAGS", "ERL_FLAGS",
	    "GOFLAGS", "npm_config_node_options", "NPM_CONFIG_NODE_OPTIONS",
	    "RUSTC", "RUSTFLAGS", "CARGO_BUILD_RUSTC_WRAPPER",
	    "CARGO_ENCODED_RUSTFLAGS", "PIP_CONFIG_FILE", "PIP_INDEX_URL",
	    "GIO_EXTRA_MODULES", "GST_PLUGIN_PATH", "GUILE_LOAD_PATH",
	    "RUBYGEMS_GEMDEPS"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (env_hijack_why(names[i]) == NULL)
			fail_msg("%s is let through", names[i]);
	}
}

static void
the_name_ends_at_the_equals_sign(void **state)
{
	(void)state;
	assert_non_null(env_hijack_why("LD_PRELOAD=/x.so"));
	assert_non_null(env_hijack_why("ENV="));
	assert_null(env_hijack_why("ENVIRONMENT=LD_PRELOAD"));
	assert_null(env_hijack_why("A=ENV"));
}

static void
ordinary_variables_are_not(void **state)
{
	static const char *const names[] = {"", "=", "PATH", "HOME", "LANG",
	    "LC_ALL", "TERM", "TMPDIR", "TZ", "USER", "EDITOR", "PAGER",
	    "VISUAL", "LD", "LDFLAGS", "MALLOC", "ENVIRONMENT", "MY_ENV",
	    "XLD_PRELOAD", "PYTHONUNBUFFERED", "PYTHONHASHSEED",
	    "PYTHONDONTWRITEBYTECODE", "NODE_ENV", "GIT_AUTHOR_NAME",
	    "GIT_COMMITTER_DATE", "CFLAGS", "OMP_NUM_THREADS", "DEBUG",
	    "HTTPS_PROXY", "API_KEY", "CARGO_TARGET_DIR", "PIP_NO_CACHE_DIR",
	    "ld_preload", "NO_COLOR"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (env_hijack_why(names[i]) != NULL)
			fail_msg("%s is refused", names[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hijacks_are_recognised),
	    cmocka_unit_test(the_name_ends_at_the_equals_sign),
	    cmocka_unit_test(ordinary_variables_are_not),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
