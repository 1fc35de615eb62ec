/*
 * files_fixture.h - a job in Python about files, and a directory of the host
 * for it.  Shared by test_files.c and test_binds.c; each has its own copy.
 */
#ifndef TESTS_LAUNCHER_FILES_FIXTURE_H
#define TESTS_LAUNCHER_FILES_FIXTURE_H

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

static struct drive d;
static struct plan p;
static char dir[64]; /* of the host: what binds show */

#define PRELUDE \
	"import os, sys, stat\n" \
	"def err(f, *a):\n" \
	" try: f(*a); return 0\n" \
	" except OSError as e: return e.errno\n" \
	"def wr(path): return err(open, path, 'w')\n"

/* Runs python text in p, which drive_python() has made. */
static inline void
expect(const char *want)
{
	(void)drive_run(&d, &p);
	assert_string_equal(d.output, want);
}

static inline void
drive_python(const char *python)
{
	static char script[8192];

	assert_true((size_t)snprintf(script, sizeof(script), "%s%s", PRELUDE,
			python) < sizeof(script));
	drive_plan(&p,
	    (const char *const[]){"python3", "-I", "-S", "-c", script, NULL});
	p.scratch_bytes = 8 << 20;
	p.scratch_inodes = 64;
	p.file_bytes = 1 << 30;
}

static inline struct plan_entry *
add_entry(enum plan_entry_kind kind, const char *path, const char *source)
{
	struct plan_entry *e = &p.entries[p.entry_count++];

	*e = (struct plan_entry){.kind = (uint8_t)kind,
	    .path = path,
	    .source = source};
	return (e);
}

static inline void
add_bind(const char *path, const char *source, unsigned int flags)
{
	struct plan_entry *e = add_entry(ENTRY_BIND, path, source);
	struct stat st;

	assert_int_equal(lstat(source, &st), 0);
	e->flags = (uint8_t)flags;
	e->dev = st.st_dev;
	e->ino = st.st_ino;
}

static inline int
make_host_dir(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/var/tmp/agsbx.XXXXXX");
	return (mkdtemp(dir) == NULL ? -1 : 0);
}

static inline int
remove_host_dir(void **state)
{
	static const char *const names[] = {"file", "made", "no", "source"};
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		(void)unlink(path);
	}
	return (rmdir(dir));
}

#endif
