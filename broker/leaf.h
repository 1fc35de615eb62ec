/*
 * leaf.h - the job's cgroup v2 leaf.  Owners: leaf_find.c (beneath which cgroup
 * one can be made), leaf_tree.c (the tree's files), leaf_cause.c (the words
 * where none can, and the commands that help), leaf.c (made and read),
 * leaf_end.c (killed and removed), leaf_root.c (the subtree that root makes
 * before it becomes somebody else).
 *
 * A leaf is "agsbx-" and the job's id.  It is made empty, after its path is on
 * the row; the launcher puts init into it and writes the limits; the broker
 * reads its counters, kills and removes it.  A leaf that a crash left is
 * removed by leaf_reap(), by way of its row: nobody takes one for abandoned
 * because it is empty, since that is what a job is about to be put into.
 */
#ifndef BROKER_LEAF_H
#define BROKER_LEAF_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "job.h"

#define LEAF_PATH_MAX 512
#define LEAF_PREFIX "agsbx-"
#define LEAF_NAME_SIZE (sizeof(LEAF_PREFIX) - 1 + JOB_ID_SIZE)
/* Where the broker stands while its own cgroup has leaves. */
#define LEAF_BROKER "agsbx-broker"

/* Controllers of a cgroup, as bits. */
#define LEAF_MEMORY 0x1U
#define LEAF_PIDS 0x2U
#define LEAF_CPU 0x4U

/* Where a leaf is looked for, in this order. */
enum leaf_step {
	LEAF_STEP_OWN,	   /* the broker's own cgroup, or one above it */
	LEAF_STEP_NAMED,   /* [cgroup] path or $AGSBX_CGROUP */
	LEAF_STEP_MANAGER, /* a scope of the systemd user manager */
	LEAF_STEP__MAX
};
extern const char *const leaf_step_names[LEAF_STEP__MAX];

struct leaf_place {
	char parent[LEAF_PATH_MAX]; /* the leaf goes beneath it; "": nowhere */
	unsigned int controllers;   /* that the leaf will have */
	bool is_broker_moved;	    /* into parent/LEAF_BROKER */
	enum leaf_step step;	    /* that gave parent */
	char cause[384]; /* why there is no memory controller; "": there is */
	char fix[512];	 /* what closes it; "": nothing known */
	char steps[LEAF_STEP__MAX][320]; /* what came of each */
};

/* What a search looks at: the host, or a test's own tree. */
struct leaf_host {
	const char *proc_cgroup;  /* "/proc/self/cgroup" */
	const char *proc_cgroups; /* "/proc/cgroups" */
	const char *mount;	  /* "/sys/fs/cgroup" */
	unsigned long magic;	  /* of a cgroup v2 filesystem */
	const char *named;	  /* a subtree by its absolute path; NULL */
	const char *named_by;	  /* who named it, for a person */
};
extern const struct leaf_host leaf_this_host; /* nothing is named */

/* ---- leaf_tree.c ---- */
/* A file of a cgroup; NULL when the name does not fit. */
const char *
leaf_file(const char *dir, const char *file, char path[static LEAF_PATH_MAX]);
bool leaf_can_write(const char *dir, const char *file);
/* Only a domain can have controllers that count for whole processes; the root
 * of the hierarchy is one too. */
bool leaf_is_domain(const char *dir);
/* Our path in the v2 tree, from the line "0::/path". */
bool leaf_own_path(const char *proc_cgroup, char path[static LEAF_PATH_MAX]);
/* The controllers that a file of a cgroup lists. */
unsigned int leaf_controllers(const char *dir, const char *file);
/* Enables what the cgroup has of memory, pids and cpu for those beneath it;
 * what is enabled then.  On -1 no more than before, with errno in *err. */
unsigned int leaf_enable(const char *dir, int *err);

/* ---- leaf_find.c ---- */
/*
 * Fills place.  May enable controllers in the broker's own cgroup, when it is
 * alone there, and in the named subtree; moves the broker for that, which
 * leaf_place_leave() undoes.  Never fails: where no leaf can be made, place
 * says why.
 */
void leaf_find(struct leaf_place *place, const struct leaf_host *host);
/* ---- leaf_cause.c ---- */
bool leaf_mount_is_v2(const struct leaf_host *host);
/* Why no cgroup v2 is at host->mount. */
void leaf_explain_mount(const struct leaf_host *host, struct leaf_place *place);
/* As snprintf(); a text that is cut is still a cause. */
void leaf_say(char *text, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What keeps dir (path is its name within the mount) from having leaves with
 * a memory controller: fills text, and fix with a command or "". */
struct leaf_obstacle {
	char text[320];
	char fix[512];
};
void leaf_explain_dir(const struct leaf_host *host, const char *dir,
    const char *path, int err, struct leaf_obstacle *o);

/* ---- leaf.c: made, and its counters ---- */
enum leaf_counter {
	LEAF_MEMORY_PEAK, /* bytes */
	LEAF_OOM_KILLS,
	LEAF_PROCESSES_PEAK,	/* init included */
	LEAF_PROCESSES_REFUSED, /* forks that met the ceiling */
	LEAF_CPU_US,
	LEAF_COUNTER__MAX
};

/* JOB_UNKNOWN where the leaf has no such counter. */
struct leaf_counters {
	int64_t values[LEAF_COUNTER__MAX];
};

struct leaf {
	char name[LEAF_NAME_SIZE]; /* "": none was made */
	int parent_fd;
	int dir_fd; /* goes with the plan; -1: none */
	int kill_fd;
	int events_fd;
	int counter_fds[LEAF_COUNTER__MAX];
	struct leaf_counters base; /* at leaf_mark() */
	/* of a broker that moved: its way back */
	int subtree_fd;
	int procs_fd;
	unsigned int enabled;
};

void leaf_init(struct leaf *l);
/* The path of the leaf of job id beneath place; malloced, NULL: ENOMEM. */
char *leaf_path(const struct leaf_place *place, const char *id);
/* Makes it and opens all that is needed once the broker is confined; the way
 * back of a broker that moved is then its own.  0, or -1 with d: there is none
 * then, or an empty one that leaf_end() has to remove. */
int leaf_make(struct leaf *l, struct leaf_place *place, const char *id,
    struct diag *d);
/* From now on the job counts, not what built it. */
void leaf_mark(struct leaf *l);
/* Peaks, and what the others have grown since leaf_mark(). */
void leaf_read(const struct leaf *l, struct leaf_counters *out);
/* The number of a file, or of its line "key number"; JOB_UNKNOWN: none. */
int64_t leaf_number(int fd, const char *key);
/* "agsbx-" and a whole job id. */
bool leaf_name_is_ours(const char *name);
int leaf_open_way_back(struct leaf *l, const struct leaf_place *place);
void leaf_close(struct leaf *l);
/* d says "cannot WHAT cgroup leaf NAME" and errno; -1. */
int leaf_fail(struct diag *d, const char *what, const char *name);

/* ---- leaf_end.c ---- */
/*
 * Kills what is in the leaf, waits until nothing is (5 s), removes it, and
 * takes the broker back to where it was.  Nothing to do: 0.  0, or -1 with d.
 * Works in a confined broker.
 */
int leaf_end(struct leaf *l, struct diag *d);
/* Undoes what leaf_find() did, where no leaf_make() followed. */
void leaf_place_leave(struct leaf_place *place);
/*
 * For recover: the same for a leaf that a dead broker left, by the path on the
 * row, and for the LEAF_BROKER beside it when that is empty.  Refuses every
 * path that is no leaf of ours in a cgroup v2 tree.  A leaf that is gone: 0.
 * Waits for no longer than wait_ms.  0, or -1 with d.
 */
int leaf_reap(const char *path, int64_t wait_ms, struct diag *d);

/* ---- leaf_root.c ---- */
/*
 * As root: makes the subtree mount/agsbx, gives it to uid and gid, and moves
 * the caller into its cgroup "broker".  Where the host does not let it, nothing
 * is there and leaf_find() tells why.  0, or -1 with d: begun and not ended.
 */
int leaf_root_make(const struct leaf_host *host, uid_t uid, gid_t gid,
    struct diag *d);

#endif
