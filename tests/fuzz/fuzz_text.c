/*
 * fuzz_text.c - a job's output on its way to a terminal and into a document:
 * the same in one piece and in many, nothing that a terminal obeys but colour,
 * and JSON that a strict reader takes.
 *
 * Input: a byte for the size of the pieces, one for what is kept, the bytes.
 */
#include <jansson.h>

#include "fuzz.h"
#include "streams.h"
#include "utf8.h"

static size_t
show(const struct input *in, size_t piece, char *out, size_t size)
{
	struct visible v = {0};
	size_t len = 0, n;

	for (size_t i = 0; i < in->left; i += n) {
		n = in->left - i < piece ? in->left - i : piece;
		len += visible_write(&v, in->at + i, n, out + len, size - len,
		    false);
	}
	return (len + visible_write(&v, "", 0, out + len, size - len, true));
}

/* No control of eight bits, and nothing that turns the order of a line. */
static void
must_be_in_order(const char *s, size_t len)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} never[] = {{0x80, 0x9f}, {0x200e, 0x200f}, {0x202a, 0x202e},
	    {0x2066, 0x2069}};
	uint32_t cp = 0;
	int n;

	for (size_t i = 0; i < len; i += (size_t)n) {
		n = utf8_decode((const unsigned char *)s + i, len - i, &cp);
		MUST(n > 0 && cp != 0);
		for (size_t k = 0; k < COUNT_OF(never); k++)
			MUST(cp < never[k].first || cp > never[k].last);
	}
}

/* Colour is ESC [ parameters m; newline and tab are the other controls. */
static void
must_be_harmless(const char *s, size_t len)
{
	size_t i = 0;

	must_be_in_order(s, len);
	while (i < len) {
		if (s[i] != '\033') {
			MUST((unsigned char)s[i] >= ' ' || s[i] == '\n' ||
			    s[i] == '\t');
			MUST(s[i] != 0x7f);
			i++;
			continue;
		}
		MUST(s[i + 1] == '[');
		i += 2 + strspn(s + i + 2, "0123456789;:");
		MUST(s[i] == 'm');
		i++;
	}
}

static void
try_visible(const struct input *in, size_t piece)
{
	size_t size = 12 * in->left + 64, whole_len, len;
	char *whole = calloc(1, size + 1), *pieces = calloc(1, size + 1);

	MUST(whole != NULL && pieces != NULL);
	whole_len = show(in, SIZE_MAX, whole, size);
	len = show(in, piece, pieces, size);
	MUST(whole_len == len && memcmp(whole, pieces, len) == 0);
	must_be_harmless(whole, whole_len);
	free(whole);
	free(pieces);
}

/* A name, as from a job's artifact or a host's mount, in one line. */
static void
try_line(struct input in)
{
	char *text = take_text(&in);
	char *line = visible_line(text);

	MUST(line != NULL);
	must_be_in_order(line, strlen(line));
	for (const char *s = line; *s != '\0'; s++)
		MUST((unsigned char)*s >= ' ' && *s != 0x7f);
	free(line);
	free(text);
}

static void
try_kept(const struct input *in, size_t piece, uint64_t limit)
{
	struct kept *k = kept_new(limit);
	const char *encoding;
	uint64_t bytes;
	bool is_truncated;
	char *text;
	json_t *json;

	MUST(k != NULL);
	for (size_t i = 0; i < in->left; i += piece)
		MUST(kept_add(k, in->at + i,
			 in->left - i < piece ? in->left - i : piece) == 0);
	text = kept_text(k, &encoding, &bytes, &is_truncated);
	MUST(text != NULL && bytes <= limit && bytes <= in->left);
	MUST(is_truncated == (in->left > limit));
	/* Text stays text where it was cut. */
	MUST(!utf8_is_text(in->at, in->left) || strcmp(encoding, "utf-8") == 0);
	/* jansson judges UTF-8 by its own decoder. */
	json = json_stringn(text, strlen(text));
	MUST(json != NULL);
	json_decref(json);
	if (strcmp(encoding, "utf-8") == 0)
		MUST(strlen(text) == bytes);
	else
		MUST(strlen(text) == (bytes + 2) / 3 * 4);
	if (!is_truncated && strcmp(encoding, "utf-8") == 0)
		MUST(bytes == in->left && memcmp(text, in->at, bytes) == 0);
	free(text);
	kept_free(k);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	size_t piece = 1U + take_byte(&in) % 16U;
	uint64_t limit = take_byte(&in);

	try_visible(&in, piece);
	try_line(in);
	try_kept(&in, piece, limit);
	return (0);
}
