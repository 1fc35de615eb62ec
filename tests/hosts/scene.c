/*
 * scene.c - what the attempts aim at, outside of the sandbox: a listener on
 * the host's loopback and on an abstract name, a piece of shared memory, and
 * processes of the same user.  Started by guest.sh; tells only what it saw.
 */
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <netinet/in.h>

#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"

#define LOOK_MS 100

static int
listen_tcp(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons(SCENE_PORT),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == -1 ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)) == -1 ||
	    listen(fd, 8) == -1)
		return (-1);
	return (fd);
}

static int
listen_abstract(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path + 1, SCENE_ABSTRACT, strlen(SCENE_ABSTRACT));
	if (bind(fd, (struct sockaddr *)&at,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		    strlen(SCENE_ABSTRACT))) == -1 ||
	    listen(fd, 8) == -1)
		return (-1);
	return (fd);
}

/* One byte, 0 until somebody writes it; readable and writable by everyone. */
static volatile char *
share_memory(void)
{
	int id = shmget(SCENE_SHM_KEY, 4096, IPC_CREAT | 0666);
	char *memory = id != -1 ? shmat(id, NULL, 0) : (void *)-1;

	if (memory == (void *)-1)
		return (NULL);
	memory[0] = 0;
	return (memory);
}

static void
look(struct pollfd *fds, const char *const *words, volatile char *memory,
    int out)
{
	for (int i = 0; i < 2; i++)
		if ((fds[i].revents & POLLIN) != 0) {
			int fd = accept4(fds[i].fd, NULL, NULL, SOCK_CLOEXEC);

			(void)dprintf(out, "%s through\n", words[i]);
			if (fd != -1)
				(void)close(fd);
		}
	if (memory[0] != 0)
		(void)dprintf(out, "shared-memory through\n");
	memory[0] = 0;
}

int
scene_watch(const char *path)
{
	static const char *const words[] = {"connect-tcp", "connect-abstract"};
	struct pollfd fds[] = {{.fd = listen_tcp(), .events = POLLIN},
	    {.fd = listen_abstract(), .events = POLLIN}};
	volatile char *memory = share_memory();
	int out = open(path,
	    O_CREAT | O_TRUNC | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);

	if (fds[0].fd == -1 || fds[1].fd == -1 || memory == NULL || out == -1) {
		perror("attempt: the scene");
		return (1);
	}
	(void)dprintf(out, "scene ready\n");
	while (poll(fds, 2, LOOK_MS) != -1)
		look(fds, words, memory, out);
	return (1);
}

int
scene_wait(void)
{
	for (;;)
		(void)pause();
}
