/*
 * userns.c - the first user namespace: root inside, the caller outside.
 *
 * Init writes its own maps, so it must be dumpable (its /proc files are
 * root's otherwise).  setgroups is denied first: the kernel refuses an
 * unprivileged gid_map without it (CVE-2014-8989).  The second namespace is
 * locked.c's; the maps that are verified here are the job's final ones.
 */
#include <errno.h>
#include <string.h>

#include "io.h"
#include "proc.h"

#define MAP_MAX (2 * IO_DECIMAL_MAX + sizeof(" 1"))

static int
map_write(int proc, const char *name, uint64_t inside, uint64_t outside)
{
	char map[MAP_MAX], digits[IO_DECIMAL_MAX];
	char *p;

	p = stpcpy(map, io_format_u64(digits, inside));
	p = stpcpy(p, " ");
	p = stpcpy(p, io_format_u64(digits, outside));
	(void)stpcpy(p, " 1");
	return (io_write_file(proc, name, map));
}

int
userns_map(int proc, uint64_t inside, uid_t uid, gid_t gid, enum step *step)
{
	*step = STEP_SETGROUPS_DENY;
	if (io_write_file(proc, "self/setgroups", "deny") == -1)
		return (-1);
	*step = STEP_UID_MAP;
	if (map_write(proc, "self/uid_map", inside, uid) == -1)
		return (-1);
	*step = STEP_GID_MAP;
	return (map_write(proc, "self/gid_map", inside, gid));
}

int
userns_apply(struct launch *l)
{
	enum step step;

	if (userns_map(l->host_proc, 0, l->uid, l->gid, &step) == -1)
		return (fault_at(l, step, errno, FAULT_HOST));
	return (0);
}

/* The map is one line "inside outside 1": one id, and that id is ours. */
static int
map_verify(struct launch *l, const char *name, uint64_t outside)
{
	uint64_t inside = row_is_applied(l, CTL_LOCKED) ? PLAN_JOB_ID : 0;
	uint64_t want[] = {inside, outside, 1}, got;
	char text[PROC_TEXT_MAX];
	char *p = text;

	if (proc_text(l, name, text) == -1)
		return (-1);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		p += strspn(p, " ");
		if (io_parse_u64(p, 10, &got) == -1 || got != want[i])
			return (proc_mismatch(l));
		p += strspn(p, "0123456789");
	}
	return (strcmp(p, "\n") == 0 ? 0 : proc_mismatch(l));
}

int
userns_verify(struct launch *l)
{
	char text[PROC_TEXT_MAX];

	readback_want(l, 1);
	if (proc_ns_is_own(l, "ns/user") == -1 ||
	    map_verify(l, "uid_map", l->uid) == -1 ||
	    map_verify(l, "gid_map", l->gid) == -1 ||
	    proc_text(l, "setgroups", text) == -1)
		return (-1);
	if (strcmp(text, "deny\n") != 0)
		return (proc_mismatch(l));
	readback_got(l, 1);
	return (0);
}
