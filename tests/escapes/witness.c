/*
 * witness.c - the witnesses: what of the host tells that an attempt got out.
 *
 * prepare() makes what is attacked, beside the job; judge() looks at it.  None
 * of them takes the job's word for it but witness_word.
 */
#include <linux/capability.h>

#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"
#include "run.h"

#define VICTIM_NAME 16 /* this far into the token: the probe shows its begin */

static bool
judge_word(struct trial *t)
{
	return (t->job_status == ATTACK_ESCAPED ||
	    strstr(t->output, "\nescaped\n") != NULL);
}

static bool
judge_secret(struct trial *t)
{
	return (strstr(t->output, t->token) != NULL);
}

static bool
judge_canary(struct trial *t)
{
	char text[64];

	return (read_file(t->dir, "shown/canary", text, sizeof(text)) < 0 ||
	    strcmp(text, "intact\n") != 0);
}

static bool
judge_planted(struct trial *t)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/shown/planted", t->dir);
	return (access(path, F_OK) == 0);
}

/* ---- sockets of the host ---- */

static int
listen_on(struct trial *t, const void *address, socklen_t len)
{
	sa_family_t family = ((const struct sockaddr *)address)->sa_family;

	t->listener =
	    socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->listener == -1 || bind(t->listener, address, len) == -1)
		return (-1);
	return (listen(t->listener, 8));
}

static int
prepare_accepted(struct trial *t)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);

	if (listen_on(t, &in, sizeof(in)) == -1 ||
	    getsockname(t->listener, (struct sockaddr *)&in, &len) == -1)
		return (-1);
	t->port = ntohs(in.sin_port);
	return (0);
}

static int
prepare_abstract(struct trial *t)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	(void)strcpy(&un.sun_path[1], t->token);
	return (listen_on(t, &un,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		strlen(t->token))));
}

static int
prepare_socket(struct trial *t)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	(void)snprintf(un.sun_path, sizeof(un.sun_path), "%s/shown/socket",
	    t->dir);
	return (listen_on(t, &un, sizeof(un)));
}

static bool
judge_accepted(struct trial *t)
{
	int fd = accept4(t->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd != -1)
		(void)close(fd);
	return (fd != -1);
}

/* ---- processes of the host ---- */

static int
prepare_victim(struct trial *t)
{
	t->victim = fork();
	if (t->victim == 0) {
		for (;;)
			(void)pause();
	}
	return (t->victim == -1 ? -1 : 0);
}

/* A name that no other process has. */
static int
prepare_named(struct trial *t)
{
	char ours[16];
	int rc = -1;

	/* Inherited: there is no moment at which it has another. */
	if (prctl(PR_GET_NAME, ours) == 0 &&
	    prctl(PR_SET_NAME, &t->token[VICTIM_NAME]) == 0)
		rc = prepare_victim(t);
	(void)prctl(PR_SET_NAME, ours);
	return (rc);
}

static bool
judge_named(struct trial *t)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%.15s", &t->token[VICTIM_NAME]);
	return (strstr(t->output, name) != NULL);
}

/* Dead counts too.  A signal takes a moment on a busy host. */
static bool
judge_stopped(struct trial *t)
{
	siginfo_t info = {0};

	for (int i = 0; i < 20 && info.si_pid == 0; i++) {
		(void)usleep(10000);
		if (waitid(P_PID, (id_t)t->victim, &info,
			WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == -1)
			return (true);
	}
	return (info.si_pid == t->victim);
}

/* Appended to by what may outlive the job. */
static bool
judge_marker(struct trial *t)
{
	char path[128];
	struct stat before, after;

	(void)snprintf(path, sizeof(path), "%s/shown/marker", t->dir);
	if (stat(path, &before) == -1)
		return (false);
	(void)usleep(300000);
	return (stat(path, &after) == 0 && after.st_size != before.st_size);
}

static bool
judge_output(struct trial *t)
{
	return (strstr(t->output, t->attempt->wants) != NULL);
}

static bool
judge_flood(struct trial *t)
{
	return (t->output_seen >= (size_t)strtol(t->attempt->wants, NULL, 10));
}

static bool
judge_hostname(struct trial *t)
{
	struct utsname name;

	/* A line: a name may be a part of any other. */
	return (uname(&name) == 0 && strcmp(name.nodename, "sandbox") != 0 &&
	    strncmp(t->output, name.nodename, strlen(name.nodename)) == 0 &&
	    t->output[strlen(name.nodename)] == '\n');
}

/* A clock of the job's own is a few seconds old. */
static bool
judge_boottime(struct trial *t)
{
	struct timespec up = {0};

	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	return (strtol(t->output, NULL, 10) + 60 >= up.tv_sec);
}

/* Any of our own cgroups but a root, or where agsbx has its leaves. */
static bool
judge_cgroup(struct trial *t)
{
	char text[4096], *line, *rest = text;
	bool is_seen = leaf_is_told(t->output);

	if (read_file("/proc/self", "cgroup", text, sizeof(text)) <= 0)
		return (false);
	while ((line = strsep(&rest, "\n")) != NULL) {
		line = strstr(line, ":/");
		is_seen |= line != NULL && line[2] != '\0' &&
		    strstr(t->output, line) != NULL;
	}
	return (is_seen);
}

/* System V shared memory with the secret; its key is %n. */
static int
prepare_shm(struct trial *t)
{
	char *at;

	t->port = (unsigned int)strtoul(&t->comm[4], NULL, 16) | 1;
	t->shm = shmget((key_t)t->port, 4096, IPC_CREAT | IPC_EXCL | 0600);
	at = t->shm == -1 ? (void *)-1 : shmat(t->shm, NULL, 0);
	if (at == (void *)-1)
		return (-1);
	(void)strcpy(at, t->token);
	(void)shmdt(at);
	return (0);
}

static bool
judge_shm(struct trial *t)
{
	(void)shmctl(t->shm, IPC_RMID, NULL);
	return (judge_secret(t));
}

/* Our own program with file capabilities, as root of a namespace gives them. */
static int
prepare_capped(struct trial *t)
{
	static const struct vfs_cap_data caps = {.magic_etc =
						     VFS_CAP_REVISION_2 |
		VFS_CAP_FLAGS_EFFECTIVE,
	    .data = {{.permitted = 1U << CAP_SYS_ADMIN}}};
	char from[1024], to[128];
	int status;
	pid_t pid;

	(void)snprintf(from, sizeof(from), "%s/agsbx-attack", setup.build);
	(void)snprintf(to, sizeof(to), "%s/tools/capped", t->dir);
	if (copy_file(from, to) == -1 || (pid = fork()) == -1)
		return (-1);
	if (pid == 0)
		_exit(become_root(t) == -1 ||
		    setxattr(to, "security.capability", &caps, sizeof(caps),
			0) == -1);
	return (waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1);
}

/* CPU time of every process that we and our children waited for, in ms. */
static long
burned_ms(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_CHILDREN, &used) == -1)
		return (0);
	return ((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
	    (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
}

static int
prepare_burned(struct trial *t)
{
	t->burned_ms = burned_ms();
	return (0);
}

static bool
judge_burned(struct trial *t)
{
	return (
	    burned_ms() - t->burned_ms >= strtol(t->attempt->wants, NULL, 10));
}

/* Nobody ended it: naked and ablated it would go on for ever. */
static bool
judge_runs_on(struct trial *t)
{
	return (t->is_late);
}

WITNESS(word, NULL, judge_word, false, "the probe's exit status");
WITNESS(secret, NULL, judge_secret, false, "the secret, in its output");
WITNESS(canary, NULL, judge_canary, false, "a file of the host");
WITNESS(planted, NULL, judge_planted, false, "a directory of the host");
WITNESS(accepted, prepare_accepted, judge_accepted, false,
    "accept() of a host's TCP socket");
WITNESS(abstract, prepare_abstract, judge_accepted, false,
    "accept() of a host's abstract socket");
WITNESS(socket, prepare_socket, judge_accepted, false,
    "accept() of a host's socket in a file system");
WITNESS(victim, prepare_named, judge_named, false,
    "the name of a process of the host, in its output");
WITNESS(stopped, prepare_victim, judge_stopped, false,
    "the state of a process of the host");
WITNESS(marker, NULL, judge_marker, false, "a file that grows after its end");
WITNESS(output, NULL, judge_output, false, "the host's word, in its output");
WITNESS(flood, NULL, judge_flood, false, "bytes that came through");
WITNESS(boottime, NULL, judge_boottime, false,
    "the host's uptime, in its output");
WITNESS(hostname, NULL, judge_hostname, false,
    "the host's name, in its output");
WITNESS(cgroup, NULL, judge_cgroup, false, "our own cgroup, in its output");
WITNESS(shm, prepare_shm, judge_shm, false, "the secret, in its output");
WITNESS(capped, prepare_capped, witness_judge_at_least, true,
    "/proc/PROBE/status");
WITNESS(burned, prepare_burned, judge_burned, false,
    "CPU time, as the kernel adds it up");
WITNESS(runs_on, NULL, judge_runs_on, false, "it was still running");
