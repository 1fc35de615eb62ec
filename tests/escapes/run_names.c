/*
 * run_names.c - the names under which the project's catalogue knows attempts.
 *
 * Each is listed in the report with the attempts that it means (names.def); a
 * name that means one that there is not is a failure.  Called by run.c.
 */
#include <stdio.h>
#include <string.h>

#include "run.h"

static const struct {
	const char *name;
	const char *means; /* ids as they are printed, with a space between */
} names[] = {
#define SAME_AS(name, means) {#name, means},
#include "names.def"
#undef SAME_AS
};

static bool
is_attempt(const char *id, size_t len)
{
	char printed[64];

	for (size_t i = 0; i < attempt_count; i++) {
		print_id(printed, attempts[i].id);
		if (strlen(printed) == len && strncmp(printed, id, len) == 0)
			return (true);
	}
	return (false);
}

/* The first of its attempts that there is not; NULL: all are there. */
static const char *
find_missing(const char *means)
{
	for (const char *p = means; *p != '\0';) {
		size_t len = strcspn(p, " ");

		if (!is_attempt(p, len))
			return (p);
		p += len;
		p += strspn(p, " ");
	}
	return (NULL);
}

bool
names_report(json_t *list)
{
	char id[64], why[256];
	const char *missing;
	bool is_good = true;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		print_id(id, names[i].name);
		missing = find_missing(names[i].means);
		if (missing != NULL) {
			printf("FAIL %s: there is no attempt %s\n", id,
			    missing);
			is_good = false;
		}
		(void)snprintf(why, sizeof(why), "see %s", names[i].means);
		(void)json_array_append_new(list,
		    json_pack("{s:s, s:s, s:s, s:s, s:[], s:[]}", "id", id,
			"verdict", "named", "why", why, "tries", "", "layers",
			"runs"));
	}
	return (is_good);
}
