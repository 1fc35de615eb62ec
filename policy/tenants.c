/*
 * tenants.c - the sections [tenant NAME] of policy files: what a tenant may
 * use, and which waivers it may use.  [tenant *] is for every tenant whose own
 * section in the same file does not set the key.  Of several files the lowest
 * value holds, so that a later one cannot raise what an earlier one permits.
 * Called by policy_load.c while files are read, by the broker afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"
#include "suggest.h"

#define ROWS_MAX 4096U
#define DEGRADED_KEY "degraded"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

const struct quota_info quota_infos[QUOTA__MAX] = {
#define QUOTA(id, key, json, kind, min, max, what) \
	[QUOTA_##id] = {key, json, kind, min, max, what},
#include "quotas.def"
#undef QUOTA
};

bool
tenant_name_is_valid(const char *name)
{
	size_t len = strspn(name, LETTERS DIGITS "._-");

	return (len > 0 && len <= TENANT_BYTES_MAX && name[len] == '\0' &&
	    strchr(LETTERS DIGITS, name[0]) != NULL);
}

const char *
tenant_of_section(const char *section)
{
	static const char prefix[] = "tenant ";

	if (strncmp(section, prefix, sizeof(prefix) - 1) != 0)
		return (NULL);
	section += sizeof(prefix) - 1;
	return (section + strspn(section, " \t"));
}

static enum quota
quota_by_key(const char *key)
{
	enum quota q = 0;

	while (q < QUOTA__MAX && strcmp(quota_infos[q].key, key) != 0)
		q++;
	return (q);
}

static int
unknown_key(const char *key, const struct origin *o, struct diag *d)
{
	struct suggestion near = {.word = key};
	char hint[64];

	for (enum quota q = 0; q < QUOTA__MAX; q++)
		suggest_offer(&near, quota_infos[q].key);
	suggest_offer(&near, DEGRADED_KEY);
	return (origin_fail(d, o, "unknown key \"%s\" in [tenant NAME]%s", key,
	    suggest_text(&near, hint, sizeof(hint))));
}

/* no: none; yes: every one that can be waived; else a list of controls. */
static int
parse_degraded(const char *value, const struct origin *o, uint64_t *out,
    struct diag *d)
{
	struct diag inner = {0};
	control_set set = 0;

	if (strcmp(value, "no") != 0 &&
	    waivers_parse(strcmp(value, "yes") == 0 ? NULL : value, &set,
		&inner) == -1)
		return (origin_fail(d, o, DEGRADED_KEY ": %s", inner.message));
	*out = set;
	return (0);
}

static int
parse_quota(enum quota q, const char *value, const struct origin *o,
    uint64_t *out, struct diag *d)
{
	const struct quota_info *info = &quota_infos[q];
	struct diag inner = {0};
	char least[32], most[32];

	if (value_parse(info->kind, false, value, out, info->key, &inner) == -1)
		return (origin_fail(d, o, "%s", inner.message));
	if (*out >= info->min && *out <= info->max)
		return (0);
	return (origin_fail(d, o, "%s: %s is not from %s to %s (%s)", info->key,
	    value, value_print(info->kind, info->min, least, sizeof(least)),
	    value_print(info->kind, info->max, most, sizeof(most)),
	    info->what));
}

static bool
is_row(const struct tenant_row *r, const char *tenant, enum quota q)
{
	return (r->quota == q && strcmp(r->tenant, tenant) == 0);
}

/* The row of that file, or NULL. */
static const struct tenant_row *
find_in_file(const struct policy *p, const char *file, const char *tenant,
    enum quota q)
{
	for (size_t i = 0; i < p->tenant_count; i++)
		if (p->tenants[i].origin.file == file &&
		    is_row(&p->tenants[i], tenant, q))
			return (&p->tenants[i]);
	return (NULL);
}

static int
add_row(struct policy *p, const struct tenant_row *row, struct diag *d)
{
	struct tenant_row *rows;

	if (p->tenant_count == ROWS_MAX)
		return (origin_fail(d, &row->origin,
		    "more than %u quotas of tenants", ROWS_MAX));
	rows = reallocarray(p->tenants, p->tenant_count + 1, sizeof(*rows));
	if (rows == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	p->tenants = rows;
	rows[p->tenant_count++] = *row;
	return (0);
}

int
tenant_set(struct policy *p, const char *tenant, const char *key,
    const char *value, const struct origin *o, struct diag *d)
{
	struct tenant_row row = {.quota = quota_by_key(key), .origin = *o};
	const struct tenant_row *before;
	int rc;

	if (strcmp(tenant, TENANT_ANY) != 0 && !tenant_name_is_valid(tenant))
		return (origin_fail(d, o,
		    "[tenant %s] is not the name of a tenant, nor *", tenant));
	if (row.quota == QUOTA__MAX && strcmp(key, DEGRADED_KEY) != 0)
		return (unknown_key(key, o, d));
	/* Its length was judged. */
	(void)strlcpy(row.tenant, tenant, sizeof(row.tenant));
	if ((before = find_in_file(p, o->file, tenant, row.quota)) != NULL)
		return (origin_fail(d, o, "%s was set in line %u already", key,
		    before->origin.line));
	if (row.quota == QUOTA__MAX)
		rc = parse_degraded(value, o, &row.value, d);
	else
		rc = parse_quota(row.quota, value, o, &row.value, d);
	return (rc == 0 ? add_row(p, &row, d) : -1);
}

/* True when r says something of the tenant: its own row, or one of * that no
 * row of its own in the same file replaces. */
static bool
is_about(const struct policy *p, const struct tenant_row *r, const char *tenant,
    enum quota q)
{
	if (is_row(r, tenant, q))
		return (true);
	return (is_row(r, TENANT_ANY, q) &&
	    find_in_file(p, r->origin.file, tenant, q) == NULL);
}

uint64_t
policy_quota(const struct policy *p, const char *tenant, enum quota q,
    struct origin *origin)
{
	const struct tenant_row *lowest = NULL;

	for (size_t i = 0; i < p->tenant_count; i++)
		if (is_about(p, &p->tenants[i], tenant, q) &&
		    (lowest == NULL || p->tenants[i].value < lowest->value))
			lowest = &p->tenants[i];
	if (lowest == NULL)
		return (0);
	*origin = lowest->origin;
	return (lowest->value);
}

control_set
policy_tenant_waivers(const struct policy *p, const char *tenant)
{
	control_set set = CONTROL_ALL;

	for (size_t i = 0; i < p->tenant_count; i++)
		if (is_about(p, &p->tenants[i], tenant, QUOTA__MAX))
			set &= (control_set)p->tenants[i].value;
	return (set);
}

void
policy_use_tenant(struct policy *p, const char *tenant)
{
	control_set permitted = policy_tenant_waivers(p, tenant);

	p->forbidden = p->flag_waived & ~permitted;
	p->waived &= permitted;
	for (size_t i = 0; i < p->tenant_count; i++)
		if (is_about(p, &p->tenants[i], tenant, QUOTA__MAX) &&
		    (p->forbidden & ~(control_set)p->tenants[i].value) != 0)
			p->forbidden_origin = p->tenants[i].origin;
}

static void
print_waivers(FILE *f, control_set set)
{
	const char *between = "";

	if (set == CONTROL_ALL)
		return;
	(void)fprintf(f, DEGRADED_KEY " = %s", set == 0 ? "no" : "");
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if ((set & CONTROL_BIT(ctl)) != 0) {
			(void)fprintf(f, "%s%s", between, controls[ctl].name);
			between = ",";
		}
	(void)fprintf(f, "\n");
}

static bool
is_first_of_tenant(const struct policy *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(p->tenants[i].tenant, p->tenants[at].tenant) == 0)
			return (false);
	return (true);
}

const char *
policy_tenant(const struct policy *p, size_t n)
{
	for (size_t i = 0; i < p->tenant_count; i++)
		if (is_first_of_tenant(p, i) && n-- == 0)
			return (p->tenants[i].tenant);
	return (NULL);
}

void
tenants_print(FILE *f, const struct policy *p)
{
	struct origin origin;
	const char *tenant;
	char text[32];
	uint64_t most;

	for (size_t i = 0; (tenant = policy_tenant(p, i)) != NULL; i++) {
		(void)fprintf(f, "[tenant %s]\n", tenant);
		for (enum quota q = 0; q < QUOTA__MAX; q++)
			if ((most = policy_quota(p, tenant, q, &origin)) != 0)
				(void)fprintf(f, "%s = %s\n",
				    quota_infos[q].key,
				    value_print(quota_infos[q].kind, most, text,
					sizeof(text)));
		print_waivers(f, policy_tenant_waivers(p, tenant));
	}
}
