/*
 * suggest.h - the nearest known word to one that is not known.
 * Owner: suggest.c.
 */
#ifndef POLICY_SUGGEST_H
#define POLICY_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word; /* as given */
	const char *best; /* NULL: none is near enough */
	size_t distance;
};

/* Begin with {.word = ...}, then offer every known word. */
void suggest_offer(struct suggestion *s, const char *known);

/* ` (did you mean "memory"?)`, or "" where nothing is near; returns buf. */
const char *suggest_text(const struct suggestion *s, char *buf, size_t size);

#endif
