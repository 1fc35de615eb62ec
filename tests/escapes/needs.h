/*
 * needs.h - what a host must have, or lack, to show an attempt.  Owner:
 * needs.c.
 */
#ifndef TESTS_NEEDS_H
#define TESTS_NEEDS_H

/* NULL, or why this host cannot. */
const char *need_no_memory_controller(void);
const char *need_leaf(void);
const char *need_swap(void);
const char *need_no_tmpfs(void); /* where the trials are */
const char *need_host_up(void);
const char *need_host_root(void); /* naked, nobody else can do it */
const char *need_whole_etc(void); /* what a plan makes of /etc is there */
/* Each takes kernel memory: the drill takes all. */
const char *need_few_epoll_watches(void);
const char *need_programs(void); /* of every drill */

#endif
