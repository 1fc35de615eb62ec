/*
 * plan_encode.c - struct plan to the bytes that a PLAN message carries.
 *
 * The format is in plan.h, its other side is plan.c.  Broker side only;
 * the launcher does not link it.  Judges nothing but counts and room.
 */
#include <errno.h>
#include <string.h>

#include "plan_encode.h"

struct sink {
	uint8_t *at;
	size_t left;
	int err; /* sticky: E2BIG or EINVAL */
};

static void
put(struct sink *s, const void *bytes, size_t len)
{
	if (s->err == 0 && len > s->left)
		s->err = E2BIG;
	if (s->err != 0 || len == 0)
		return;
	memcpy(s->at, bytes, len);
	s->at += len;
	s->left -= len;
}

static void
put_string(struct sink *s, const char *string)
{
	if (string == NULL)
		s->err = EINVAL;
	else
		put(s, string, strlen(string) + 1);
}

static void
put_entry(struct sink *s, const struct plan_entry *e)
{
	if (e->content_len > PLAN_BYTES_MAX)
		s->err = EINVAL;
	put(s, e, PLAN_ENTRY_HEAD_BYTES);
	put_string(s, e->path);
	put_string(s, e->source);
	put(s, e->content, e->content_len);
}

long
plan_encode(const struct plan *p, uint8_t *buf, size_t size)
{
	struct sink s = {buf, size < PLAN_BYTES_MAX ? size : PLAN_BYTES_MAX, 0};

	if (p->entry_count > PLAN_ENTRIES_MAX || p->argc > PLAN_ARGV_MAX ||
	    p->envc > PLAN_ENVP_MAX || p->filter_len > PLAN_FILTER_MAX)
		s.err = EINVAL;
	put(&s, p, PLAN_HEAD_BYTES);
	for (uint32_t i = 0; s.err == 0 && i < p->entry_count; i++)
		put_entry(&s, &p->entries[i]);
	for (uint32_t i = 0; s.err == 0 && i < p->argc; i++)
		put_string(&s, p->argv[i]);
	for (uint32_t i = 0; s.err == 0 && i < p->envc; i++)
		put_string(&s, p->envp[i]);
	put(&s, p->filter, p->filter_len * sizeof(p->filter[0]));
	if (s.err != 0) {
		errno = s.err;
		return (-1);
	}
	return (s.at - buf);
}
