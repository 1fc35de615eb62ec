/*
 * variants.c - lists that attempts go through, from the product's own tables.
 */
#include <string.h>

#include "variants.h"

#define NAME_MAX_LEN 32

static const char *const names[] = {
#define HIJACK(why, ...) __VA_ARGS__,
#include "hijack.def"
#undef HIJACK
};
#define COUNT (sizeof(names) / sizeof(names[0]))

static char texts[COUNT][NAME_MAX_LEN];
static const char *list[COUNT + 1];
const char *const *variants_hijack = list;

/* Before main(): the catalogue is const. */
__attribute__((constructor)) static void
fill(void)
{
	for (size_t i = 0; i < COUNT; i++) {
		(void)strncpy(texts[i], names[i], NAME_MAX_LEN - 1);
		texts[i][strcspn(texts[i], "*")] =
		    strchr(names[i], '*') != NULL ? 'X' : '\0';
		list[i] = texts[i];
	}
}
