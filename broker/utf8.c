/*
 * utf8.c - a strict UTF-8 decoder.  Pure: no state, no heap, no locale (the C
 * library's would depend on the caller's).  Called by visible.c and kept.c for
 * a job's bytes, by command.c for names.
 */
#include "utf8.h"

/*
 * What may start a character (Unicode 15, table 3-7): the range of the second
 * byte is where overlong forms, surrogates and U+110000 are kept out.
 */
static const struct lead {
	unsigned char first;
	unsigned char last;
	unsigned char len;
	unsigned char second_min;
	unsigned char second_max;
} leads[] = {
    {0x00, 0x7f, 1, 0, 0},
    {0xc2, 0xdf, 2, 0x80, 0xbf},
    {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf},
    {0xed, 0xed, 3, 0x80, 0x9f},
    {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf},
    {0xf1, 0xf3, 4, 0x80, 0xbf},
    {0xf4, 0xf4, 4, 0x80, 0x8f},
};

static const struct lead *
find_lead(unsigned char byte)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if (byte >= leads[i].first && byte <= leads[i].last)
			return (&leads[i]);
	return (NULL);
}

int
utf8_decode(const unsigned char *s, size_t len, uint32_t *cp)
{
	const struct lead *lead = find_lead(s[0]);

	if (lead == NULL)
		return (-1);
	if (lead->len == 1) {
		*cp = s[0];
		return (1);
	}
	uint32_t value = s[0] & (0x7fU >> lead->len);
	for (size_t i = 1; i < lead->len; i++) {
		if (i == len)
			return (0);
		unsigned char min = i == 1 ? lead->second_min : 0x80;
		unsigned char max = i == 1 ? lead->second_max : 0xbf;
		if (s[i] < min || s[i] > max)
			return (-1);
		value = value << 6 | (s[i] & 0x3fU);
	}
	*cp = value;
	return (lead->len);
}

bool
utf8_is_text(const unsigned char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t cp = 0;
		int n = utf8_decode(s + i, len - i, &cp);
		if (n <= 0 || cp == 0)
			return (false);
		i += (size_t)n;
	}
	return (true);
}
