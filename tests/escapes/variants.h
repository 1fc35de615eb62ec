/*
 * variants.h - what an attempt is tried with, one after the other; each list
 * ends with NULL.  Owner: variants.c.
 */
#ifndef TESTS_VARIANTS_H
#define TESTS_VARIANTS_H

/* Every name of policy/hijack.def; X in place of what may follow. */
extern const char *const *variants_hijack;

#endif
