/*
 * witness_counts.c - witnesses of numbers that the kernel keeps for the whole
 * host: in the probe's output, or moved by it.
 */
#include <sys/epoll.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

/* The scheduler's clock leaves out what was spent on interrupts. */
static bool
judge_uptime(struct trial *t)
{
	struct timespec up = {0};
	bool is_seen = false;
	long said;

	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	for (const char *p = t->output; p != NULL; p = strchr(p, '\n')) {
		p += *p == '\n';
		said = strtol(p, NULL, 10);
		is_seen |= said <= up.tv_sec + 60 &&
		    said >= up.tv_sec - up.tv_sec / 20 - 60;
	}
	return (is_seen);
}

static bool
judge_birth(struct trial *t)
{
	struct statx st;
	char text[64];

	if (statx(AT_FDCWD, "/dev/null", 0, STATX_BTIME, &st) == -1)
		return (false);
	(void)snprintf(text, sizeof(text), "born %lld\n",
	    (long long)st.stx_btime.tv_sec);
	return (strstr(t->output, text) != NULL);
}

static long
packets(void)
{
	char text[4096];

	if (read_file("/proc/net", "softnet_stat", text, sizeof(text)) <= 0)
		return (-1);
	return (strtol(text, NULL, 16));
}

static int
prepare_softnet(struct trial *t)
{
	t->before = packets();
	return (t->before == -1 ? -1 : 0);
}

static bool
judge_softnet(struct trial *t)
{
	long said = strtol(t->output, NULL, 16);

	return (said > 0 && said >= t->before && said <= packets());
}

/* Pages, of the text of sockstat. */
static long
tcp_pages(const char *text)
{
	const char *line = strstr(text, "TCP: "), *mem;

	mem = line != NULL ? strstr(line, " mem ") : NULL;
	return (mem != NULL ? strtol(mem + 5, NULL, 10) : -1);
}

static long
host_tcp_pages(void)
{
	char text[4096];

	(void)read_file("/proc/net", "sockstat", text, sizeof(text));
	return (tcp_pages(text));
}

static int
prepare_tcp(struct trial *t)
{
	t->before = host_tcp_pages();
	return (t->before == -1 ? -1 : 0);
}

/* It has no socket: its own number would be 0. */
static bool
judge_sockstat(struct trial *t)
{
	long said = tcp_pages(t->output), now = host_tcp_pages();

	return (said > 0 && said >= (t->before < now ? t->before : now) / 2 &&
	    said <= (t->before > now ? t->before : now) * 2);
}

static bool
judge_tcp_memory(struct trial *t)
{
	return (host_tcp_pages() - t->before >=
	    strtol(t->attempt->wants, NULL, 10));
}

static bool
judge_epoll(struct trial *t)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fds[2], poll = epoll_create1(EPOLL_CLOEXEC);
	bool is_full;

	(void)t;
	if (poll == -1 || pipe2(fds, O_CLOEXEC) == -1)
		return (false);
	is_full = epoll_ctl(poll, EPOLL_CTL_ADD, fds[0], &event) == -1 &&
	    errno == ENOSPC;
	(void)close(poll);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return (is_full);
}

static bool
judge_owner(struct trial *t)
{
	const char *seen;
	char text[64];

	/* A comma is behind it where the kernel tells more. */
	(void)snprintf(text, sizeof(text), "uid=%u,gid=%u", getuid(), getgid());
	seen = strstr(t->output, text);
	return (seen != NULL && strchr(",\n", seen[strlen(text)]) != NULL);
}

/* Opened so often, then a rest, and so on. */
static int
prepare_heard(struct trial *t)
{
	int fd;

	t->before = 20 + (long)strtoul(&t->comm[4], NULL, 16) % 40;
	t->victim = fork();
	for (int i = 0; t->victim == 0; i++) {
		if (i % t->before == 0)
			(void)usleep(400000);
		fd = open(t->attempt->args[0], O_RDONLY | O_CLOEXEC);
		(void)close(fd);
	}
	return (t->victim == -1 ? -1 : 0);
}

static bool
judge_heard(struct trial *t)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "opened %ld\n", t->before);
	return (strstr(t->output, text) != NULL);
}

WITNESS(uptime, NULL, judge_uptime, false, "the host's uptime, in its output");
WITNESS(birth, NULL, judge_birth, false,
    "the birth of the host's /dev/null, in its output");
WITNESS(softnet, prepare_softnet, judge_softnet, false,
    "the host's packets, in its output");
WITNESS(sockstat, prepare_tcp, judge_sockstat, false,
    "the host's TCP memory, in its output");
WITNESS(tcp_memory, prepare_tcp, judge_tcp_memory, true,
    "TCP memory, as the host counts it");
WITNESS(epoll, NULL, judge_epoll, true, "a watch that we do not get");
WITNESS(owner, NULL, judge_owner, false, "our own ids, in its output");
WITNESS(heard, prepare_heard, judge_heard, false,
    "how often we opened it, in its output");
