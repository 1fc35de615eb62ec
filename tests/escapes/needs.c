/*
 * needs.c - what a host must have, or lack, to show an attempt: NULL, or why
 * it cannot.
 */
#include <string.h>
#include <time.h>

#include "needs.h"
#include "trial.h"

const char *
need_no_memory_controller(void)
{
	return (strstr(setup.waivers, "memory") != NULL ?
		NULL :
		"a memory controller holds the ceiling here");
}

const char *
need_cpu_controller(void)
{
	return (strstr(setup.waivers, "memory") == NULL ?
		NULL :
		"there is no cgroup leaf here");
}

const char *
need_host_up(void)
{
	struct timespec up = {0};

	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	return (up.tv_sec >= 300 ? NULL :
				   "the host itself is not up for 5 minutes");
}
