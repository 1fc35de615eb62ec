/*
 * descriptors.c - the job has 0, 1, 2 and, until exec, its gate.
 *
 * Close-on-exec on everything is the first layer, this sweep the second
 * (CVE-2024-21626 was one descriptor too many).  Runs in the job; every other
 * descriptor of struct launch is gone after it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "proc.h"
#include "sys.h"

#define GATE_FD 3
#define STDIO_COUNT 3

int
descriptors_apply(struct launch *l)
{
	/* What was received lies above the gate's place: see main.c. */
	for (int fd = 0; fd < STDIO_COUNT; fd++) {
		if (dup2(l->fds[fd], fd) == -1)
			return (fault_at(l, STEP_DUP, errno, FAULT_OURS));
	}
	if (dup3(l->gate, GATE_FD, O_CLOEXEC) == -1)
		return (fault_at(l, STEP_DUP, errno, FAULT_OURS));
	l->gate = GATE_FD;
	if (sys_close_range(GATE_FD + 1, ~0U, 0) == -1)
		return (fault_at(l, STEP_CLOSE_RANGE, errno, FAULT_HOST));
	l->init_sock = l->root_fd = l->proc_fd = l->host_proc = -1;
	l->timer_fd = -1;
	return (0);
}

/* Counts the entries of /proc/JOB/fd, all of them single digits up to 3. */
static int
fd_count(int dir, uint64_t *count)
{
	_Alignas(struct dirent64) char buf[1024];
	const struct dirent64 *entry;
	ssize_t len;

	*count = 0;
	while ((len = getdents64(dir, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < len; at += entry->d_reclen) {
			entry = (const void *)(buf + at);
			if (entry->d_name[0] != '.')
				*count += 1;
			if (strspn(entry->d_name, ".0123") !=
			    strlen(entry->d_name))
				*count += GATE_FD + 1;
		}
	}
	return (len == -1 ? -1 : 0);
}

int
descriptors_verify(struct launch *l)
{
	char text[512];
	uint64_t count = 0, flags;
	int err = 0;
	int dir = openat(l->job_proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir == -1 || fd_count(dir, &count) == -1)
		err = errno;
	io_close(&dir);
	if (err != 0)
		return (fault_at(l, STEP_READ_PROC, err, FAULT_HOST));
	if (io_read_file(l->job_proc, "fdinfo/3", text, sizeof(text)) == -1 ||
	    io_field_u64(text, "flags", 8, &flags) == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	readback_want(l, STDIO_COUNT);
	readback_got(l, count - 1); /* the gate closes itself at exec */
	if (count != GATE_FD + 1 || (flags & O_CLOEXEC) == 0)
		return (proc_mismatch(l));
	return (0);
}
