/*
 * plan_encode.c - struct plan to the bytes that a PLAN message carries.
 *
 * Walks plan_fields.def, as plan_decode.c does.  Broker side only; the
 * launcher does not link it.  Judges nothing but counts and room.
 */
#include <errno.h>
#include <string.h>

#include "plan.h"

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
put_bool(struct sink *s, bool value)
{
	uint8_t byte = value ? 1 : 0;

	put(s, &byte, sizeof(byte));
}

static void
put_count(struct sink *s, uint32_t count, uint32_t max)
{
	if (count > max)
		s->err = EINVAL;
	put(s, &count, sizeof(count));
}

static void
put_string(struct sink *s, const char *string)
{
	size_t len;

	if (string == NULL) {
		s->err = EINVAL;
		return;
	}
	if ((len = strlen(string)) >= PLAN_BYTES_MAX) {
		s->err = E2BIG;
		return;
	}
	put_count(s, (uint32_t)len, PLAN_BYTES_MAX);
	put(s, string, len + 1);
}

static void
put_strings(struct sink *s, const char *const *strings, uint32_t count)
{
	for (uint32_t i = 0; i < count && s->err == 0; i++)
		put_string(s, strings[i]);
}

static void
put_insns(struct sink *s, const struct sock_filter *insns, uint32_t count)
{
	put(s, insns, count * sizeof(*insns));
}

#define UINT(member) put(s, &in->member, sizeof(in->member));
#define BOOL(member) put_bool(s, in->member);
#define STRING(member) put_string(s, in->member);
#define BYTES(member, length) \
	put_count(s, in->length, PLAN_BYTES_MAX); \
	put(s, in->member, in->length);
#define LIST(kind, member, count, max) \
	put_count(s, in->count, max); \
	put_##kind(s, in->member, in->count);

static void
put_entry(struct sink *s, const struct plan_entry *in)
{
#define PLAN_ENTRY_FIELDS
#include "plan_fields.def"
#undef PLAN_ENTRY_FIELDS
}

static void
put_entries(struct sink *s, const struct plan_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count && s->err == 0; i++)
		put_entry(s, &entries[i]);
}

static void
put_plan(struct sink *s, const struct plan *in)
{
#include "plan_fields.def"
}

long
plan_encode(const struct plan *p, uint8_t *buf, size_t size)
{
	struct sink s = {buf, size < PLAN_BYTES_MAX ? size : PLAN_BYTES_MAX, 0};

	put_plan(&s, p);
	if (s.err != 0) {
		errno = s.err;
		return (-1);
	}
	return (s.at - buf);
}
