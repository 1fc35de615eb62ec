/*
 * recover.c - orphaned rows: open, and the liveness lock of their broker is
 * free.  The lock alone decides.  On the boot of the row its cgroup leaf is
 * killed and removed first; pid with start time is a second sign that can keep
 * a row open, never one to signal by.  Safe beside running jobs and beside
 * another recover, because ledger_reap() judges the row again in its
 * transaction.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"
#include "recover.h"
#include "times.h"

#define LAUNCHER_COMM "agsbx-launcher" /* init never executes: it has it too */
#define PAUSE_MS 20
/* For all that a run finds: who dies goes at once, and nobody else is waited
 * for before a job of his own. */
#define LAZY_PATIENCE_MS 100
/* btime counts whole seconds and moves when the clock is set. */
#define START_SLACK_MS 3000
#define STAT_START_FIELD 22

struct orphan {
	char id[JOB_ID_SIZE];
	char boot_id[37];
	char *leaf; /* NULL: none */
	int64_t pidns;
	int64_t lock_byte;
	int64_t pids[2];
	int64_t created_ms;
	int64_t started_ms;
};

struct orphans {
	struct orphan *rows;
	size_t count;
	bool is_failed;
};

static void
orphans_free(struct orphans *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->rows[i].leaf);
	free(all->rows);
}

static int
collect(struct job *j, void *arg)
{
	struct orphans *all = arg;
	struct orphan *rows, *o;

	rows = reallocarray(all->rows, all->count + 1, sizeof(*rows));
	if (rows == NULL) {
		all->is_failed = true;
		return (1);
	}
	all->rows = rows;
	o = &rows[all->count++];
	*o = (struct orphan){
	    .leaf = j->leaf,
	    .pidns = j->pidns,
	    .lock_byte = j->lock_byte,
	    .pids = {j->launcher_pid, j->init_pid},
	    .created_ms = j->created_ms,
	    .started_ms = j->started_ms,
	};
	/* Both have the size of their source. */
	(void)strlcpy(o->id, j->id, sizeof(o->id));
	(void)strlcpy(o->boot_id, j->boot_id, sizeof(o->boot_id));
	j->leaf = NULL; /* taken */
	return (0);
}

static int
read_boot_id(char *buf, size_t size, struct diag *d)
{
	if (io_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", buf,
		size) == -1)
		return (diag_set(d, DIAG_INTERNAL, "cannot read boot_id: %s",
		    strerror(errno)));
	buf[strcspn(buf, "\n")] = '\0';
	return (0);
}

/* When the host was booted, Unix time; -1 unknown. */
static int64_t
boot_time_ms(void)
{
	char line[256];
	FILE *f = fopen("/proc/stat", "re");
	long long seconds = -1;

	if (f == NULL)
		return (-1);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "btime %lld", &seconds) == 1)
			break;
	(void)fclose(f); /* was only read */
	return (seconds == -1 ? -1 : (int64_t)seconds * 1000);
}

/* When the process of a /proc/PID/stat was started; -1: not one of ours, or
 * already dead. */
static int64_t
start_time_ms(char *stat)
{
	char *comm = strchr(stat, '('), *rest = strrchr(stat, ')'), *field;
	int64_t boot_ms = boot_time_ms();
	uint64_t ticks = 0;
	int n = 2;

	if (comm == NULL || rest == NULL || boot_ms == -1)
		return (-1);
	*rest++ = '\0';
	if (strcmp(comm + 1, LAUNCHER_COMM) != 0)
		return (-1);
	while ((field = strsep(&rest, " ")) != NULL && n < STAT_START_FIELD) {
		if (n == 3 && (field[0] == 'Z' || field[0] == 'X'))
			return (-1);
		n++;
	}
	if (field == NULL || io_parse_u64(field, 10, &ticks) == -1)
		return (-1);
	return (boot_ms + (int64_t)(ticks * 1000) / sysconf(_SC_CLK_TCK));
}

/* True for a launcher or init with this pid that was started while o was. */
static bool
pid_is_left(const struct orphan *o, int64_t pid)
{
	char path[64], stat[1024];
	int64_t start_ms;

	if (pid <= 0)
		return (false);
	(void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	if (io_read_file(AT_FDCWD, path, stat, sizeof(stat)) == -1)
		return (false);
	start_ms = start_time_ms(stat);
	return (start_ms >= o->created_ms - START_SLACK_MS &&
	    start_ms <= o->started_ms + START_SLACK_MS);
}

/* The pid of a process that is left of o after waiting for its death, or 0. */
static int64_t
find_left(const struct orphan *o, int64_t *patience_ms)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
	int64_t left;

	for (;;) {
		left = 0;
		for (size_t i = 0; i < sizeof(o->pids) / sizeof(o->pids[0]);
		     i++)
			if (pid_is_left(o, o->pids[i]))
				left = o->pids[i];
		if (left == 0 || *patience_ms <= 0)
			return (left);
		*patience_ms -= PAUSE_MS;
		/* Woken early is only looked early. */
		(void)nanosleep(&pause, NULL);
	}
}

int64_t
recover_pidns(void)
{
	struct stat st;

	return (stat("/proc/self/ns/pid", &st) == 0 ? (int64_t)st.st_ino :
						      JOB_UNKNOWN);
}

static void
say(struct recovered *r, const char *text)
{
	(void)strlcpy(r->text, text, sizeof(r->text)); /* ours, and short */
}

/* Numbers of another pid namespace are somebody else's here. */
static bool
has_our_pids(const struct orphan *o)
{
	return (o->pidns == JOB_UNKNOWN || o->pidns == recover_pidns());
}

/* The leaf goes with all that is in it; the time that took is patience. */
static int
clear_leaf(const struct orphan *o, int64_t *patience_ms, struct diag *why)
{
	int64_t start = monotonic_ms();
	int rc = leaf_reap(o->leaf, *patience_ms > 0 ? *patience_ms : 0, why);

	*patience_ms -= monotonic_ms() - start;
	return (rc);
}

/*
 * What its broker left on this boot: a process that has a number only is waited
 * for, since its broker lives after all where somebody took the lock's file
 * away; then the leaf goes.  True when nothing is left, else the reason is in
 * r.
 */
static bool
clear_up(const struct orphan *o, int64_t *patience_ms, struct recovered *r)
{
	struct diag why = {0};
	int64_t left = has_our_pids(o) ? find_left(o, patience_ms) : 0;

	if (left != 0) {
		(void)snprintf(r->text, sizeof(r->text),
		    "nobody holds its lock, but process %lld of it is left",
		    (long long)left);
		return (false);
	}
	if (o->leaf == NULL || clear_leaf(o, patience_ms, &why) == 0)
		return (true);
	say(r, "its broker is dead, but ");
	(void)strlcat(r->text, why.message, sizeof(r->text)); /* cut */
	return (false);
}

/* Who holds no lock is dead, unless the file of the locks was taken away: then
 * only the numbers of its processes tell. */
static bool
is_dead(const struct orphan *o, const char *dir, struct recovered *r)
{
	if (o->lock_byte <= 0 || !liveness_is_lost(dir) ||
	    (has_our_pids(o) && o->pids[0] > 0))
		return (true);
	say(r,
	    "agsbx.lock is gone, and nothing else tells whether its broker is "
	    "running; the row is closed after a reboot");
	return (false);
}

/* Closes one orphan or finds out that it must stay open; fills r.  1: r
 * counts; 0: the row was closed meanwhile; -1 with d. */
static int
judge(struct ledger *l, const char *dir, const struct orphan *o,
    const char *boot_id, int64_t *patience_ms, struct recovered *r,
    struct diag *d)
{
	bool is_other_boot =
	    o->boot_id[0] != '\0' && strcmp(o->boot_id, boot_id) != 0;
	bool was_open = false;
	int live = 0;

	*r = (struct recovered){.outcome = RECOVER_REAPED};
	(void)strlcpy(r->id, o->id, sizeof(r->id)); /* the same size */
	if (o->lock_byte > 0)
		live = liveness_probe(dir, o->lock_byte, d);
	if (live == -1)
		return (-1);
	if (live == 1) {
		r->outcome = RECOVER_LIVE;
		say(r, "its broker is running");
		return (1);
	}
	if (!is_other_boot &&
	    (!is_dead(o, dir, r) || !clear_up(o, patience_ms, r))) {
		r->outcome = RECOVER_FAILED;
		return (1);
	}
	say(r,
	    is_other_boot ? "host rebooted; no process touched" :
			    "broker died; no process left");
	if (ledger_reap(l, o->id, r->text, &was_open, d) == -1)
		return (-1);
	return (was_open ? 1 : 0);
}

static int
judge_all(struct ledger *l, const char *dir, int64_t patience_ms,
    const struct orphans *all, struct recovered *out, size_t *count,
    struct diag *d)
{
	char boot_id[64];

	*count = 0;
	if (all->count == 0)
		return (0);
	if (read_boot_id(boot_id, sizeof(boot_id), d) == -1)
		return (-1);
	for (size_t i = 0; i < all->count; i++) {
		int rc = judge(l, dir, &all->rows[i], boot_id, &patience_ms,
		    &out[*count], d);

		if (rc == -1)
			return (-1);
		*count += (size_t)rc;
	}
	return (0);
}

int
recover_all(struct ledger *l, const char *dir, int64_t patience_ms,
    struct recovered **out, size_t *count, struct diag *d)
{
	const struct ledger_filter open_rows = {.state = JOB__MAX,
	    .is_open = true,
	    .since_ms = JOB_UNKNOWN,
	    .until_ms = JOB_UNKNOWN};
	struct orphans all = {0};
	int rc;

	*out = NULL;
	*count = 0;
	rc = ledger_each(l, &open_rows, collect, &all, d);
	if (rc == 0) {
		*out = calloc(all.count + 1, sizeof(**out));
		if (*out == NULL || all.is_failed)
			rc = diag_set(d, DIAG_INTERNAL, "out of memory");
		else
			rc = judge_all(l, dir, patience_ms, &all, *out, count,
			    d);
	}
	orphans_free(&all);
	if (rc == -1) {
		free(*out);
		*out = NULL;
		*count = 0;
	}
	return (rc);
}

int
recover_lazily(struct ledger *l, const char *dir, struct diag *d)
{
	struct recovered *out;
	size_t count;
	int rc = recover_all(l, dir, LAZY_PATIENCE_MS, &out, &count, d);

	free(out);
	return (rc);
}
