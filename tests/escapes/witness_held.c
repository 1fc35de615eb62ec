/*
 * witness_held.c - the witnesses that look at the probe itself, in /proc, while
 * it holds.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

static bool
judge_descriptor(struct trial *t)
{
	char dir[64], link[256];
	struct dirent *e;
	bool is_there = false;
	ssize_t n;
	DIR *fds;

	(void)snprintf(dir, sizeof(dir), "/proc/%d/fd", t->probe);
	fds = opendir(dir);
	while (fds != NULL && (e = readdir(fds)) != NULL) {
		n = readlinkat(dirfd(fds), e->d_name, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		is_there |= strstr(link, t->attempt->wants) != NULL;
	}
	if (fds != NULL)
		(void)closedir(fds);
	return (is_there);
}

/* Two processes of the probe's are in different ones. */
static bool
judge_namespace(struct trial *t)
{
	char path[300], buf[32];
	struct dirent *e;
	struct stat st;
	ino_t first = 0;
	bool is_other = false;
	DIR *proc = opendir("/proc");

	while (proc != NULL && (e = readdir(proc)) != NULL) {
		(void)snprintf(path, sizeof(path), "/proc/%s", e->d_name);
		if (strtol(e->d_name, NULL, 10) <= 0 ||
		    read_file(path, "comm", buf, sizeof(buf)) <= 0 ||
		    strncmp(buf, t->comm, strlen(t->comm)) != 0)
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%s/ns/%s", e->d_name,
		    t->attempt->wants);
		if (stat(path, &st) == -1)
			continue;
		is_other |= first != 0 && first != st.st_ino;
		first = st.st_ino;
	}
	if (proc != NULL)
		(void)closedir(proc);
	return (is_other);
}

/* The kernel gives a page at a time. */
static bool
held_text_has(const struct trial *t, const char *name)
{
	static char text[64U * 1024];
	char path[64];
	size_t len = 0;
	ssize_t n = -1;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", t->probe, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (
	    fd != -1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	if (fd != -1)
		(void)close(fd);
	text[len] = '\0';
	return (n == 0 && strstr(text, t->attempt->wants) != NULL);
}

static bool
judge_status(struct trial *t)
{
	return (held_text_has(t, "status"));
}

static bool
judge_limits(struct trial *t)
{
	return (held_text_has(t, "limits"));
}

static bool
judge_oom(struct trial *t)
{
	return (held_text_has(t, "oom_score_adj"));
}

static bool
judge_personality(struct trial *t)
{
	return (held_text_has(t, "personality"));
}

/* Of its network namespace. */
static bool
judge_ports(struct trial *t)
{
	return (held_text_has(t, "net/tcp"));
}

/* .wants is a path of what the probe has as its root. */
static bool
judge_in_root(struct trial *t)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/root%s", t->probe,
	    t->attempt->wants);
	return (access(path, F_OK) == 0);
}

static bool
judge_mount(struct trial *t)
{
	return (held_text_has(t, "mountinfo"));
}

/* Covered before, and now not. */
static bool
judge_unmounted(struct trial *t)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/mountinfo", t->probe);
	return (access(path, R_OK) == 0 && !held_text_has(t, "mountinfo"));
}

static bool
judge_processes(struct trial *t)
{
	char dir[300], buf[32];
	struct dirent *e;
	long count = 0;
	DIR *proc = opendir("/proc");

	while (proc != NULL && (e = readdir(proc)) != NULL) {
		(void)snprintf(dir, sizeof(dir), "/proc/%s", e->d_name);
		count += strtol(e->d_name, NULL, 10) > 0 &&
		    read_file(dir, "comm", buf, sizeof(buf)) > 0 &&
		    strncmp(buf, t->comm, strlen(t->comm)) == 0;
	}
	if (proc != NULL)
		(void)closedir(proc);
	return (count >= strtol(t->attempt->wants, NULL, 10));
}

/* Bytes in files of /tmp that the probe made, as it sees /tmp. */
static bool
judge_stored(struct trial *t)
{
	char path[64];
	struct dirent *e;
	struct stat st;
	long long sum = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/root/tmp", t->probe);
	dir = opendir(path);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, t->token, strlen(t->token)) == 0 &&
		    fstatat(dirfd(dir), e->d_name, &st, 0) == 0)
			sum += st.st_blocks * 512LL;
	}
	if (dir != NULL)
		(void)closedir(dir);
	return (sum >= strtoll(t->attempt->wants, NULL, 10));
}

static bool
judge_descriptors(struct trial *t)
{
	char path[64];
	long count = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", t->probe);
	dir = opendir(path);
	while (dir != NULL && readdir(dir) != NULL)
		count++;
	if (dir != NULL)
		(void)closedir(dir);
	return (count >= strtol(t->attempt->wants, NULL, 10));
}

/* A line of /proc/PROBE/status, at least this: "VmRSS: 500000". */
bool
witness_judge_at_least(struct trial *t)
{
	char dir[64], text[4096];
	const char *wants = t->attempt->wants, *line;
	size_t len = strcspn(wants, " ");

	(void)snprintf(dir, sizeof(dir), "/proc/%d", t->probe);
	if (read_file(dir, "status", text, sizeof(text)) <= 0)
		return (false);
	for (line = text; line != NULL;
	     line = strchr(line, '\n'), line += line != NULL) {
		if (strncmp(line, wants, len) == 0)
			return (strtoull(line + len, NULL, 16) >=
			    strtoull(wants + len, NULL, 16));
	}
	return (false);
}

WITNESS(descriptor, NULL, judge_descriptor, true, "/proc/PROBE/fd");
WITNESS(namespace, NULL, judge_namespace, true, "/proc/PROBE/ns");
WITNESS(status, NULL, judge_status, true, "/proc/PROBE/status");
WITNESS(limits, NULL, judge_limits, true, "/proc/PROBE/limits");
WITNESS(oom, NULL, judge_oom, true, "/proc/PROBE/oom_score_adj");
WITNESS(personality, NULL, judge_personality, true, "/proc/PROBE/personality");
WITNESS(ports, NULL, judge_ports, true, "/proc/PROBE/net/tcp");
WITNESS(in_root, NULL, judge_in_root, true, "/proc/PROBE/root");
WITNESS(mount, NULL, judge_mount, true, "/proc/PROBE/mountinfo");
WITNESS(unmounted, NULL, judge_unmounted, true, "/proc/PROBE/mountinfo");
WITNESS(processes, NULL, judge_processes, true, "processes counted in /proc");
WITNESS(stored, NULL, judge_stored, true, "files in /proc/PROBE/root/tmp");
WITNESS(descriptors, NULL, judge_descriptors, true,
    "descriptors counted in /proc/PROBE/fd");
WITNESS(at_least, NULL, witness_judge_at_least, true,
    "a number in /proc/PROBE/status");
