/*
 * fuzz.h - what every fuzz target shares: MUST(), which ends the run with the
 * input kept, a cursor over the input, and what is true of every message.
 * Targets call the public functions of the product and nothing else.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* libFuzzer's; 0: the input was judged, -1: not to be kept. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* What holds for every input; libFuzzer reports the abort and the input. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			(void)fprintf(stderr, "%s:%d: not true: %s\n", \
			    __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

struct input {
	const uint8_t *at;
	size_t left;
};

/* 0 where the input has ended, as all that is taken then. */
static inline uint8_t
take_byte(struct input *in)
{
	if (in->left == 0)
		return (0);
	in->left--;
	return (*in->at++);
}

/* At most want bytes; *got tells how many. */
static inline const uint8_t *
take_bytes(struct input *in, size_t want, size_t *got)
{
	const uint8_t *bytes = in->at;

	*got = want < in->left ? want : in->left;
	in->at += *got;
	in->left -= *got;
	return (bytes);
}

/* Up to the next NUL or the end, as a string of exactly its size, so that
 * AddressSanitizer sees a read beyond it; the caller frees it. */
static inline char *
take_text(struct input *in)
{
	size_t len = strnlen((const char *)in->at, in->left), got;
	char *text = malloc(len + 1);

	MUST(text != NULL);
	if (len > 0)
		memcpy(text, in->at, len);
	text[len] = '\0';
	(void)take_bytes(in, len + 1, &got);
	return (text);
}

/* An error has said so, in one printable line. */
static inline void
must_be_told(const struct diag *d)
{
	MUST(d->code > DIAG_NONE && d->code < DIAG__MAX);
	MUST(d->message[0] != '\0');
	MUST(memchr(d->message, '\0', sizeof(d->message)) != NULL);
	MUST(memchr(d->file, '\0', sizeof(d->file)) != NULL);
	for (const char *s = d->message; *s != '\0'; s++)
		MUST(*s >= ' ' && *s < 0x7f);
}

#endif
