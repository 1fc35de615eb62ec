/*
 * ablate.c - the names of what is left out, and which of them were asked for.
 *
 * Reads AGSBX_ABLATE, once.  An unknown name ends the program: a test that
 * believes to have left something out must not run with it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ablate.h"

static const char *const names[ABL__MAX] = {
#define ABLATION(id, name, ...) [ABL_##id] = name,
#include "ablations.def"
#undef ABLATION
};

const char *
ablation_name(enum ablation a)
{
	return (names[a]);
}

enum ablation
ablation_find(const char *name)
{
	size_t len = strcspn(name, ",");
	enum ablation a = 0;

	while (a < ABL__MAX &&
	    (strncmp(names[a], name, len) != 0 || names[a][len] != '\0'))
		a++;
	return (a);
}

bool
ablated(enum ablation asked)
{
	static bool is_read, set[ABL__MAX];
	const char *p = getenv(ABLATE_ENV);
	enum ablation a;

	for (; !is_read && p != NULL && *p != '\0'; p += *p == ',') {
		if ((a = ablation_find(p)) == ABL__MAX)
			_exit(99);
		set[a] = true;
		p += strcspn(p, ",");
	}
	is_read = true;
	return (set[asked]);
}
