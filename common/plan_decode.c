/*
 * plan_decode.c - bytes from the peer to struct plan (the format: plan.h).
 *
 * Pure: no input or output, no heap, no state.  A cursor with a sticky error
 * never reads past its end, and every count is bounded before it is looped
 * over.  What the values mean is plan_check.c's business.
 */
#include <errno.h>
#include <string.h>

#include "plan.h"

struct cursor {
	const uint8_t *at;
	size_t left;
	bool is_bad; /* sticky: nothing is taken after the first error */
};

/* The next len bytes, copied to out unless that is NULL; or NULL. */
static const uint8_t *
take(struct cursor *c, void *out, size_t len)
{
	const uint8_t *bytes = c->at;

	if (c->is_bad || len > c->left) {
		c->is_bad = true;
		return (NULL);
	}
	if (out != NULL)
		memcpy(out, bytes, len);
	c->at += len;
	c->left -= len;
	return (bytes);
}

/* Up to the next NUL, so that none can be inside; "" after an error. */
static const char *
take_string(struct cursor *c)
{
	const uint8_t *nul = c->is_bad ? NULL : memchr(c->at, '\0', c->left);

	if (nul == NULL) {
		c->is_bad = true;
		return ("");
	}
	return ((const char *)take(c, NULL, (size_t)(nul - c->at) + 1));
}

static void
take_entry(struct cursor *c, struct plan_entry *e)
{
	(void)take(c, e, PLAN_ENTRY_HEAD_BYTES);
	e->path = take_string(c);
	e->source = take_string(c);
	e->content = take(c, NULL, e->content_len);
	if (e->kind >= ENTRY__MAX || (e->flags & ~ENTRY_WRITABLE) != 0)
		c->is_bad = true;
}

int
plan_decode(struct plan *p, const uint8_t *buf, size_t len, struct fault *fault)
{
	static const uint8_t zeros[sizeof(p->reserved)];
	struct cursor c = {buf, len, false};

	/* Zero first: it is also what ends argv and envp. */
	memset(p, 0, sizeof(*p));
	(void)take(&c, p, PLAN_HEAD_BYTES);
	if ((p->controls & ~CONTROL_ALL) != 0 || p->has_program > 1 ||
	    p->network_host > 1 || p->has_cgroup > 1 ||
	    memcmp(p->reserved, zeros, sizeof(zeros)) != 0 ||
	    p->entry_count > PLAN_ENTRIES_MAX || p->argc > PLAN_ARGV_MAX ||
	    p->envc > PLAN_ENVP_MAX || p->filter_len > PLAN_FILTER_MAX)
		c.is_bad = true;
	for (uint32_t i = 0; !c.is_bad && i < p->entry_count; i++)
		take_entry(&c, &p->entries[i]);
	for (uint32_t i = 0; !c.is_bad && i < p->argc; i++)
		p->argv[i] = take_string(&c);
	for (uint32_t i = 0; !c.is_bad && i < p->envc; i++)
		p->envp[i] = take_string(&c);
	(void)take(&c, p->filter, p->filter_len * sizeof(p->filter[0]));
	if (!c.is_bad && c.left == 0)
		return (0);
	/* Nothing half read is left for a caller who does not look. */
	memset(p, 0, sizeof(*p));
	*fault =
	    (struct fault){CTL_NONE, FAULT_OURS, STEP_PLAN_DECODE, EBADMSG};
	return (-1);
}
