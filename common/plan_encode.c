/*
 * plan_encode.c - struct plan to the bytes that a PLAN message carries.
 *
 * Walks the tables of plan_wire.c, as plan_decode.c does.  Broker side only;
 * the launcher does not link it.  Judges nothing but counts and room.
 */
#include <errno.h>
#include <string.h>

#include "plan_wire.h"

struct sink {
	uint8_t *at;
	size_t left;
	int err; /* sticky: E2BIG or EINVAL */
};

typedef void write_fn(struct sink *, const struct wire_field *, const void *);

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

/* The count of a list, written in front of it; 0 when it is out of range. */
static uint32_t
put_count(struct sink *s, const struct wire_field *f, const void *base)
{
	uint32_t count;

	memcpy(&count, (const char *)base + f->count_offset, sizeof(count));
	if (count > f->max) {
		s->err = EINVAL;
		return (0);
	}
	put(s, &count, sizeof(count));
	return (count);
}

static void
put_string(struct sink *s, const char *string)
{
	size_t len;
	uint32_t wire_len;

	if (string == NULL) {
		s->err = EINVAL;
		return;
	}
	if ((len = strlen(string)) >= s->left) {
		s->err = E2BIG;
		return;
	}
	wire_len = (uint32_t)len;
	put(s, &wire_len, sizeof(wire_len));
	put(s, string, len + 1);
}

/* UINT, and BOOL, which is one byte of 0 or 1 in memory as well. */
static void
write_uint(struct sink *s, const struct wire_field *f, const void *base)
{
	put(s, (const char *)base + f->offset, f->size);
}

static void
write_string(struct sink *s, const struct wire_field *f, const void *base)
{
	const char *string;

	memcpy(&string, (const char *)base + f->offset, sizeof(string));
	put_string(s, string);
}

static void
write_bytes(struct sink *s, const struct wire_field *f, const void *base)
{
	uint32_t len = put_count(s, f, base);
	const uint8_t *bytes;

	memcpy(&bytes, (const char *)base + f->offset, sizeof(bytes));
	put(s, bytes, len);
}

static void
write_strings(struct sink *s, const struct wire_field *f, const void *base)
{
	const char *const *strings =
	    (const void *)((const char *)base + f->offset);
	uint32_t count = put_count(s, f, base);

	for (uint32_t i = 0; i < count && s->err == 0; i++)
		put_string(s, strings[i]);
}

static void
write_insns(struct sink *s, const struct wire_field *f, const void *base)
{
	uint32_t count = put_count(s, f, base);

	put(s, (const char *)base + f->offset,
	    count * sizeof(struct sock_filter));
}

static write_fn write_entries;

static write_fn *const writers[WIRE__MAX] = {
    [WIRE_UINT] = write_uint,
    [WIRE_BOOL] = write_uint,
    [WIRE_STRING] = write_string,
    [WIRE_BYTES] = write_bytes,
    [WIRE_STRINGS] = write_strings,
    [WIRE_ENTRIES] = write_entries,
    [WIRE_INSNS] = write_insns,
};

static void
write_fields(struct sink *s, const struct wire_field *fields, size_t count,
    const void *base)
{
	for (size_t i = 0; i < count && s->err == 0; i++)
		writers[fields[i].kind](s, &fields[i], base);
}

static void
write_entries(struct sink *s, const struct wire_field *f, const void *base)
{
	const struct plan_entry *entries =
	    (const void *)((const char *)base + f->offset);
	uint32_t count = put_count(s, f, base);

	for (uint32_t i = 0; i < count && s->err == 0; i++)
		write_fields(s, wire_entry, WIRE_ENTRY_FIELDS, &entries[i]);
}

long
plan_encode(const struct plan *p, uint8_t *buf, size_t size)
{
	struct sink s = {buf, size < PLAN_BYTES_MAX ? size : PLAN_BYTES_MAX, 0};

	write_fields(&s, wire_plan, WIRE_PLAN_FIELDS, p);
	if (s.err != 0) {
		errno = s.err;
		return (-1);
	}
	return (s.at - buf);
}
