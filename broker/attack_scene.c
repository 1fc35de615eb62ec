/*
 * attack_scene.c - what of the host the attempts of doctor --attack are after:
 * a process, two sockets, a descriptor, a variable, the ledger's directory.
 * All of it is the broker's own and ends with it; no file is made.  Called by
 * attack_job.c and attack_judge.c.
 */
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/utsname.h>

#include <netinet/in.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"
#include "io.h"
#include "statedir.h"

#define SECRET_ENV "AGSBX_TOKEN"
/* A job's own processes have lower numbers. */
#define VICTIM_PID_MIN 512
#define UP_MIN_S 300 /* a job's own clock is a few seconds old */
#define LEAKED_FD_MIN 100

static int
open_listener(const void *address, socklen_t len)
{
	sa_family_t family = ((const struct sockaddr *)address)->sa_family;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd != -1 && bind(fd, address, len) == 0 && listen(fd, 8) == 0)
		return (fd);
	io_close(&fd);
	return (-1);
}

/* Where this host has no IPv4, nothing can be connected to either. */
static void
open_tcp(struct attack_scene *sc)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);

	sc->tcp = open_listener(&in, sizeof(in));
	if (sc->tcp != -1 &&
	    getsockname(sc->tcp, (struct sockaddr *)&in, &len) == 0)
		sc->port = ntohs(in.sin_port);
}

static int
open_abstract(struct attack_scene *sc)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	memcpy(&un.sun_path[1], sc->token, strlen(sc->token));
	sc->abstract = open_listener(&un,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		strlen(sc->token)));
	return (sc->abstract == -1 ? -1 : 0);
}

/* Of the account that the job's broker becomes.  Ends with it. */
static _Noreturn void
be_victim(const struct rootdrop *root, pid_t parent)
{
	if (root->is_root &&
	    (setgroups(0, NULL) == -1 ||
		setresgid(root->gid, root->gid, root->gid) == -1 ||
		setresuid(root->uid, root->uid, root->uid) == -1))
		_exit(1);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 || getppid() != parent)
		_exit(1);
	(void)close_range(3, ~0U, 0); /* what it would keep open */
	for (;;)
		(void)pause();
}

static int
start_victim(struct attack_scene *sc, const struct rootdrop *root)
{
	pid_t parent = getpid();

	sc->victim = fork();
	if (sc->victim == 0)
		be_victim(root, parent);
	return (sc->victim == -1 ? -1 : 0);
}

/* The first of our cgroups that is no root. */
static void
read_cgroup(struct attack_scene *sc)
{
	char text[2048], *line, *rest = text;

	if (io_read_file(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) ==
	    -1)
		return;
	while ((line = strsep(&rest, "\n")) != NULL) {
		line = strstr(line, ":/");
		if (line == NULL || line[2] == '\0')
			continue;
		(void)strlcpy(sc->cgroup, line, sizeof(sc->cgroup));
		return;
	}
}

static int
read_host(struct attack_scene *sc, const struct session *s)
{
	struct timespec up;
	struct utsname name;

	if (clock_gettime(CLOCK_BOOTTIME, &up) == -1 || uname(&name) == -1)
		return (-1);
	sc->up_s = up.tv_sec;
	(void)strlcpy(sc->hostname, name.nodename, sizeof(sc->hostname));
	(void)strlcpy(sc->boot_id, s->host.boot_id, sizeof(sc->boot_id));
	read_cgroup(sc);
	return (0);
}

static int
make_secret(struct attack_scene *sc)
{
	uint8_t bytes[8];
	char *p = sc->token;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return (-1);
	p = stpcpy(p, "attack-");
	for (size_t i = 0; i < sizeof(bytes); i++)
		p += snprintf(p, 3, "%02x", bytes[i]);
	if (asprintf(&sc->planted, "%s/%s", sc->state_dir, sc->token) == -1)
		return (-1);
	return (setenv(SECRET_ENV, sc->token, 1));
}

/* Not closed when the launcher is executed, as a careless caller's. */
static int
leak_descriptor(struct attack_scene *sc)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return (-1);
	sc->leaked = fcntl(fd, F_DUPFD, LEAKED_FD_MIN);
	io_close(&fd);
	return (sc->leaked == -1 ? -1 : 0);
}

int
attack_scene_open(struct attack_scene *sc, const struct session *s,
    struct diag *d)
{
	*sc = (struct attack_scene){.tcp = -1, .abstract = -1, .leaked = -1};
	sc->state_dir = statedir_find(s->opts.state_dir, s->root.is_root, d);
	if (sc->state_dir == NULL)
		return (-1);
	open_tcp(sc);
	if (make_secret(sc) == -1 || open_abstract(sc) == -1 ||
	    start_victim(sc, &s->root) == -1 || read_host(sc, s) == -1 ||
	    leak_descriptor(sc) == -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot prepare what is to be attacked: %s",
		    strerror(errno)));
	return (0);
}

/* The broker ends next: what is left in memory ends with it. */
void
attack_scene_close(struct attack_scene *sc)
{
	if (sc->victim > 0)
		(void)kill(sc->victim, SIGKILL);
	io_close(&sc->tcp);
	io_close(&sc->abstract);
	io_close(&sc->leaked);
}

const char *
attack_scene_lacks(const struct attack_scene *sc, enum attack a)
{
	const struct attack_info *info = &attack_infos[a];

	if (info->witness == ATTACK_VICTIM && sc->victim < VICTIM_PID_MIN)
		return ("the process ids of this host are as low as a job's");
	if (info->witness == ATTACK_UPTIME && sc->up_s < UP_MIN_S)
		return ("the host itself is not up for 5 minutes");
	if (info->witness == ATTACK_TCP && sc->tcp == -1)
		return ("no socket can listen on 127.0.0.1 here");
	if (a == ATTACK_ns_cgroup_path && sc->cgroup[0] == '\0')
		return ("agsbx itself is in the root of all cgroups");
	if (a == ATTACK_ns_hostname && strcmp(sc->hostname, "sandbox") == 0)
		return ("the host has the name that every job has");
	return (NULL);
}

static const char *
value_of(const struct attack_scene *sc, char code, char buf[32])
{
	switch (code) {
	case 'd':
		return (sc->state_dir);
	case 'f':
		return (sc->planted);
	case 't':
		return (sc->token);
	case 'h':
		return (sc->hostname);
	case 'b':
		return (sc->boot_id);
	case 'g':
		return (sc->cgroup);
	default:
		(void)snprintf(buf, 32, "%llu",
		    code == 'p'	    ? (unsigned long long)sc->victim :
			code == 'n' ? sc->port :
			code == 'l' ? (unsigned long long)sc->leaked :
				      sc->inode);
		return (buf);
	}
}

char *
attack_scene_expand(const struct attack_scene *sc, const char *word)
{
	char *text = NULL, buf[32];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return (NULL);
	for (; *word != '\0'; word++) {
		if (*word == '%' && word[1] != '\0')
			(void)fputs(value_of(sc, *++word, buf), f);
		else
			(void)fputc(*word, f);
	}
	if (fclose(f) == 0)
		return (text);
	free(text);
	return (NULL);
}
