/*
 * needs.c - what a host must have, or lack, to show an attempt: NULL, or why
 * it cannot.
 */
#include <string.h>

#include "needs.h"
#include "trial.h"

const char *
need_no_memory_controller(void)
{
	return (strstr(setup.waivers, "memory") != NULL ?
		NULL :
		"a memory controller holds the ceiling here");
}
