/*
 * ulid.c - job ids.  Knows nothing of jobs; ledger_ops.c makes one at each
 * admission, jobs.c checks what a person typed.
 */
#include <sys/random.h>

#include <errno.h>
#include <string.h>

#include "ulid.h"

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
_Static_assert(sizeof(alphabet) == 33, "base 32");

#define TIME_CHARS 10
#define RANDOM_CHARS 16
_Static_assert(TIME_CHARS + RANDOM_CHARS + 1 == JOB_ID_SIZE, "26 and a NUL");

void
ulid_encode(int64_t ms, const uint8_t random[ULID_RANDOM_BYTES],
    char out[JOB_ID_SIZE])
{
	uint64_t time = (uint64_t)ms;
	unsigned int bits = 0, bit_count = 0;
	size_t n = TIME_CHARS;

	for (int i = TIME_CHARS - 1; i >= 0; i--) {
		out[i] = alphabet[time & 31];
		time >>= 5;
	}
	for (size_t i = 0; i < ULID_RANDOM_BYTES; i++) {
		bits = (bits << 8 | random[i]) & 0xfffU;
		for (bit_count += 8; bit_count >= 5; bit_count -= 5)
			out[n++] = alphabet[bits >> (bit_count - 5) & 31];
	}
	out[n] = '\0';
}

int
ulid_new(int64_t ms, char out[JOB_ID_SIZE])
{
	uint8_t random[ULID_RANDOM_BYTES];
	ssize_t got;

	got = getrandom(random, sizeof(random), 0);
	if (got == -1)
		return (-1);
	if ((size_t)got != sizeof(random)) {
		errno = EIO;
		return (-1);
	}
	ulid_encode(ms, random, out);
	return (0);
}

bool
ulid_is_prefix(const char *text)
{
	static const char accepted[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
				       "abcdefghjkmnpqrstvwxyz";
	size_t len = strspn(text, accepted);

	return (len > 0 && len < JOB_ID_SIZE && text[len] == '\0');
}

bool
ulid_time(const char *id, int64_t *ms)
{
	const char *at;

	*ms = 0;
	if (strlen(id) != JOB_ID_SIZE - 1 ||
	    strspn(id, alphabet) != JOB_ID_SIZE - 1 || id[0] > '7')
		return (false);
	for (size_t i = 0; i < TIME_CHARS; i++) {
		at = strchr(alphabet, id[i]);
		*ms = *ms << 5 | (at - alphabet);
	}
	return (true);
}
