/*
 * visible.c - hostile bytes on their way to a terminal or into a message.
 * UTF-8 is decoded first, so that a control cannot hide in its C1 form; what
 * unicode.def lists comes out as \xNN, \uNNNN or \UNNNNNNNN.  Knows nothing of
 * descriptors.  Called by pump.c, and by whoever prints a job's or a host's
 * names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"
#include "utf8.h"

#define ESC 0x1b
/* "ESC [ params m" longer than this is not colour. */
#define SGR_LEN_MAX 40U
/* The longest that one byte of input can become: \x1b. */
#define ESCAPE_LEN_MAX 4U

static const struct hidden {
	uint32_t first;
	uint32_t last;
} hidden[] = {
#define HIDDEN(first, last, what) {first, last},
#include "unicode.def"
#undef HIDDEN
};

struct text {
	char *bytes;
	size_t len;
	size_t size;
};

static bool
is_hidden(uint32_t cp)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (cp <= hidden[i].last)
			return (cp >= hidden[i].first);
	return (false);
}

static void
put(struct text *t, const void *bytes, size_t len)
{
	/* Both callers size the buffer for the worst case. */
	if (len > t->size - t->len)
		abort();
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
}

static void
put_escaped(struct text *t, const char *fmt_prefix, int digits, uint32_t cp)
{
	char escape[16];
	int n = snprintf(escape, sizeof(escape), "\\%s%0*x", fmt_prefix, digits,
	    (unsigned int)cp);

	if (n > 0)
		put(t, escape, (size_t)n);
}

/*
 * Puts what s starts with, a character or one byte that is none; returns how
 * much of s that was, or 0 when the character is not complete yet.
 */
static size_t
put_character(struct text *t, const unsigned char *s, size_t len, bool is_line)
{
	uint32_t cp = 0;
	int n = utf8_decode(s, len, &cp);

	if (n == 0)
		return (0);
	if (n == -1) {
		put_escaped(t, "x", 2, s[0]);
		return (1);
	}
	bool is_break = is_line && (cp == '\n' || cp == '\t');
	if (!is_break && !is_hidden(cp))
		put(t, s, (size_t)n);
	else if (cp < 0x80)
		put_escaped(t, "x", 2, cp);
	else if (cp <= 0xffff)
		put_escaped(t, "u", 4, cp);
	else
		put_escaped(t, "U", 8, cp);
	return ((size_t)n);
}

/* The length of the colour sequence that s is; 0 it may become one, -1 not. */
static int
sgr_length(const unsigned char *s, size_t len)
{
	if (len > 1 && s[1] != '[')
		return (-1);
	for (size_t i = 2; i < len; i++) {
		if (s[i] == 'm')
			return ((int)i + 1);
		if (strchr("0123456789;:", s[i]) == NULL || s[i] == '\0')
			return (-1);
	}
	return (len < SGR_LEN_MAX ? 0 : -1);
}

/* Only the plain reset counts: a last parameter of 0 can be a colour's. */
static bool
sgr_is_reset(const unsigned char *s, size_t len)
{
	for (size_t i = 2; i + 1 < len; i++)
		if (s[i] != '0')
			return (false);
	return (true);
}

/* The same as put_character(), for a sequence that starts with ESC. */
static size_t
put_sequence(struct visible *v, struct text *t)
{
	int n = sgr_length(v->pending, v->pending_len);

	if (n == 0)
		return (0);
	if (n == -1) {
		put_escaped(t, "x", 2, ESC);
		return (1);
	}
	put(t, v->pending, (size_t)n);
	v->is_coloured = !sgr_is_reset(v->pending, (size_t)n);
	return ((size_t)n);
}

/* Puts whatever of the pending bytes is decided. */
static void
put_pending(struct visible *v, struct text *t)
{
	while (v->pending_len > 0) {
		size_t n = v->pending[0] == ESC ?
		    put_sequence(v, t) :
		    put_character(t, v->pending, v->pending_len, false);
		if (n == 0)
			return;
		v->pending_len -= n;
		memmove(v->pending, v->pending + n, v->pending_len);
	}
}

/* At the end nothing can complete what is pending. */
static void
put_rest(struct visible *v, struct text *t)
{
	for (size_t i = 0; i < v->pending_len; i++) {
		if (v->pending[i] == ESC || v->pending[i] >= 0x80)
			put_escaped(t, "x", 2, v->pending[i]);
		else
			put(t, &v->pending[i], 1);
	}
	v->pending_len = 0;
	if (v->is_coloured)
		put(t, "\033[0m", 4);
	v->is_coloured = false;
}

size_t
visible_write(struct visible *v, const void *in, size_t len, char *out,
    size_t size, bool is_last)
{
	const unsigned char *bytes = in;
	struct text t = {.bytes = out, .size = size};

	for (size_t i = 0; i < len; i++) {
		unsigned char b = bytes[i];
		if (v->pending_len == 0 && b >= ' ' && b < 0x7f) {
			put(&t, &b, 1);
			continue;
		}
		v->pending[v->pending_len++] = b;
		put_pending(v, &t);
	}
	if (is_last)
		put_rest(v, &t);
	return (t.len);
}

char *
visible_line(const char *s)
{
	size_t len = strlen(s);
	/* A hidden character of 2 to 4 bytes takes 6 or 10: below 4 a byte. */
	struct text t = {.size = len * ESCAPE_LEN_MAX + 1};

	t.bytes = malloc(t.size);
	if (t.bytes == NULL)
		return (NULL);
	const unsigned char *bytes = (const unsigned char *)s;
	for (size_t i = 0; i < len;) {
		size_t n = put_character(&t, bytes + i, len - i, true);
		if (n == 0) {
			put_escaped(&t, "x", 2, bytes[i]);
			n = 1;
		}
		i += n;
	}
	t.bytes[t.len] = '\0';
	return (t.bytes);
}
