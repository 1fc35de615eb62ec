/*
 * witness_host.c - witnesses of what a job has learned: the host's own number
 * or name, in its output; and of the file that this output goes to.
 */
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <fcntl.h>
#include <mntent.h>
#include <mqueue.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

static bool
judge_memory(struct trial *t)
{
	struct sysinfo info;
	char text[64];

	if (sysinfo(&info) == -1)
		return (false);
	(void)snprintf(text, sizeof(text), "memory %lu\n",
	    info.totalram * info.mem_unit);
	return (strstr(t->output, text) != NULL);
}

static bool
judge_disk(struct trial *t)
{
	struct statfs st;
	char text[64];

	if (statfs("/usr", &st) == -1)
		return (false);
	(void)snprintf(text, sizeof(text), "disk %ju\n",
	    (uintmax_t)st.f_blocks);
	return (strstr(t->output, text) != NULL);
}

static bool
judge_release(struct trial *t)
{
	struct utsname name;
	char text[128];

	if (uname(&name) == -1)
		return (false);
	(void)snprintf(text, sizeof(text), "release %s\n", name.release);
	return (strstr(t->output, text) != NULL);
}

static bool
judge_host_path(struct trial *t)
{
	return (strstr(t->output, t->dir) != NULL);
}

/* Any but the loopback. */
static bool
judge_interface(struct trial *t)
{
	struct if_nameindex *list = if_nameindex();
	bool is_seen = false;
	char text[64];

	for (struct if_nameindex *i = list; i != NULL && i->if_index != 0;
	     i++) {
		(void)snprintf(text, sizeof(text), "interface %s\n",
		    i->if_name);
		is_seen |= strcmp(i->if_name, "lo") != 0 &&
		    strstr(t->output, text) != NULL;
	}
	if (list != NULL)
		if_freenameindex(list);
	return (is_seen);
}

/* A mount of the host at a place that no job has. */
static bool
judge_host_mount(struct trial *t)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	bool is_seen = false;
	char text[300];

	while (f != NULL && (m = getmntent(f)) != NULL) {
		if (strncmp(m->mnt_dir, "/sys", 4) != 0 || m->mnt_dir[4] == 0)
			continue;
		(void)snprintf(text, sizeof(text), " %.250s ", m->mnt_dir);
		is_seen |= strstr(t->output, text) != NULL;
	}
	if (f != NULL)
		(void)endmntent(f);
	return (is_seen);
}

/* A message with the secret; its queue has the probe's name. */
static int
prepare_queue(struct trial *t)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 64};
	char name[20];
	mqd_t queue;
	int rc;

	(void)snprintf(name, sizeof(name), "/%s", t->comm);
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	if (queue == -1)
		return (-1);
	rc = mq_send(queue, t->token, strlen(t->token), 0);
	(void)mq_close(queue);
	return (rc);
}

static bool
judge_queue(struct trial *t)
{
	char name[20];

	(void)snprintf(name, sizeof(name), "/%s", t->comm);
	(void)mq_unlink(name);
	return (strstr(t->output, t->token) != NULL);
}

/* Blocks that a file of a bind takes. */
static bool
judge_reserved(struct trial *t)
{
	char path[128];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/shown/planted", t->dir);
	return (stat(path, &st) == 0 && st.st_blocks * 512 > 1 << 20);
}

/* ---- a log of the host's, which is the standard output ---- */

static int
prepare_log(struct trial *t)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/log", t->dir);
	t->listener = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (t->listener == -1)
		return (-1);
	return (write(t->listener, "before\n", 7) == 7 ? 0 : -1);
}

void
witness_read_log(struct trial *t)
{
	ssize_t n = pread(t->listener, t->output, sizeof(t->output) - 1, 0);

	t->output_len = n > 0 ? (size_t)n : 0;
	t->output[t->output_len] = '\0';
}

static bool
judge_log_begin(struct trial *t)
{
	return (strncmp(t->output, "before\n", 7) != 0);
}

static bool
judge_log_flags(struct trial *t)
{
	return ((fcntl(t->listener, F_GETFL) & O_NONBLOCK) != 0);
}

WITNESS(queue, prepare_queue, judge_queue, false, "the secret, in its output");
WITNESS(reserved, NULL, judge_reserved, false, "blocks of a file of the host");
WITNESS(log_begin, prepare_log, judge_log_begin, false,
    "the begin of a file of the host");
WITNESS(log_flags, prepare_log, judge_log_flags, false,
    "the flags of a description of the host");
WITNESS(memory, NULL, judge_memory, false, "the host's memory, in its output");
WITNESS(disk, NULL, judge_disk, false, "the host's disk, in its output");
WITNESS(release, NULL, judge_release, false, "the release, in its output");
WITNESS(host_path, NULL, judge_host_path, false,
    "a path of the host, in its output");
WITNESS(interface, NULL, judge_interface, false,
    "an interface of the host, in its output");
WITNESS(host_mount, NULL, judge_host_mount, false,
    "a mount of the host, in its output");
