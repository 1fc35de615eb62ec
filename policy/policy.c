/*
 * policy.c - the life of a policy: built in, set, finished, freed.
 *
 * Values are set in the order of their sources and judged as a whole by
 * policy_finish(); each remembers where it came from.  Called by the broker.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"

struct policy_files {
	char **names;
	size_t count;
};

struct policy *
policy_new(void)
{
	struct policy *p = calloc(1, sizeof(*p));
	unsigned int i;

	if (p == NULL)
		return (NULL);
	p->name = strdup("built-in");
	p->files = calloc(1, sizeof(*p->files));
	if (p->name == NULL || p->files == NULL) {
		policy_free(p);
		return (NULL);
	}
	for (i = 0; i < LIMIT__MAX; i++)
		p->limits[i] = limit_infos[i].def;
	return (p);
}

static void
free_files(struct policy_files *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < f->count; i++)
		free(f->names[i]);
	free(f->names);
	free(f);
}

void
policy_free(struct policy *p)
{
	unsigned int i;

	if (p == NULL)
		return;
	for (i = 0; i < p->env_count; i++) {
		free(p->envs[i].name);
		free(p->envs[i].value);
	}
	for (i = 0; i < p->bind_count; i++) {
		free(p->binds[i].source);
		free(p->binds[i].path);
	}
	view_free(p->view);
	free_files(p->files);
	free(p->cgroup_path);
	free(p->tenants);
	free(p->name);
	free(p);
}

const char *
policy_keep_file(struct policy *p, const char *path)
{
	struct policy_files *f = p->files;
	char **names = reallocarray(f->names, f->count + 1, sizeof(*names));

	if (names == NULL)
		return (NULL);
	f->names = names;
	if ((names[f->count] = strdup(path)) == NULL)
		return (NULL);
	return (names[f->count++]);
}

int
policy_set(struct policy *p, const char *section, const char *key,
    const char *value, const struct origin *origin, struct diag *d)
{
	const struct policy_key *k = policy_key_find(section, key, origin, d);

	if (k == NULL)
		return (-1);
	return (k->set(p, k, value, origin, d));
}

const char *
origin_text(const struct origin *o, char *buf, size_t size)
{
	if (o->flag != NULL)
		return (o->flag);
	if (o->file == NULL)
		return ("built in");
	(void)snprintf(buf, size, "%s:%u", o->file, o->line);
	return (buf);
}

int
origin_fail(struct diag *d, const struct origin *o, const char *fmt, ...)
{
	char text[sizeof(d->message)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* diag cuts as well */
	va_end(ap);
	if (o->file != NULL)
		return (diag_at(d, DIAG_POLICY, o->file, o->line, "%s", text));
	if (o->flag != NULL)
		return (diag_set(d, DIAG_USAGE, "%s: %s", o->flag, text));
	return (diag_set(d, DIAG_POLICY, "%s", text));
}
