/*
 * env_hijack.c - tells the variables that would let their value choose what
 * code a job runs, or what files it reads, besides its program (hijack.def).
 *
 * Called when a policy is finished.  The launcher does not know this list: who
 * can choose the variables of a plan chooses its program as well.
 */
#include <string.h>

#include "policy_int.h"

static const struct hijack {
	const char *why;
	const char *names[24]; /* NULL after the last */
} hijacks[] = {
#define HIJACK(why, ...) {why, {__VA_ARGS__}},
#include "hijack.def"
#undef HIJACK
};

const char *
env_hijack_why(const char *name)
{
	size_t len = strcspn(name, "=");

	for (size_t i = 0; i < sizeof(hijacks) / sizeof(hijacks[0]); i++) {
		for (const char *const *p = hijacks[i].names; *p != NULL; p++) {
			size_t want = strcspn(*p, "*");

			if (strncmp(*p, name, want) == 0 &&
			    ((*p)[want] == '*' || len == want))
				return (hijacks[i].why);
		}
	}
	return (NULL);
}
