/*
 * kept.c - what --json keeps of a stream: three quarters of the limit from its
 * head, one quarter from its tail.  Head and tail are joined with nothing in
 * between: the document says that and how much was cut, and text that a job
 * could have printed itself would say nothing.  Memory grows with what came,
 * never with the limit alone.  Called by pump.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"
#include "utf8.h"

#define FIRST_SIZE 4096U

/* A buffer that grows up to max; past it, the tail goes round. */
struct part {
	unsigned char *bytes;
	size_t len;
	size_t size;
	size_t max;
};

struct kept {
	struct part head;
	struct part tail;
	size_t oldest; /* in tail, once it goes round */
	uint64_t seen;
};

struct kept *
kept_new(uint64_t limit)
{
	struct kept *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return (NULL);
	if (limit > SIZE_MAX / 2)
		limit = SIZE_MAX / 2;
	k->tail.max = (size_t)(limit / 4);
	k->head.max = (size_t)limit - k->tail.max;
	return (k);
}

void
kept_free(struct kept *k)
{
	if (k == NULL)
		return;
	free(k->head.bytes);
	free(k->tail.bytes);
	free(k);
}

/* Appends as much of bytes as max permits; returns how much, -1: no memory. */
static ssize_t
part_add(struct part *p, const unsigned char *bytes, size_t len)
{
	if (len > p->max - p->len)
		len = p->max - p->len;
	if (len > p->size - p->len) {
		size_t size = p->size > 0 ? p->size : FIRST_SIZE;
		while (len > size - p->len)
			size *= 2;
		if (size > p->max)
			size = p->max;
		unsigned char *grown = realloc(p->bytes, size);
		if (grown == NULL)
			return (-1);
		p->bytes = grown;
		p->size = size;
	}
	if (len > 0)
		memcpy(p->bytes + p->len, bytes, len);
	p->len += len;
	return ((ssize_t)len);
}

/* The tail is full: the newest bytes take the place of the oldest. */
static void
tail_replace(struct kept *k, const unsigned char *bytes, size_t len)
{
	size_t size = k->tail.max;

	if (size == 0 || len == 0)
		return;
	if (len > size) {
		bytes += len - size;
		len = size;
	}
	size_t first = size - k->oldest < len ? size - k->oldest : len;
	memcpy(k->tail.bytes + k->oldest, bytes, first);
	memcpy(k->tail.bytes, bytes + first, len - first);
	k->oldest = (k->oldest + len) % size;
}

int
kept_add(struct kept *k, const void *bytes, size_t len)
{
	const unsigned char *b = bytes;
	ssize_t head = part_add(&k->head, b, len);

	if (head == -1)
		return (-1);
	ssize_t tail = part_add(&k->tail, b + head, len - (size_t)head);
	if (tail == -1)
		return (-1);
	k->seen += len;
	tail_replace(k, b + head + tail, len - (size_t)head - (size_t)tail);
	return (0);
}

/* Head and tail one after the other, into a buffer of their length. */
static void
join(const struct kept *k, unsigned char *to)
{
	size_t newest = k->tail.len - k->oldest;

	if (k->head.len > 0)
		memcpy(to, k->head.bytes, k->head.len);
	if (k->tail.len == 0)
		return;
	memcpy(to + k->head.len, k->tail.bytes + k->oldest, newest);
	memcpy(to + k->head.len + newest, k->tail.bytes, k->oldest);
}

/* The length of s without a character that was cut at its end. */
static size_t
cut_end(const unsigned char *s, size_t len)
{
	for (size_t back = 1; back < UTF8_LEN_MAX && back <= len; back++) {
		uint32_t cp = 0;
		if (utf8_decode(s + len - back, back, &cp) == 0)
			return (len - back);
	}
	return (len);
}

/* How many bytes at the start of s belong to a character that was cut. */
static size_t
cut_start(const unsigned char *s, size_t len)
{
	size_t n = 0;

	while (n < len && n < UTF8_LEN_MAX - 1 && (s[n] & 0xc0) == 0x80)
		n++;
	return (n);
}

static char *
base64(const unsigned char *s, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc(len / 3 * 4 + 5);

	if (text == NULL)
		return (NULL);
	char *t = text;
	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t v = (uint32_t)s[i] << 16;
		if (n > 1)
			v |= (uint32_t)s[i + 1] << 8;
		if (n > 2)
			v |= s[i + 2];
		*t++ = digits[v >> 18];
		*t++ = digits[v >> 12 & 0x3f];
		*t++ = n > 1 ? digits[v >> 6 & 0x3f] : '=';
		*t++ = n > 2 ? digits[v & 0x3f] : '=';
	}
	*t = '\0';
	return (text);
}

char *
kept_text(const struct kept *k, const char **encoding, uint64_t *bytes,
    bool *is_truncated)
{
	size_t len = k->head.len + k->tail.len;
	unsigned char *all = malloc(len + 1);

	if (all == NULL)
		return (NULL);
	join(k, all);
	*is_truncated = k->seen > len;
	size_t head = len, tail_len = 0;
	if (*is_truncated) {
		size_t skip = cut_start(all + k->head.len, k->tail.len);
		head = cut_end(all, k->head.len);
		tail_len = k->tail.len - skip;
	}
	const unsigned char *tail = all + len - tail_len;
	if (!utf8_is_text(all, head) || !utf8_is_text(tail, tail_len)) {
		char *text = base64(all, len);
		free(all);
		*encoding = "base64";
		*bytes = len;
		return (text);
	}
	memmove(all + head, tail, tail_len);
	all[head + tail_len] = '\0';
	*encoding = "utf-8";
	*bytes = head + tail_len;
	return ((char *)all);
}
