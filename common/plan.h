/*
 * plan.h - the plan: everything that is to be enforced for one job.
 *
 * Both sides decode and check it: the launcher before it creates anything, the
 * policy layer on what it encoded, so that a plan that would be refused never
 * leaves the broker.  On the wire, without pointers or offsets, in host order
 * (both programs are of one build): struct plan up to its entries; then each
 * entry up to its path, path and source with their NULs, and content; argv and
 * envp, each string with its NUL; the instructions of the filter.
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

/* The canaries: system calls that no kernel has, each answered by one filter
 * with an errno that only that filter gives. */
#define CANARY_FLOOR_NR 1023
#define CANARY_FLOOR_ERRNO EADV
#define CANARY_PLAN_NR 1022
#define CANARY_PLAN_ERRNO ESRMNT

enum plan_entry_kind {
	ENTRY_DIR,     /* an empty directory */
	ENTRY_LINK,    /* a symbolic link; source is its text */
	ENTRY_FILE,    /* a file; content is its bytes */
	ENTRY_BIND,    /* source of the host, bound at path: nosuid, nodev */
	ENTRY_PROGRAM, /* the bytes of descriptor PLAN_PROGRAM */
	ENTRY__MAX
};

#define ENTRY_WRITABLE 0x1U /* ENTRY_BIND only: not read-only */

/* One thing in the new root; parents are made as directories of mode 0755. */
struct plan_entry {
	uint8_t kind; /* enum plan_entry_kind */
	uint8_t flags;
	uint16_t mode;	      /* permission bits of FILE, PROGRAM and DIR */
	uint32_t content_len; /* FILE */
	uint64_t dev;	      /* BIND: what source must be when it is opened */
	uint64_t ino;
	const char *path;	/* plan_path_is_clean() */
	const char *source;	/* LINK and BIND, else "" */
	const uint8_t *content; /* FILE */
};

struct plan {
	control_set controls; /* those to be held; the rest is off */
	uint8_t has_program;  /* 0 or 1 */
	uint8_t network_host; /* 0 or 1: the host's, netns not in controls */
	uint8_t landlock_abi_min;
	uint8_t reserved[5]; /* 0 */
	uint64_t wall_ms;
	uint64_t grace_ms; /* from TERM to KILL; init's deadline is the sum */
	uint64_t cpu_ms;   /* all processes together */
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

#define PLAN_HEAD_BYTES offsetof(struct plan, entries)
#define PLAN_ENTRY_HEAD_BYTES offsetof(struct plan_entry, path)
_Static_assert(PLAN_HEAD_BYTES == 16 + 12 * 8 + 4 * 4 &&
	PLAN_ENTRY_HEAD_BYTES == 8 + 2 * 8,
    "no padding on the wire");

/* The number of bytes put into buf, or -1 with errno E2BIG (more than size or
 * PLAN_BYTES_MAX) or EINVAL (a count above its maximum, a string missing). */
long plan_encode(const struct plan *p, uint8_t *buf, size_t size);

/* Pure; p points into buf.  0, or -1 with *fault (STEP_PLAN_DECODE, EBADMSG)
 * and a plan of zeros. */
int plan_decode(struct plan *p, const uint8_t *buf, size_t len,
    struct fault *fault);

/*
 * At or above the floor, every value in its range, every path clean and none
 * over what the launcher builds, no hijacking variable?  0, or -1 with *fault:
 * the control, the step and EINVAL (malformed), EPERM (forbidden) or EEXIST.
 */
int plan_check(const struct plan *p, struct fault *fault);

/* True for an absolute path without "..", ".", "//" or a slash at its end. */
bool plan_path_is_clean(const char *path);

/* Why no job is given this variable (hijack.def), as "makes ...", or NULL.
 * name ends at '=' or NUL. */
const char *env_hijack_why(const char *name);

static inline bool
env_is_hijack(const char *name)
{
	return (env_hijack_why(name) != NULL);
}

#endif
