/*
 * policy_print.c - the canonical text of a finished policy: what "agsbx policy"
 * prints and what its hash is taken of.  The same policy has the same text,
 * wherever its values came from.  Values of variables are secrets of the
 * caller: only names are printed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "policy_int.h"

static void
print_limits(FILE *f, const char *section, const uint64_t *values)
{
	char text[32];
	unsigned int l;

	(void)fprintf(f, "[%s]\n", section);
	for (l = 0; l < LIMIT__MAX; l++) {
		if (values[l] == 0) /* no ceiling */
			continue;
		(void)fprintf(f, "%s = %s\n", limit_infos[l].key,
		    value_print(limit_infos[l].kind, values[l], text,
			sizeof(text)));
	}
}

static void
print_env(FILE *f, const struct policy *p)
{
	unsigned int i;

	(void)fprintf(f, "[env]\n");
	for (i = 0; i < p->env_count; i++)
		(void)fprintf(f, "allow = %s\n", p->envs[i].name);
}

static void
print_binds(FILE *f, const struct policy *p)
{
	unsigned int i;

	(void)fprintf(f, "[files]\n");
	for (i = 0; i < p->bind_count; i++)
		(void)fprintf(f, "%s = %s:%s\n",
		    p->binds[i].is_writable ? "bind" : "bind-ro",
		    p->binds[i].source, p->binds[i].path);
}

static void
print_waived(FILE *f, const struct policy *p)
{
	const char *between = "allow = ";
	unsigned int ctl;

	(void)fprintf(f, "[degraded]\n");
	for (ctl = 0; ctl < CTL__MAX; ctl++) {
		if ((p->waived & CONTROL_BIT(ctl)) == 0)
			continue;
		(void)fprintf(f, "%s%s", between, controls[ctl].name);
		between = ",";
	}
	if (p->waived != 0)
		(void)fputc('\n', f);
}

static void
print_cgroup(FILE *f, const struct policy *p)
{
	(void)fprintf(f, "[cgroup]\n");
	if (p->cgroup_path != NULL)
		(void)fprintf(f, "path = %s\n", p->cgroup_path);
	(void)fprintf(f, "systemd = %s\n", p->no_systemd ? "no" : "auto");
}

char *
policy_print(const struct policy *p)
{
	char *text = NULL;
	size_t size = 0;
	bool has_failed;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return (NULL);
	print_limits(f, "limits", p->limits);
	(void)fprintf(f, "[network]\naccess = %s\n",
	    p->network_host ? "host" : "none");
	print_env(f, p);
	print_binds(f, p);
	print_waived(f, p);
	print_cgroup(f, p);
	print_limits(f, "ceiling", p->ceilings);
	if (p->network_ceiling_none)
		(void)fprintf(f, "access = none\n");
	if (p->has_anchor)
		(void)fprintf(f, "[ledger]\nanchor = syslog\n");
	tenants_print(f, p);
	has_failed = ferror(f) != 0;
	if (fclose(f) != 0 || has_failed) {
		free(text);
		return (NULL);
	}
	return (text);
}
