/*
 * env_hijack.c - which environment variables no job is given.
 *
 * The list is hijack.def.  plan_check() refuses a plan that has one, the
 * policy layer says so earlier and in words.
 */
#include <stdbool.h>
#include <string.h>

#include "plan.h"

#define HIJACK(name, why) (name),
static const char *const hijacks[] = {
#include "hijack.def"
};
#undef HIJACK

/* True for a name that ends where the pattern does; "X*" is a prefix. */
static bool
is_match(const char *pattern, const char *name, size_t len)
{
	size_t want = strlen(pattern);

	if (pattern[want - 1] == '*')
		return (
		    len >= want - 1 && memcmp(pattern, name, want - 1) == 0);
	return (len == want && memcmp(pattern, name, len) == 0);
}

bool
env_is_hijack(const char *name)
{
	size_t len = strcspn(name, "=");

	for (size_t i = 0; i < sizeof(hijacks) / sizeof(hijacks[0]); i++) {
		if (is_match(hijacks[i], name, len))
			return (true);
	}
	return (false);
}
