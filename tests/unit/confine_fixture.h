/*
 * confine_fixture.h - for tests whose children confine themselves.
 */
#ifndef TESTS_CONFINE_FIXTURE_H
#define TESTS_CONFINE_FIXTURE_H

#include <linux/landlock.h>

#include "child_fixture.h"
#include "confine.h"

static inline bool
has_landlock(void)
{
	if (syscall(SYS_landlock_create_ruleset, NULL, (size_t)0,
		LANDLOCK_CREATE_RULESET_VERSION) > 0)
		return (true);
	print_message("this kernel has no Landlock: %s\n", strerror(errno));
	return (false);
}

#endif
