/*
 * plan_decode.c - bytes from the peer to struct plan.
 *
 * Pure: no input or output, no heap, no state.  A cursor with a sticky error
 * walks the tables of plan_wire.c; it never reads past its end, and every
 * count is bounded before it is looped over.  What the values mean is
 * plan_check.c's business.  The launcher calls it on what the broker sent, the
 * policy layer on what it encoded itself.
 */
#include <errno.h>
#include <string.h>

#include "plan_wire.h"

struct cursor {
	const uint8_t *at;
	size_t left;
	bool is_bad; /* sticky: nothing is taken after the first error */
};

typedef void read_fn(struct cursor *, const struct wire_field *, void *);

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

static uint32_t
take_u32(struct cursor *c)
{
	const uint8_t *bytes = take(c, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes != NULL)
		memcpy(&value, bytes, sizeof(value));
	return (value);
}

/* A count of at most max, stored in its member; 0 after an error. */
static uint32_t
take_count(struct cursor *c, const struct wire_field *f, void *base)
{
	uint32_t count = take_u32(c);

	if (count > f->max) {
		c->is_bad = true;
		count = 0;
	}
	memcpy((char *)base + f->count_offset, &count, sizeof(count));
	return (count);
}

/* "" after an error, so that no caller meets NULL. */
static const char *
take_string(struct cursor *c)
{
	size_t len = take_u32(c);
	const uint8_t *bytes = take(c, len);
	const uint8_t *end = take(c, 1);

	if (end == NULL)
		return ("");
	if (*end != '\0' || memchr(bytes, '\0', len) != NULL) {
		c->is_bad = true;
		return ("");
	}
	return ((const char *)bytes);
}

static void
read_uint(struct cursor *c, const struct wire_field *f, void *base)
{
	const uint8_t *bytes = take(c, f->size);

	if (bytes != NULL)
		memcpy((char *)base + f->offset, bytes, f->size);
}

static void
read_bool(struct cursor *c, const struct wire_field *f, void *base)
{
	const uint8_t *byte = take(c, 1);
	bool value;

	if (byte == NULL)
		return;
	value = *byte == 1;
	if (*byte > 1)
		c->is_bad = true;
	memcpy((char *)base + f->offset, &value, sizeof(value));
}

static void
read_string(struct cursor *c, const struct wire_field *f, void *base)
{
	const char *string = take_string(c);

	memcpy((char *)base + f->offset, &string, sizeof(string));
}

static void
read_bytes(struct cursor *c, const struct wire_field *f, void *base)
{
	uint32_t len = take_count(c, f, base);
	const uint8_t *bytes = take(c, len);

	memcpy((char *)base + f->offset, &bytes, sizeof(bytes));
}

static void
read_strings(struct cursor *c, const struct wire_field *f, void *base)
{
	const char **strings = (void *)((char *)base + f->offset);
	uint32_t count = take_count(c, f, base);

	for (uint32_t i = 0; i < count && !c->is_bad; i++)
		strings[i] = take_string(c);
	strings[count] = NULL;
}

static void
read_insns(struct cursor *c, const struct wire_field *f, void *base)
{
	size_t len = take_count(c, f, base) * sizeof(struct sock_filter);
	const uint8_t *bytes = take(c, len);

	if (bytes != NULL)
		memcpy((char *)base + f->offset, bytes, len);
}

static read_fn read_entries;

static read_fn *const readers[WIRE__MAX] = {
    [WIRE_UINT] = read_uint,
    [WIRE_BOOL] = read_bool,
    [WIRE_STRING] = read_string,
    [WIRE_BYTES] = read_bytes,
    [WIRE_STRINGS] = read_strings,
    [WIRE_ENTRIES] = read_entries,
    [WIRE_INSNS] = read_insns,
};

static void
read_fields(struct cursor *c, const struct wire_field *fields, size_t count,
    void *base)
{
	for (size_t i = 0; i < count && !c->is_bad; i++)
		readers[fields[i].kind](c, &fields[i], base);
}

static void
read_entries(struct cursor *c, const struct wire_field *f, void *base)
{
	struct plan_entry *entries = (void *)((char *)base + f->offset);
	uint32_t count = take_count(c, f, base);

	for (uint32_t i = 0; i < count && !c->is_bad; i++) {
		read_fields(c, wire_entry, WIRE_ENTRY_FIELDS, &entries[i]);
		if (entries[i].kind >= ENTRY__MAX ||
		    (entries[i].flags & ~ENTRY_WRITABLE) != 0)
			c->is_bad = true;
	}
}

int
plan_decode(struct plan *p, const uint8_t *buf, size_t len, struct fault *fault)
{
	struct cursor c = {buf, len, false};

	memset(p, 0, sizeof(*p));
	read_fields(&c, wire_plan, WIRE_PLAN_FIELDS, p);
	if (!c.is_bad && c.left == 0 && (p->controls & ~CONTROL_ALL) == 0)
		return (0);
	/* Nothing half read is left for a caller who does not look. */
	memset(p, 0, sizeof(*p));
	*fault =
	    (struct fault){CTL_NONE, FAULT_OURS, STEP_PLAN_DECODE, EBADMSG};
	return (-1);
}
