/*
 * proc.c - what /proc shows, read by descriptor.
 *
 * For the verify functions that run in the launcher: everything goes through
 * l->job_proc, which was opened once, so that all reads are of one process.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "io.h"
#include "launcher.h"

const char *
proc_text(struct launch *l, const char *name)
{
	static char text[64 * 1024]; /* status: "Groups:" may name thousands */

	if (io_read_file(l->job_proc, name, text, sizeof(text)) != -1)
		return (text);
	(void)host_fault(l, STEP_READ_PROC);
	return (NULL);
}

int
proc_number(struct launch *l, const char *name, const char *key, int base,
    uint64_t *out)
{
	const char *text = proc_text(l, name);

	if (text == NULL)
		return (-1);
	if (io_field_u64(text, key, base, out) == -1)
		return (host_fault(l, STEP_READ_PROC));
	return (0);
}

int
proc_expect(struct launch *l, const char *key, int base, uint64_t want)
{
	uint64_t got;

	if (proc_number(l, "status", key, base, &got) == -1)
		return (-1);
	return (got == want ? 0 : mismatch(l));
}

int
proc_ns_differs(struct launch *l, const char *ns)
{
	char path[64];
	struct stat job, own;

	(void)stpcpy(stpcpy(path, "/proc/self/ns/"), ns);
	if (stat(path, &own) == -1 ||
	    fstatat(l->job_proc, &path[sizeof("/proc/self")], &job, 0) == -1)
		return (host_fault(l, STEP_READ_PROC));
	if (job.st_dev == own.st_dev && job.st_ino == own.st_ino)
		return (fault_at(l, STEP_NS_SAME, 0, FAULT_HOST));
	return (0);
}

int
stat_field(const char *text, unsigned int n, uint64_t *out)
{
	/* The name in parentheses may hold anything: count from its end. */
	const char *p = strrchr(text, ')');

	for (unsigned int i = 2; p != NULL && i < n; i++)
		p = strchr(p + 1, ' ');
	return (p == NULL ? -1 : io_parse_u64(p + 1, 10, out));
}

int
dir_each(int at, const char *path, dir_fn *fn, uint64_t *sum)
{
	_Alignas(struct dirent64) char buf[2048];
	const struct dirent64 *entry;
	ssize_t len;
	int dir = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir == -1)
		return (-1);
	while ((len = getdents64(dir, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < len; i += entry->d_reclen) {
			entry = (const void *)(buf + i);
			if (entry->d_name[0] != '.')
				*sum += fn(dir, entry->d_name);
		}
	}
	io_close(&dir);
	return (len == -1 ? -1 : 0);
}
