/*
 * witness_files.c - the witnesses that compare what the job did or said with
 * files of the host.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

/* What a job is shown, as it was; a worker runs one trial at a time. */
static struct stat before[2];

static int
stat_shown(const struct trial *t, struct stat *st)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/shown", t->dir);
	if (stat(path, &st[0]) == -1)
		return (-1);
	(void)snprintf(path, sizeof(path), "%s/shown/canary", t->dir);
	return (lstat(path, &st[1]));
}

static int
prepare_touched(struct trial *t)
{
	return (stat_shown(t, before));
}

static bool
is_time(struct timespec a, struct timespec b)
{
	return (a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec);
}

/* Clocks of file systems are coarse: what can be seen without them, first. */
static bool
judge_touched(struct trial *t)
{
	struct stat now[2];

	if (stat_shown(t, now) == -1)
		return (true);
	for (size_t i = 0; i < 2; i++) {
		if (now[i].st_mode != before[i].st_mode ||
		    now[i].st_nlink != before[i].st_nlink ||
		    now[i].st_size != before[i].st_size ||
		    !is_time(now[i].st_mtim, before[i].st_mtim) ||
		    !is_time(now[i].st_ctim, before[i].st_ctim))
			return (true);
	}
	return (false);
}

static bool
judge_inode(struct trial *t)
{
	char path[128], text[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/secret", t->dir);
	if (stat(path, &st) == -1)
		return (false);
	(void)snprintf(text, sizeof(text), "inode %ju\n", (uintmax_t)st.st_ino);
	return (strstr(t->output, text) != NULL);
}

/* .wants is a file that does not change: its beginning is in the output. */
static bool
judge_same(struct trial *t)
{
	char text[128];
	long len = read_file("", t->attempt->wants + 1, text, sizeof(text));

	return (len > 0 &&
	    memmem(t->output, t->output_len, text, (size_t)len) != NULL);
}

/* A lease of the probe's, which the kernel gives it 45 s to end. */
static bool
judge_leased(struct trial *t)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/shown/canary", t->dir);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd != -1)
		(void)close(fd);
	return (fd == -1 && errno == EWOULDBLOCK);
}

/* A drill looks by itself. */
static bool
judge_drill(struct trial *t)
{
	return (strstr(t->output, "\nescaped\n") != NULL);
}

WITNESS(drill, NULL, judge_drill, false, "the drill, from the host's side");
WITNESS(leased, NULL, judge_leased, true, "open() of a file of the host");
WITNESS(touched, prepare_touched, judge_touched, false,
    "the state of a file and a directory of the host");
WITNESS(inode, NULL, judge_inode, false, "the inode's number, in its output");
WITNESS(same, NULL, judge_same, false, "the host's own file, in its output");
