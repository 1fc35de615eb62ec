/*
 * witness.h - who says whether an attempt got out.  Owner: witness.c.
 *
 * Each looks from outside of the job.  "word" alone takes the probe's exit
 * status: for system calls whose success nobody else can see; the answer of
 * each layer is then proven by its sentinel.
 */
#ifndef TESTS_WITNESS_H
#define TESTS_WITNESS_H

#include "attempt.h"

extern const struct witness witness_word;   /* the probe said it did it */
extern const struct witness witness_drill;  /* the drill itself */
extern const struct witness witness_secret; /* its stdout holds the secret */
extern const struct witness witness_canary; /* %d/shown/canary changed */
/* %d/shown or its canary is another, or has another time, mode, ... */
extern const struct witness witness_touched;
/* Held: whoever opens the canary would have to wait. */
extern const struct witness witness_leased;
extern const struct witness
    witness_inode; /* that of %d/secret, in its stdout */
/* The beginning of the file .wants, in its stdout. */
extern const struct witness witness_same;
extern const struct witness witness_planted;  /* %d/shown/planted exists */
extern const struct witness witness_accepted; /* TCP 127.0.0.1:%n: accept() */
extern const struct witness witness_abstract; /* abstract socket @%t */
extern const struct witness witness_socket;   /* pathname socket in %d/shown */
extern const struct witness witness_stopped;  /* the victim %p is stopped */
extern const struct witness witness_victim;   /* the name of %p in its stdout */
extern const struct witness witness_marker;   /* %d/shown/marker still moves */
/* Held: a descriptor of the probe leads to .wants ("anon_inode:[io_uring]"). */
extern const struct witness witness_descriptor;
/* Held: two of the probe's processes are in different namespaces .wants
 * ("user"). */
extern const struct witness witness_namespace;
/* Held: a line of /proc/PROBE/status begins with .wants. */
extern const struct witness witness_status;
extern const struct witness witness_limits;	 /* the same of limits */
extern const struct witness witness_oom;	 /* the same of oom_score_adj */
extern const struct witness witness_personality; /* the same of personality */
extern const struct witness witness_ports;	 /* the same of net/tcp */
extern const struct witness witness_typed; /* '#', echoed by the terminal */
/* Held: .wants is in what the probe has as its root. */
extern const struct witness witness_in_root;
/* Held: the probe's mountinfo has .wants. */
extern const struct witness witness_mount;
/* Held: it no longer has .wants, where it was mounted. */
extern const struct witness witness_unmounted;
/* Held: this many processes (.wants) are the probe's. */
extern const struct witness witness_processes;
extern const struct witness witness_stored; /* bytes (.wants) in /tmp/%t* */
extern const struct witness witness_descriptors; /* so many (.wants) */
/* Held: a number of /proc/PROBE/status is .wants at least, both in hex. */
extern const struct witness witness_at_least;
extern const struct witness witness_output;   /* .wants, in its stdout */
extern const struct witness witness_flood;    /* so many bytes (.wants) */
extern const struct witness witness_hostname; /* the host's, in its stdout */
extern const struct witness witness_boottime; /* seconds, in its stdout */
extern const struct witness witness_cgroup;   /* ours, in its stdout */
extern const struct witness witness_shm;      /* System V, key %n */
/* As at_least; %d/tools/capped is the probe with file capabilities. */
extern const struct witness witness_capped;
/* Held: so many bytes (.wants) are charged to the probe's cgroup. */
extern const struct witness witness_charged;
/* Held: a file of this cgroup has this text (.wants: "FILE TEXT"). */
extern const struct witness witness_leaf;
extern const struct witness witness_left;    /* held: it is in %g/%t */
extern const struct witness witness_alive;   /* held: it came so far */
extern const struct witness witness_burned;  /* so many ms (.wants) of CPU */
extern const struct witness witness_runs_on; /* it did not end by itself */

/* witness_host.c: what the host has, in its stdout. */
extern const struct witness witness_memory;	/* how much */
extern const struct witness witness_disk;	/* behind /usr, how much */
extern const struct witness witness_release;	/* of its kernel */
extern const struct witness witness_host_path;	/* %d */
extern const struct witness witness_interface;	/* a name, but lo */
extern const struct witness witness_host_mount; /* a place of one below /sys */
extern const struct witness witness_uptime;	/* a number that can be it */
extern const struct witness witness_birth;	/* of /dev/null */
extern const struct witness witness_softnet;	/* packets, of its CPU 0 */
extern const struct witness witness_sockstat;	/* pages of TCP memory */
extern const struct witness witness_owner;	/* its user's uid and gid */
/* How often we opened .args[0] between two rests of ours. */
extern const struct witness witness_heard;
/* Held: so many pages (.wants) of the host's TCP memory are taken. */
extern const struct witness witness_tcp_memory;
extern const struct witness witness_epoll; /* held: we get no watch */
extern const struct witness witness_queue; /* the secret of /%c */
/* %d/shown/planted takes more than 1 MiB. */
extern const struct witness witness_reserved;
/* With .logs_stdout: it was emptied, it does not block. */
extern const struct witness witness_log_begin;
extern const struct witness witness_log_flags;

#endif
