/*
 * plan.h - the plan: everything that is to be enforced for one job.
 * Owners: plan_encode.c (broker side only), plan_decode.c, plan_check.c,
 * plan_entries.c; the order of the bytes is plan_fields.def.
 *
 * The bytes hold no pointers and no offsets: fixed-width integers in host
 * order and strings as u32 length, bytes, NUL.  plan_decode() is pure and
 * fills a struct plan whose pointers look into the caller's buffer, which
 * must outlive it.  plan_check() then decides whether the plan is at or above
 * the floor.  The launcher does both before it creates anything; the policy
 * layer does both on what it encoded, so that a plan the launcher would
 * refuse never leaves the broker.
 */
#ifndef COMMON_PLAN_H
#define COMMON_PLAN_H

#include <linux/filter.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control.h"
#include "fault.h"

#define PLAN_BYTES_MAX (127U * 1024)	 /* fits one message */
#define PLAN_ARGS_BYTES_MAX (96U * 1024) /* argv and envp together, with NULs */
#define PLAN_ARGV_MAX 4096U
#define PLAN_ENVP_MAX 256U
#define PLAN_ENTRIES_MAX 96U
#define PLAN_FILTER_MAX 2048U /* instructions */
#define PLAN_PROGRAM_MAX (64ULL << 20)
#define PLAN_PATH_MAX 1024U /* with its NUL */

/* Descriptors of a PLAN message, in this order; the last only if has_program. */
enum plan_fd {
	PLAN_STDIN,
	PLAN_STDOUT,
	PLAN_STDERR,
	PLAN_PROGRAM,
	PLAN_FD__MAX
};

/* Ids inside the sandbox, and the places that every job finds. */
#define PLAN_JOB_ID 1000U
#define PLAN_WORKDIR "/work"	      /* the working directory and HOME */
#define PLAN_PROGRAM_DIR "/run/agsbx" /* holds the copy of CODE or FILE */
#define PLAN_HOSTNAME "sandbox"

/*
 * The canaries of the filters: system call numbers that no kernel has, each
 * answered by one filter with an errno that only that filter gives.
 */
#define CANARY_FLOOR_NR 1023
#define CANARY_FLOOR_ERRNO EADV
#define CANARY_PLAN_NR 1022
#define CANARY_PLAN_ERRNO ESRMNT

enum plan_entry_kind {
	ENTRY_DIR,     /* an empty directory */
	ENTRY_LINK,    /* a symbolic link; source is its text */
	ENTRY_FILE,    /* a file; content is its bytes */
	ENTRY_BIND,    /* source of the host, bound at path */
	ENTRY_PROGRAM, /* the bytes of descriptor PLAN_PROGRAM */
	ENTRY__MAX
};

#define ENTRY_WRITABLE 0x1U /* ENTRY_BIND only: not read-only */

/*
 * One thing in the new root.  path is absolute and clean (no "..", ".", "//"
 * or trailing slash); parents are made as directories of mode 0755.  A bind
 * is always nosuid and nodev; its source must still be (dev, ino) when the
 * launcher opens it.
 */
struct plan_entry {
	uint8_t kind; /* enum plan_entry_kind */
	uint8_t flags;
	uint16_t mode; /* permission bits of FILE, PROGRAM and DIR */
	const char *path;
	const char *source;	/* LINK and BIND, else "" */
	const uint8_t *content; /* FILE */
	uint32_t content_len;
	uint64_t dev; /* BIND */
	uint64_t ino; /* BIND */
};

struct plan {
	control_set controls; /* those to be held; the rest is off */
	bool has_program;
	bool network_host; /* shares the host's: netns is not in controls */
	uint8_t landlock_abi_min;
	uint64_t wall_ms;
	uint64_t
	    grace_ms;	 /* between TERM and KILL; init's deadline is the sum */
	uint64_t cpu_ms; /* all processes together */
	uint64_t memory_bytes;
	uint64_t data_bytes; /* RLIMIT_DATA a process, 0: unlimited */
	uint64_t max_procs;  /* without init */
	uint64_t nofile;
	uint64_t file_bytes;
	uint64_t stack_bytes;
	uint64_t scratch_bytes;
	uint64_t scratch_inodes;
	uint64_t program_bytes; /* exact size of the program */
	uint32_t entry_count;
	uint32_t argc;
	uint32_t envc;
	uint32_t filter_len; /* instructions of the plan filter */
	struct plan_entry entries[PLAN_ENTRIES_MAX];
	const char *argv[PLAN_ARGV_MAX + 1]; /* NULL-terminated */
	const char *envp[PLAN_ENVP_MAX + 1]; /* NULL-terminated */
	struct sock_filter filter[PLAN_FILTER_MAX];
};

/*
 * Encodes p into buf of size bytes.  Returns the number of bytes, or -1 with
 * errno E2BIG (does not fit) or EINVAL (a count above its maximum).
 */
long plan_encode(const struct plan *p, uint8_t *buf, size_t size);

/*
 * Decodes len bytes.  0, or -1 with *fault set (STEP_PLAN_DECODE, EBADMSG).
 * Every string is checked to hold no NUL of its own; the bytes must end
 * exactly where the plan ends.
 */
int plan_decode(struct plan *p, const uint8_t *buf, size_t len,
    struct fault *fault);

/*
 * Judges a decoded plan: at or above the floor, every value within its range,
 * every path clean and none over what the launcher itself builds (/proc, /dev,
 * /work, /tmp, the root), no environment variable that hijacks a loader.
 * 0, or -1 with *fault naming the control, the step and EINVAL or EPERM.
 */
int plan_check(const struct plan *p, struct fault *fault);

/* The entries' part of it.  0, or EINVAL (malformed), EPERM (over what is not
 * the plan's) or EEXIST (twice). */
int plan_entries_check(const struct plan *p);

/* True for the clean absolute paths that entries must have. */
bool plan_path_is_clean(const char *path);

/* True for "/a/b" beneath "/a"; a path is not beneath itself. */
bool plan_path_is_beneath(const char *path, const char *dir);

/* The tree of the host that no job is shown and source lies in, or NULL. */
const char *plan_private_tree(const char *source);

/*
 * True for a variable that makes a loader, interpreter or tool run code or
 * read files of the caller's choice (LD_*, BASH_ENV, NODE_OPTIONS, ...).
 * name ends at '=' or NUL.  Owner: env_hijack.c; the list is hijack.def.
 */
bool env_is_hijack(const char *name);

#endif
