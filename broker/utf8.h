/*
 * utf8.h - one character of UTF-8, strictly (no overlong forms, no surrogates,
 * nothing above U+10FFFF), as jansson and terminals judge it.  Owner: utf8.c.
 */
#ifndef BROKER_UTF8_H
#define BROKER_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_LEN_MAX 4U

/*
 * The character at s, of which len >= 1 bytes are there.  Its length in bytes
 * and *cp; 0: a beginning that more bytes could complete; -1: not UTF-8.
 */
int utf8_decode(const unsigned char *s, size_t len, uint32_t *cp);

/* True when all of it is UTF-8 and none of it NUL. */
bool utf8_is_text(const unsigned char *s, size_t len);

#endif
