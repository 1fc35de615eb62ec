/*
 * proc.c - reads the held job's state from the host's /proc, by descriptor.
 *
 * Runs in the launcher only.  Everything goes through l->job_proc, which was
 * opened once, so that all reads are of the same process.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "io.h"
#include "proc.h"

int
proc_text(struct launch *l, const char *name, char *text)
{
	if (io_read_file(l->job_proc, name, text, PROC_TEXT_MAX) == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	return (0);
}

const char *
proc_status(struct launch *l)
{
	static char text[64 * 1024]; /* "Groups:" may name thousands */

	if (io_read_file(l->job_proc, "status", text, sizeof(text)) != -1)
		return (text);
	(void)fault_at(l, STEP_READ_PROC, errno, FAULT_HOST);
	return (NULL);
}

int
proc_status_u64(struct launch *l, const char *key, int base, uint64_t *out)
{
	const char *text = proc_status(l);

	if (text == NULL)
		return (-1);
	if (io_field_u64(text, key, base, out) == -1)
		return (fault_at(l, STEP_READ_PROC, errno, FAULT_HOST));
	return (0);
}

int
proc_stat_field(struct launch *l, unsigned int n, int64_t *out)
{
	char text[PROC_TEXT_MAX];
	const char *p;
	uint64_t value;
	bool is_negative;

	if (proc_text(l, "stat", text) == -1)
		return (-1);
	/* The name in parentheses may hold anything: count from its end. */
	p = strrchr(text, ')');
	for (unsigned int i = 2; p != NULL && i < n; i++)
		p = strchr(p + 1, ' ');
	if (p == NULL)
		return (fault_at(l, STEP_READ_PROC, EINVAL, FAULT_HOST));
	is_negative = p[1] == '-';
	if (io_parse_u64(p + 1 + is_negative, 10, &value) == -1 ||
	    value > INT64_MAX)
		return (fault_at(l, STEP_READ_PROC, EINVAL, FAULT_HOST));
	*out = is_negative ? -(int64_t)value : (int64_t)value;
	return (0);
}

int
proc_ns_is_own(struct launch *l, const char *link)
{
	struct stat job = {0}, own = {0};
	int self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = 0;

	if (self == -1 || fstatat(self, link, &own, 0) == -1 ||
	    fstatat(l->job_proc, link, &job, 0) == -1)
		err = errno;
	io_close(&self);
	if (err != 0)
		return (fault_at(l, STEP_READ_PROC, err, FAULT_HOST));
	if (job.st_dev == own.st_dev && job.st_ino == own.st_ino)
		return (fault_at(l, STEP_NS_SAME, 0, FAULT_HOST));
	return (0);
}

int
proc_mismatch(struct launch *l)
{
	return (mismatch(l));
}
