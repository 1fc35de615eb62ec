/*
 * finish.c - policy_finish(): limits against ceilings and the host, then
 * environment and binds, then the view and the hash.  Called once by the
 * broker, before it confines itself.
 */
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"

#define OUTPUT_LIVE (64ULL << 20)
#define OUTPUT_KEPT (1ULL << 20)

bool
origin_is_built_in(const struct origin *o)
{
	return (o->file == NULL && o->flag == NULL);
}

const struct origin *
policy_limit_origin(const struct policy *p, enum limit l)
{
	const struct origin *o = &p->limit_origins[l];

	/* A default that gave way to a ceiling. */
	return (origin_is_built_in(o) && p->limits[l] == p->ceilings[l] ?
		&p->ceiling_origins[l] :
		o);
}

static const char *
shown(enum limit l, uint64_t value, char buf[32])
{
	return (value_print(limit_infos[l].kind, value, buf, 32));
}

/* The file that set the ceiling is what the message is about.  -1. */
static int
blame_ceiling(struct diag *d, const struct origin *o)
{
	d->code = DIAG_POLICY;
	if (o->file != NULL) {
		(void)strlcpy(d->file, o->file, sizeof(d->file));
		d->line = o->line;
	}
	return (-1);
}

/* What was asked for above the ceiling is refused, never cut down to it. */
static int
check_ceiling(struct policy *p, enum limit l, struct diag *d)
{
	const struct origin *o = &p->ceiling_origins[l];
	char where[ORIGIN_TEXT_SIZE];
	char given[32];
	char most[32];

	/* 0 is no quota of CPU time, which is above any. */
	if (p->ceilings[l] == 0 ||
	    (p->limits[l] != 0 && p->limits[l] <= p->ceilings[l]))
		return (0);
	if (origin_is_built_in(&p->limit_origins[l])) {
		p->limits[l] = p->ceilings[l];
		return (0);
	}
	(void)origin_fail(d, &p->limit_origins[l],
	    "%s %s is above the ceiling of %s set by %s", limit_infos[l].key,
	    shown(l, p->limits[l], given), shown(l, p->ceilings[l], most),
	    origin_text(o, where, sizeof(where)));
	return (blame_ceiling(d, o));
}

static int
check_ceilings(struct policy *p, struct diag *d)
{
	unsigned int l;

	for (l = 0; l < LIMIT__MAX; l++) {
		/* The default of max-file is the scratch that was settled. */
		if (l == LIMIT_MAX_FILE)
			continue;
		if (check_ceiling(p, (enum limit)l, d) == -1)
			return (-1);
	}
	if (p->limits[LIMIT_MAX_FILE] == 0)
		p->limits[LIMIT_MAX_FILE] = p->limits[LIMIT_SCRATCH];
	return (check_ceiling(p, LIMIT_MAX_FILE, d));
}

/* Only the scratch and writable binds take files, so beyond them a limit of
 * one file's size says nothing. */
static int
check_max_file(struct policy *p, struct diag *d)
{
	uint64_t most = p->limits[LIMIT_SCRATCH];
	char given[32];
	char held[32];
	unsigned int i;

	for (i = 0; i < p->bind_count; i++) {
		if (p->binds[i].is_writable)
			return (0);
	}
	if (p->limits[LIMIT_MAX_FILE] <= most)
		return (0);
	if (origin_is_built_in(&p->limit_origins[LIMIT_MAX_FILE]))
		return (0);
	return (origin_fail(d, &p->limit_origins[LIMIT_MAX_FILE],
	    "max-file %s would have no effect: the scratch holds %s",
	    shown(LIMIT_MAX_FILE, p->limits[LIMIT_MAX_FILE], given),
	    shown(LIMIT_SCRATCH, most, held)));
}

static int
finish_limits(struct policy *p, struct diag *d)
{
	if (p->limits[LIMIT_MAX_OUTPUT] == 0)
		p->limits[LIMIT_MAX_OUTPUT] =
		    p->keep_json ? OUTPUT_KEPT : OUTPUT_LIVE;
	if (check_ceilings(p, d) == -1 || check_max_file(p, d) == -1)
		return (-1);
	return (finish_host(p, d));
}

static int
finish_network(struct policy *p, struct diag *d)
{
	char where[ORIGIN_TEXT_SIZE];
	const struct origin *o = &p->network_ceiling_origin;

	if (!p->network_host || !p->network_ceiling_none)
		return (0);
	(void)origin_fail(d, &p->network_origin,
	    "access host is above the ceiling of none set by %s",
	    origin_text(o, where, sizeof(where)));
	return (blame_ceiling(d, o));
}

static int
finish_hash(struct policy *p, struct diag *d)
{
	char *text = policy_print(p);

	if (text == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	(void)SHA256Data((const uint8_t *)text, strlen(text), p->sha256);
	free(text);
	return (0);
}

int
policy_finish(struct policy *p, struct diag *d)
{
	if (finish_limits(p, d) == -1 || finish_network(p, d) == -1 ||
	    finish_env(p, d) == -1 || finish_binds(p, d) == -1 ||
	    view_build(p, d) == -1)
		return (-1);
	return (finish_hash(p, d));
}
