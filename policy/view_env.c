/*
 * view_env.c - the environment of the job: five variables of our own, then
 * what the policy allows.  Nothing of the caller's comes by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"

#define TERM_CHARS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+._-"
#define TERM_MAX 64U

static const struct {
	const char *name;
	const char *value; /* NULL: worked out */
} defaults[] = {
    /* no sbin: what is there is for an administrator */
    {"PATH", "/usr/local/bin:/usr/bin:/bin"},
    {"HOME", PLAN_WORKDIR},
    {"LANG", "C.UTF-8"},
    {"TERM", NULL},
    {"TMPDIR", "/tmp"},
};

/* The caller's, if it can be nothing but the name of a terminal. */
static const char *
term_value(void)
{
	const char *term = getenv("TERM");

	if (term == NULL || term[0] == '\0' || strlen(term) > TERM_MAX ||
	    term[strspn(term, TERM_CHARS)] != '\0')
		return ("dumb");
	return (term);
}

static bool
is_overridden(const struct policy *p, const char *name)
{
	unsigned int i;

	for (i = 0; i < p->env_count; i++) {
		if (strcmp(p->envs[i].name, name) == 0)
			return (true);
	}
	return (false);
}

static int
add(struct policy_view *v, const char *name, const char *value, struct diag *d)
{
	char *text = NULL;
	const char *kept;

	if (v->env_count == PLAN_ENVP_MAX)
		return (diag_set(d, DIAG_POLICY, "more than %u variables",
		    PLAN_ENVP_MAX));
	if (asprintf(&text, "%s=%s", name, value) == -1)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	kept = view_keep(v, text);
	free(text);
	if (kept == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	v->env[v->env_count++] = kept;
	return (0);
}

int
view_env(struct policy *p, struct policy_view *v, struct diag *d)
{
	unsigned int i;

	for (i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		const char *value = defaults[i].value;

		if (is_overridden(p, defaults[i].name))
			continue;
		if (add(v, defaults[i].name,
			value != NULL ? value : term_value(), d) == -1)
			return (-1);
	}
	for (i = 0; i < p->env_count; i++) {
		if (add(v, p->envs[i].name, p->envs[i].value, d) == -1)
			return (-1);
	}
	return (0);
}
