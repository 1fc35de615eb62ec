/*
 * doc_policy.c - agsbx.policy/1: everything that would be enforced, the table
 * of system calls included.  Values of environment variables are not in it.
 */
#include "doc_int.h"
#include "filters.h"
#include "words.h"

static void
put_limits(struct doc *doc, json_t *object, const char *key,
    const uint64_t limits[LIMIT__MAX])
{
	json_t *values = doc_object(doc, object, key);

	/* 0 is no ceiling; a limit is never 0 once the policy is finished. */
	for (enum limit l = 0; l < LIMIT__MAX; l++)
		doc_number(doc, values, limit_infos[l].json,
		    limits[l] != 0 ? (int64_t)limits[l] : JOB_UNKNOWN);
}

static void
put_binds(struct doc *doc, json_t *object, const struct policy *p)
{
	json_t *binds = doc_array(doc, object, "binds");

	for (unsigned int i = 0; i < p->bind_count; i++) {
		json_t *bind = doc_item(doc, binds);

		doc_text(doc, bind, "source", p->binds[i].source);
		doc_text(doc, bind, "path", p->binds[i].path);
		doc_bool(doc, bind, "writable", p->binds[i].is_writable);
	}
}

static void
put_controls(struct doc *doc, json_t *object, const char *key, control_set set)
{
	json_t *names = doc_array(doc, object, key);

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if ((set & CONTROL_BIT(ctl)) != 0)
			doc_item_text(doc, names, controls[ctl].name);
}

static void
put_names(struct doc *doc, json_t *object, const struct policy *p)
{
	json_t *names = doc_array(doc, object, "env");

	for (unsigned int i = 0; i < p->env_count; i++)
		doc_item_text(doc, names, p->envs[i].name);
	put_controls(doc, object, "waived", p->waived);
}

static void
put_tenants(struct doc *doc, json_t *object, const struct policy *p)
{
	json_t *tenants = doc_array(doc, object, "tenants");
	const control_set waivable = CONTROL_ALL & ~control_floor();
	struct origin origin;
	const char *name;

	for (size_t i = 0; (name = policy_tenant(p, i)) != NULL; i++) {
		json_t *tenant = doc_item(doc, tenants);

		doc_text(doc, tenant, "name", name);
		for (enum quota q = 0; q < QUOTA__MAX; q++) {
			uint64_t most = policy_quota(p, name, q, &origin);

			doc_number(doc, tenant, quota_infos[q].json,
			    most != 0 ? (int64_t)most : JOB_UNKNOWN);
		}
		put_controls(doc, tenant, "degraded",
		    policy_tenant_waivers(p, name) & waivable);
	}
}

/* The rows of one rule that this architecture has. */
static void
put_syscalls(struct doc *doc, json_t *object, const char *key,
    enum syscall_rule rule)
{
	json_t *rows = doc_array(doc, object, key);

	for (size_t i = 0; i < syscall_info_count; i++) {
		const struct syscall_info *info = &syscall_infos[i];
		json_t *row;

		if (info->nr == -1 || info->rule != rule)
			continue;
		row = doc_item(doc, rows);
		doc_text(doc, row, "name", info->name);
		doc_number(doc, row, "nr", info->nr);
		doc_text(doc, row, "why", info->why);
	}
}

static void
put_cgroup(struct doc *doc, json_t *object, const struct policy *p)
{
	json_t *cgroup = doc_object(doc, object, "cgroup");

	doc_text(doc, cgroup, "path", p->cgroup_path);
	doc_text(doc, cgroup, "systemd", p->no_systemd ? "no" : "auto");
}

char *
doc_policy(const struct policy *p)
{
	struct doc doc;
	json_t *syscalls;

	doc_begin(&doc, "agsbx.policy/1", false);
	doc_text(&doc, doc.top, "name", p->name);
	doc_word(&doc, doc.top, "sha256", p->sha256);
	put_limits(&doc, doc.top, "limits", p->limits);
	put_limits(&doc, doc.top, "ceilings", p->ceilings);
	doc_text(&doc, doc.top, "network", p->network_host ? "host" : "none");
	doc_text(&doc, doc.top, "network_ceiling",
	    p->network_ceiling_none ? "none" : NULL);
	put_names(&doc, doc.top, p);
	put_binds(&doc, doc.top, p);
	put_cgroup(&doc, doc.top, p);
	doc_text(&doc, doc.top, "anchor", p->has_anchor ? "syslog" : "none");
	put_tenants(&doc, doc.top, p);
	syscalls = doc_object(&doc, doc.top, "syscalls");
	put_syscalls(&doc, syscalls, "allow", RULE_ALLOW);
	put_syscalls(&doc, syscalls, "filtered", RULE_FILTERED);
	put_syscalls(&doc, syscalls, "never", RULE_NEVER);
	return (doc_print(&doc));
}
