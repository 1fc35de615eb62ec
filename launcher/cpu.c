/*
 * cpu.c - the CPU time of the job, all its processes together.
 *
 * Init adds the time of the dead that it reaped (RUSAGE_CHILDREN) and of the
 * living (/proc/PID/stat through the detached procfs, which hides no process
 * from it), ten times a second; init.c ends the job above the ceiling.
 * RLIMIT_CPU (rlimits.c) stops each process by itself as well.  Where the
 * kernel lets nobody mount a full procfs (its own is partly covered, as in
 * many containers; the row procfs says so) only the dead can be added: the
 * read-back then is that stop of each process, in ms, and not the ceiling.
 *
 * A residual: the kernel drops the time of a child that is reaped by itself
 * (its parent ignores SIGCHLD), so what such a child used since the last look
 * is missing from the sum.  Only a cgroup's cpu.stat has all of it; until
 * then the wall clock and RLIMIT_CPU are what such a job meets.
 */
#include <sys/resource.h>
#include <sys/types.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "launcher.h"

#define STAT_UTIME 14 /* then stime, cutime, cstime: proc_pid_stat(5) */
#define TIME_FIELDS 4
#define MS_PER_TICK 10 /* USER_HZ is 100 on every architecture of ours */

/* 0 for a process that is gone or makes no sense: it is counted when dead. */
static uint64_t
stat_ms(const char *text)
{
	const char *p = strrchr(text, ')');
	uint64_t ticks = 0, n;

	for (unsigned int i = 2; p != NULL && i < STAT_UTIME; i++)
		p = strchr(p + 1, ' ');
	for (unsigned int i = 0; p != NULL && i < TIME_FIELDS; i++) {
		if (io_parse_u64(p + 1, 10, &n) == 0)
			ticks += n;
		p = strchr(p + 1, ' ');
	}
	return (ticks * MS_PER_TICK);
}

static uint64_t
process_ms(int dir, const char *pid)
{
	char path[sizeof("/stat") + 16], text[1024];

	if (strspn(pid, "0123456789") != strlen(pid) || strlen(pid) > 10 ||
	    strcmp(pid, "1") == 0) /* init itself */
		return (0);
	(void)stpcpy(stpcpy(path, pid), "/stat");
	if (io_read_file(dir, path, text, sizeof(text)) == -1)
		return (0);
	return (stat_ms(text));
}

static int
living_ms(int proc, uint64_t *ms)
{
	_Alignas(struct dirent64) char buf[2048];
	const struct dirent64 *entry;
	ssize_t len;
	int dir = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir == -1)
		return (-1);
	while ((len = getdents64(dir, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < len; at += entry->d_reclen) {
			entry = (const void *)(buf + at);
			*ms += process_ms(dir, entry->d_name);
		}
	}
	io_close(&dir);
	return (len == -1 ? -1 : 0);
}

int
cpu_used_ms(const struct launch *l, uint64_t *ms)
{
	struct rusage dead;

	if (getrusage(RUSAGE_CHILDREN, &dead) == -1)
		return (-1);
	*ms = (uint64_t)(dead.ru_utime.tv_sec + dead.ru_stime.tv_sec) * 1000 +
	    (uint64_t)(dead.ru_utime.tv_usec + dead.ru_stime.tv_usec) / 1000;
	return (l->proc_fd == -1 ? 0 : living_ms(l->proc_fd, ms));
}

int
cpu_apply(struct launch *l)
{
	uint64_t ms;

	if (cpu_used_ms(l, &ms) == -1)
		return (fault_at(l, STEP_CPU_CLOCK, errno, FAULT_HOST));
	return (0);
}

int
cpu_verify(struct launch *l)
{
	uint64_t each_ms =
	    ((l->plan->cpu_ms + 999) / 1000 + CPU_SLACK_S) * 1000;

	readback_want(l, l->plan->cpu_ms);
	readback_got(l, l->proc_fd != -1 ? l->plan->cpu_ms : each_ms);
	return (0);
}
