/*
 * attack_network.c - probes of the group network: see network.def.
 */
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

static int
connect_to(const void *address, socklen_t len)
{
	sa_family_t family = ((const struct sockaddr *)address)->sa_family;
	int rc, fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd == -1)
		return (errno);
	rc = errno_of(connect(fd, address, len));
	(void)close(fd);
	return (rc);
}

int
attempt_nw_loopback(char *const *args)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)strtoul(args[0], NULL, 10)),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return (connect_to(&in, sizeof(in)));
}

/* Bytes that nobody reads, in three connections to itself. */
int
attempt_tn_tcp_memory(char *const *args)
{
	static const char chunk[64 * 1024];
	struct sockaddr_in in = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	int from, heard = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)args;
	if (heard == -1 ||
	    bind(heard, (const struct sockaddr *)&in, len) == -1 ||
	    listen(heard, 3) == -1 ||
	    getsockname(heard, (struct sockaddr *)&in, &len) == -1)
		return (errno);
	for (int i = 0; i < 3; i++) {
		from = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (from == -1 ||
		    connect(from, (const struct sockaddr *)&in, len) == -1 ||
		    accept4(heard, NULL, NULL, SOCK_CLOEXEC) == -1)
			return (errno);
		for (int j = 0; j < 256; j++)
			if (send(from, chunk, sizeof(chunk), MSG_DONTWAIT) ==
			    -1)
				break;
	}
	return (hold());
}

int
attempt_nw_abstract(char *const *args)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	(void)strncpy(&un.sun_path[1], args[0], sizeof(un.sun_path) - 2);
	return (connect_to(&un,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		strlen(args[0]))));
}

int
attempt_nw_sysv(char *const *args)
{
	int id = shmget((key_t)strtoul(args[0], NULL, 10), 0, 0);
	const char *at = id == -1 ? (void *)-1 : shmat(id, NULL, SHM_RDONLY);

	if (at == (void *)-1)
		return (errno);
	return (write(STDOUT_FILENO, at, strlen(at)) == -1 ? errno : 0);
}

int
attempt_nw_path_socket(char *const *args)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	(void)strncpy(un.sun_path, args[0], sizeof(un.sun_path) - 1);
	return (connect_to(&un, sizeof(un)));
}

int
attempt_nw_mqueue(char *const *args)
{
	mqd_t queue = mq_open(args[0], O_RDONLY | O_NONBLOCK);
	char text[128];
	ssize_t n;

	if (queue == -1)
		return (errno);
	n = mq_receive(queue, text, sizeof(text), NULL);
	if (n == -1)
		return (errno);
	return (write(STDOUT_FILENO, text, (size_t)n) == -1 ? errno : 0);
}

int
attempt_nw_links(char *const *args)
{
	struct if_nameindex *list = if_nameindex();

	(void)args;
	if (list == NULL)
		return (errno);
	for (struct if_nameindex *i = list; i->if_index != 0; i++)
		(void)dprintf(STDOUT_FILENO, "interface %s\n", i->if_name);
	if_freenameindex(list);
	return (0);
}
