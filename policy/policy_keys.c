/*
 * policy_keys.c - every key that a policy file or a flag can set, as one
 * table with a setter a row.  Setters judge the value alone; what depends on
 * other values waits for policy_finish().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"
#include "suggest.h"

static int
out_of_memory(struct diag *d)
{
	return (diag_set(d, DIAG_INTERNAL, "out of memory"));
}

/* The value of a limit or ceiling, within what limits.def permits. */
static int
parse_limit(const struct policy_key *k, const char *value,
    const struct origin *o, uint64_t *out, struct diag *d)
{
	const struct limit_info *l = &limit_infos[k->limit];
	const bool is_flag = o->flag != NULL;
	/* origin_fail() names flags by itself */
	const char *name = is_flag ? "" : k->key;
	const char *colon = is_flag ? "" : ": ";
	struct diag inner = {0};
	char bound[32];

	if (value_parse(l->kind, is_flag, value, out,
		is_flag ? o->flag : k->key, is_flag ? d : &inner) == -1)
		return (is_flag ? -1 : origin_fail(d, o, "%s", inner.message));
	if (*out < l->min)
		return (origin_fail(d, o,
		    "%s%s%s is less than %s, the minimum (%s)", name, colon,
		    value, value_print(l->kind, l->min, bound, sizeof(bound)),
		    l->what));
	if (*out > l->max)
		return (origin_fail(d, o,
		    "%s%s%s is more than %s, the maximum (%s)", name, colon,
		    value, value_print(l->kind, l->max, bound, sizeof(bound)),
		    l->what));
	return (0);
}

static int
set_limit(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	uint64_t number;

	if (parse_limit(k, value, o, &number, d) == -1)
		return (-1);
	p->limits[k->limit] = number;
	p->limit_origins[k->limit] = *o;
	return (0);
}

/* Of several files the lowest ceiling holds: a later one cannot raise it. */
static int
set_ceiling(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	uint64_t number;

	if (parse_limit(k, value, o, &number, d) == -1)
		return (-1);
	if (p->ceilings[k->limit] != 0 && p->ceilings[k->limit] <= number)
		return (0);
	p->ceilings[k->limit] = number;
	p->ceiling_origins[k->limit] = *o;
	return (0);
}

static int
parse_access(const char *value, const struct origin *o, bool *is_host,
    struct diag *d)
{
	if (strcmp(value, "none") != 0 && strcmp(value, "host") != 0)
		return (origin_fail(d, o,
		    "unknown access \"%s\"; it is none or host", value));
	*is_host = strcmp(value, "host") == 0;
	return (0);
}

static int
set_access(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	(void)k; /* one key, one meaning */
	if (parse_access(value, o, &p->network_host, d) == -1)
		return (-1);
	p->network_origin = *o;
	return (0);
}

static int
set_access_ceiling(struct policy *p, const struct policy_key *k,
    const char *value, const struct origin *o, struct diag *d)
{
	bool is_host = false;

	(void)k;
	if (parse_access(value, o, &is_host, d) == -1)
		return (-1);
	if (is_host || p->network_ceiling_none)
		return (0);
	p->network_ceiling_none = true;
	p->network_ceiling_origin = *o;
	return (0);
}

/* The entry of that name, which a later source overrides, or a new one. */
static struct policy_env *
env_slot(struct policy *p, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < p->env_count; i++) {
		if (strncmp(p->envs[i].name, name, len) == 0 &&
		    p->envs[i].name[len] == '\0')
			return (&p->envs[i]);
	}
	return (i < POLICY_ENV_MAX ? &p->envs[i] : NULL);
}

static int
set_env(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	size_t len = strcspn(value, "=");
	struct policy_env *e = env_slot(p, value, len);
	char *name;
	char *text = NULL;

	(void)k;
	if (e == NULL)
		return (origin_fail(d, o, "more than %u variables",
		    POLICY_ENV_MAX));
	if (o->file != NULL && e->origin.file == o->file)
		return (origin_fail(d, o, "\"%s\" was given in line %u already",
		    e->name, e->origin.line));
	name = strndup(value, len);
	if (value[len] == '=')
		text = strdup(value + len + 1);
	if (name == NULL || (value[len] == '=' && text == NULL)) {
		free(name);
		free(text);
		return (out_of_memory(d));
	}
	if (e == &p->envs[p->env_count])
		p->env_count++;
	free(e->name);
	free(e->value);
	*e = (struct policy_env){name, text, *o};
	return (0);
}

static int
set_bind(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	struct policy_bind *b = &p->binds[p->bind_count];
	size_t len = strcspn(value, ":");

	if (p->bind_count == POLICY_BINDS_MAX)
		return (
		    origin_fail(d, o, "more than %u binds", POLICY_BINDS_MAX));
	if (len == 0 || (value[len] == ':' && value[len + 1] == '\0'))
		return (
		    origin_fail(d, o, "\"%s\" is not SRC or SRC:DST", value));
	b->source = strndup(value, len);
	if (value[len] == ':')
		b->path = strdup(value + len + 1);
	b->is_writable = strcmp(k->key, "bind") == 0;
	b->origin = *o;
	p->bind_count++; /* policy_free() takes it from here */
	if (b->source == NULL || (value[len] == ':' && b->path == NULL))
		return (out_of_memory(d));
	return (0);
}

static int
set_waived(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	struct diag inner = {0};
	control_set set;

	(void)k;
	if (waivers_parse(value, &set, &inner) == -1)
		return (origin_fail(d, o, "%s", inner.message));
	p->waived |= set;
	if (o->flag != NULL)
		p->flag_waived |= set;
	return (0);
}

static int
set_cgroup_path(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	char *path;

	(void)k;
	if (!plan_path_is_clean(value) || path_has_control(value))
		return (origin_fail(d, o,
		    "\"%s\" is not the absolute path of a cgroup, such as "
		    "/sys/fs/cgroup/jobs",
		    value));
	if ((path = strdup(value)) == NULL)
		return (out_of_memory(d));
	free(p->cgroup_path);
	p->cgroup_path = path;
	p->cgroup_origin = *o;
	return (0);
}

static int
set_systemd(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	(void)k;
	if (strcmp(value, "auto") != 0 && strcmp(value, "no") != 0)
		return (origin_fail(d, o,
		    "unknown systemd \"%s\"; it is auto or no", value));
	p->no_systemd = strcmp(value, "no") == 0;
	return (0);
}

/* Once a file asks for anchors, no later one can do without. */
static int
set_anchor(struct policy *p, const struct policy_key *k, const char *value,
    const struct origin *o, struct diag *d)
{
	(void)k;
	if (strcmp(value, "none") == 0)
		return (0);
	if (strcmp(value, "syslog") != 0)
		return (origin_fail(d, o,
		    "unknown anchor \"%s\"; it is none or syslog", value));
	p->has_anchor = true;
	p->anchor_origin = *o;
	return (0);
}

const struct policy_key policy_keys[] = {
#define LIMIT(id, key, flag, json, kind, def, min, max, what) \
	{"limits", key, set_limit, LIMIT_##id, false},
#include "limits.def"
#undef LIMIT
    {"network", "access", set_access, LIMIT__MAX, false},
    {"env", "allow", set_env, LIMIT__MAX, true},
    {"files", "bind", set_bind, LIMIT__MAX, true},
    {"files", "bind-ro", set_bind, LIMIT__MAX, true},
    {"degraded", "allow", set_waived, LIMIT__MAX, false},
    {"ledger", "anchor", set_anchor, LIMIT__MAX, false},
    {"cgroup", "path", set_cgroup_path, LIMIT__MAX, false},
    {"cgroup", "systemd", set_systemd, LIMIT__MAX, false},
#define LIMIT(id, key, flag, json, kind, def, min, max, what) \
	{"ceiling", key, set_ceiling, LIMIT_##id, false},
#include "limits.def"
#undef LIMIT
    {"ceiling", "access", set_access_ceiling, LIMIT__MAX, false},
};
const size_t policy_key_count = sizeof(policy_keys) / sizeof(policy_keys[0]);

static const struct policy_key *
unknown_key(const char *section, const char *key, const struct origin *o,
    struct diag *d)
{
	struct suggestion near_key = {.word = key};
	struct suggestion near_section = {.word = section};
	bool has_section = false;
	char hint[64];
	size_t i;

	for (i = 0; i < policy_key_count; i++) {
		suggest_offer(&near_section, policy_keys[i].section);
		if (strcmp(policy_keys[i].section, section) != 0)
			continue;
		has_section = true;
		suggest_offer(&near_key, policy_keys[i].key);
	}
	if (!has_section)
		(void)origin_fail(d, o, "unknown section [%s]%s", section,
		    suggest_text(&near_section, hint, sizeof(hint)));
	else
		(void)origin_fail(d, o, "unknown key \"%s\" in [%s]%s", key,
		    section, suggest_text(&near_key, hint, sizeof(hint)));
	return (NULL);
}

const struct policy_key *
policy_key_find(const char *section, const char *key, const struct origin *o,
    struct diag *d)
{
	size_t i;

	for (i = 0; i < policy_key_count; i++) {
		if (strcmp(policy_keys[i].section, section) == 0 &&
		    strcmp(policy_keys[i].key, key) == 0)
			return (&policy_keys[i]);
	}
	return (unknown_key(section, key, o, d));
}
