/*
 * plan_decode.c - bytes from the peer to struct plan.
 *
 * Pure: no input or output, no heap, no state.  A cursor with a sticky error
 * walks plan_fields.def; it never reads past its end, and every count is
 * bounded before it is looped over.  What the values mean is plan_check.c's
 * business.  The launcher calls it on what the broker sent, the policy layer
 * on what it encoded itself.
 */
#include <errno.h>
#include <string.h>

#include "plan.h"

struct cursor {
	const uint8_t *at;
	size_t left;
	bool is_bad; /* sticky: nothing is taken after the first error */
};

/* The next len bytes, or NULL. */
static const uint8_t *
take(struct cursor *c, size_t len)
{
	const uint8_t *bytes = c->at;

	if (c->is_bad || len > c->left) {
		c->is_bad = true;
		return (NULL);
	}
	c->at += len;
	c->left -= len;
	return (bytes);
}

static void
take_into(struct cursor *c, void *out, size_t len)
{
	const uint8_t *bytes = take(c, len);

	if (bytes != NULL)
		memcpy(out, bytes, len);
}

static bool
take_bool(struct cursor *c)
{
	uint8_t byte = 0;

	take_into(c, &byte, 1);
	if (byte > 1)
		c->is_bad = true;
	return (byte == 1);
}

/* A count of at most max; 0 after an error. */
static uint32_t
take_count(struct cursor *c, uint32_t max)
{
	uint32_t count = 0;

	take_into(c, &count, sizeof(count));
	if (count > max) {
		c->is_bad = true;
		return (0);
	}
	return (count);
}

/* "" after an error, so that no caller meets NULL. */
static const char *
take_string(struct cursor *c)
{
	size_t len = take_count(c, PLAN_BYTES_MAX);
	const uint8_t *bytes = take(c, len + 1);

	if (bytes == NULL)
		return ("");
	if (memchr(bytes, '\0', len + 1) != bytes + len) {
		c->is_bad = true;
		return ("");
	}
	return ((const char *)bytes);
}

static void
take_strings(struct cursor *c, const char **strings, uint32_t count)
{
	for (uint32_t i = 0; i < count && !c->is_bad; i++)
		strings[i] = take_string(c);
}

static void
take_insns(struct cursor *c, struct sock_filter *insns, uint32_t count)
{
	take_into(c, insns, count * sizeof(*insns));
}

#define UINT(member) take_into(c, &out->member, sizeof(out->member));
#define BOOL(member) out->member = take_bool(c);
#define STRING(member) out->member = take_string(c);
#define BYTES(member, length) \
	out->length = take_count(c, PLAN_BYTES_MAX); \
	out->member = take(c, out->length);
#define LIST(kind, member, count, max) \
	out->count = take_count(c, max); \
	take_##kind(c, out->member, out->count);

static void
take_entry(struct cursor *c, struct plan_entry *out)
{
#define PLAN_ENTRY_FIELDS
#include "plan_fields.def"
#undef PLAN_ENTRY_FIELDS
	if (out->kind >= ENTRY__MAX || (out->flags & ~ENTRY_WRITABLE) != 0)
		c->is_bad = true;
}

static void
take_entries(struct cursor *c, struct plan_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count && !c->is_bad; i++)
		take_entry(c, &entries[i]);
}

static void
take_plan(struct cursor *c, struct plan *out)
{
#include "plan_fields.def"
}

int
plan_decode(struct plan *p, const uint8_t *buf, size_t len, struct fault *fault)
{
	struct cursor c = {buf, len, false};

	/* Zero first: it is also what ends argv and envp. */
	memset(p, 0, sizeof(*p));
	take_plan(&c, p);
	if (!c.is_bad && c.left == 0 && (p->controls & ~CONTROL_ALL) == 0)
		return (0);
	/* Nothing half read is left for a caller who does not look. */
	memset(p, 0, sizeof(*p));
	*fault =
	    (struct fault){CTL_NONE, FAULT_OURS, STEP_PLAN_DECODE, EBADMSG};
	return (-1);
}
