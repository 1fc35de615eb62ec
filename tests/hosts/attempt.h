/*
 * attempt.h - what a job of the host matrix tries.  Owners: attempt.c (the
 * table and its small rows), hogs.c (rows that use something up), scene.c
 * (the other side: what the attempts aim at, outside of the sandbox).
 */
#ifndef TESTS_HOSTS_ATTEMPT_H
#define TESTS_HOSTS_ATTEMPT_H

#include <stdbool.h>

/* The scene, as tests/hosts/guest.sh sets it. */
#define SCENE_PORT 4444
#define SCENE_ABSTRACT "agsbx-hosts"
#define SCENE_SHM_KEY 0x61677362

/*
 * Each tries one thing; arg is a process id, a count or a number of MiB.
 * True: it got through.  False: refused, errno says how.
 */
bool hog_memory(long arg);
bool hog_tmpfs(long arg);
bool hog_sockets(long arg);
bool hog_processes(long arg);
bool hog_descriptors(long arg);
bool hog_output(long arg);
bool hog_cpu(long arg);
bool hog_wall(long arg);

/* Listens, keeps the shared memory, and appends a word to the file at path for
 * each attempt that reached it.  Ends with the guest. */
int scene_watch(const char *path);
/* Waits to be signalled or traced, for ever. */
int scene_wait(void);

#endif
