/*
 * attack_boot.c - probes of the group infoleak that learn since when the host
 * is up by other ways than a clock: no namespace covers them.
 */
#include <sys/stat.h>
#include <sys/times.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

/* From clocks of its own, and how far they are behind the host's. */
int
attempt_il_boot_offsets(char *const *args)
{
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	struct timespec up;
	long offset;
	int n;

	(void)args;
	if (f == NULL)
		return (errno);
	n = fscanf(f, "%*s %*d %*d %*s %ld", &offset);
	(void)fclose(f);
	if (n != 1 || clock_gettime(CLOCK_BOOTTIME, &up) == -1)
		return (EIO);
	(void)dprintf(STDOUT_FILENO, "%ld\n", (long)up.tv_sec - offset);
	return (0);
}

/* When it was last given a processor, in ms of the scheduler's clock. */
int
attempt_il_boot_sched(char *const *args)
{
	FILE *f = fopen("/proc/self/sched", "re");
	char line[256];
	long ms = -1;

	(void)args;
	if (f == NULL)
		return (errno);
	while (ms == -1 && fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, "se.exec_start : %ld", &ms);
	(void)fclose(f);
	(void)dprintf(STDOUT_FILENO, "%ld\n", ms / 1000);
	return (ms == -1 ? ENOENT : 0);
}

/* times(2) counts ticks from 300 s before 32 bits of them overflow: with each
 * rate that kernels are built for. */
int
attempt_il_boot_times(char *const *args)
{
	static const long rates[] = {100, 250, 300, 1000};
	long ticks = times(&(struct tms){0}), ticks_s = sysconf(_SC_CLK_TCK);

	(void)args;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		(void)dprintf(STDOUT_FILENO, "%ld\n",
		    ticks / ticks_s - (1L << 32) / rates[i] + 300);
	return (ticks == -1 ? errno : 0);
}

/* The host's own device, made when it was booted. */
int
attempt_il_boot_birth(char *const *args)
{
	struct statx st;

	(void)args;
	if (statx(AT_FDCWD, "/dev/null", 0, STATX_BTIME, &st) == -1)
		return (errno);
	if ((st.stx_mask & STATX_BTIME) == 0)
		return (DONE_NOT_HERE);
	(void)dprintf(STDOUT_FILENO, "born %lld\n",
	    (long long)st.stx_btime.tv_sec);
	return (0);
}
