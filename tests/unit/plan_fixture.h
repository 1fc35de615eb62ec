/*
 * plan_fixture.h - a minimal valid plan, for every test that needs one.
 *
 * Strings are literals and the filter is one instruction, so the caller owns
 * nothing but the struct.  Tests change a member and look what becomes of it.
 */
#ifndef TESTS_PLAN_FIXTURE_H
#define TESTS_PLAN_FIXTURE_H

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <string.h>

#include "plan.h"

/* Appends an entry and returns it. */
static inline struct plan_entry *
plan_fixture_entry(struct plan *p, enum plan_entry_kind kind, const char *path,
    const char *source)
{
	struct plan_entry *e = &p->entries[p->entry_count++];

	*e = (struct plan_entry){.kind = (uint8_t)kind,
	    .path = path,
	    .source = source};
	return (e);
}

static inline void
plan_fixture_env(struct plan *p, const char *variable)
{
	p->envp[p->envc++] = variable;
}

/* One of every kind of entry, a program, one argument, two variables. */
static inline void
plan_fixture(struct plan *p)
{
	static const char hosts[] = "127.0.0.1 localhost\n";
	struct plan_entry *e;

	memset(p, 0, sizeof(*p));
	p->controls = CONTROL_ALL;
	p->has_program = true;
	p->landlock_abi_min = 2;
	p->wall_ms = 60000;
	p->grace_ms = 1000;
	p->cpu_ms = 120000;
	p->memory_bytes = 512ULL << 20;
	p->max_procs = 256;
	p->nofile = 1024;
	p->file_bytes = 256ULL << 20;
	p->stack_bytes = 8ULL << 20;
	p->scratch_bytes = 256ULL << 20;
	p->scratch_inodes = 65536;
	p->program_bytes = 14;

	plan_fixture_entry(p, ENTRY_DIR, "/etc", "")->mode = 0755;
	plan_fixture_entry(p, ENTRY_LINK, "/bin", "usr/bin");
	e = plan_fixture_entry(p, ENTRY_FILE, "/etc/hosts", "");
	e->mode = 0644;
	e->content = (const uint8_t *)hosts;
	e->content_len = sizeof(hosts) - 1;
	e = plan_fixture_entry(p, ENTRY_BIND, "/usr", "/usr");
	e->dev = 0x801;
	e->ino = 2;
	e = plan_fixture_entry(p, ENTRY_PROGRAM, PLAN_PROGRAM_DIR "/main", "");
	e->mode = 0555;

	p->argv[p->argc++] = PLAN_PROGRAM_DIR "/main";
	p->argv[p->argc++] = "";
	p->path_count = 1;
	plan_fixture_env(p, "PATH=/usr/bin:/bin");
	plan_fixture_env(p, "HOME=" PLAN_WORKDIR);
	p->filter[p->filter_len++] =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

#endif
