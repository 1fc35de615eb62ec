/*
 * suggest.c - edit distance, for "did you mean".  Pure; words are short, and
 * longer ones get no suggestion.  Called where the policy meets an unknown key,
 * section or control.
 */
#include <stdio.h>
#include <string.h>

#include "suggest.h"

#define WORD_MAX 32U

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return (ab < c ? ab : c);
}

/* Levenshtein distance of two words shorter than WORD_MAX. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[WORD_MAX];
	size_t len = strlen(b);
	size_t i;
	size_t j;

	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= len; j++) {
			size_t cost = a[i - 1] != b[j - 1];
			size_t above = row[j];

			row[j] =
			    least(above + 1, row[j - 1] + 1, diagonal + cost);
			diagonal = above;
		}
	}
	return (row[len]);
}

void
suggest_offer(struct suggestion *s, const char *known)
{
	size_t len = strnlen(s->word, WORD_MAX);
	size_t d;

	if (len == 0 || len >= WORD_MAX || strlen(known) >= WORD_MAX)
		return;
	d = distance(s->word, known);
	/* A third of the word wrong is still a slip of the fingers. */
	if (d * 3 > len + 2 || (s->best != NULL && d >= s->distance))
		return;
	s->best = known;
	s->distance = d;
}

const char *
suggest_text(const struct suggestion *s, char *buf, size_t size)
{
	int n;

	if (s->best == NULL)
		return ("");
	n = snprintf(buf, size, " (did you mean \"%s\"?)", s->best);
	return (n >= 0 && (size_t)n < size ? buf : "");
}
