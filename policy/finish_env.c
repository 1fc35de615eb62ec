/*
 * finish_env.c - the variables that a policy allows: each has a valid name, a
 * value, and none makes a loader run code of somebody else's choice.  Loader
 * hijacks are refused here, when the policy is built, and never filtered later.
 *
 * The five that every job has may be given another value as NAME=VALUE.
 * HOME and TMPDIR without a value would name the caller's directories, which
 * do not exist in the job: refused, and the message says how to mean it.
 */
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"

#define NAME_FIRST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define NAME_REST NAME_FIRST "0123456789"

static const char *const local_names[] = {"HOME", "TMPDIR"};

static int
check_name(const struct policy_env *e, struct diag *d)
{
	size_t len = strspn(e->name, NAME_REST);

	if (len == 0 || e->name[len] != '\0' ||
	    strchr(NAME_FIRST, e->name[0]) == NULL)
		return (origin_fail(d, &e->origin,
		    "\"%s\" is not the name of a variable", e->name));
	if (env_hijack_why(e->name) != NULL)
		return (origin_fail(d, &e->origin, "%s is never passed: it %s",
		    e->name, env_hijack_why(e->name)));
	return (0);
}

static int
take_value(struct policy_env *e, struct diag *d)
{
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(local_names) / sizeof(local_names[0]); i++) {
		if (strcmp(e->name, local_names[i]) == 0)
			return (origin_fail(d, &e->origin,
			    "the caller's %s does not exist in the job; give "
			    "%s=VALUE",
			    e->name, e->name));
	}
	if ((value = getenv(e->name)) == NULL)
		return (origin_fail(d, &e->origin,
		    "%s is not set in the environment of agsbx", e->name));
	if ((e->value = strdup(value)) == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	return (0);
}

int
finish_env(struct policy *p, struct diag *d)
{
	unsigned int i;

	for (i = 0; i < p->env_count; i++) {
		struct policy_env *e = &p->envs[i];

		if (check_name(e, d) == -1 ||
		    (e->value == NULL && take_value(e, d) == -1))
			return (-1);
	}
	return (0);
}
