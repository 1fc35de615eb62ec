/*
 * attempt: tries, in a guest of the host matrix, what a sandbox must refuse.
 * One row a thing; run naked it must get through, or it would prove nothing.
 * What it prints is only evidence where nobody outside can see the outcome:
 * guest.sh looks at the scene itself.  Static, so that it is a job by itself.
 *
 *   attempt NAME [ARG]         one row, "NAME through" or "NAME refused WHY"
 *   attempt each PID1 PID2     every row of the first part, each in a child
 *   attempt watch FILE | wait  the scene's side (scene.c)
 */
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <linux/io_uring.h>
#include <linux/keyctl.h>

#include <netinet/in.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"

#define ROW_SECONDS 10

/* Copies what fd holds to stdout: the scene's secrets give themselves away. */
static bool
show(int fd)
{
	char text[64];
	ssize_t n = fd != -1 ? read(fd, text, sizeof(text)) : -1;

	return (n > 0 && write(STDOUT_FILENO, text, (size_t)n) == n);
}

static bool
read_file(long arg)
{
	(void)arg;
	return (show(open("/srv/secret", O_RDONLY | O_CLOEXEC)));
}

static bool
read_descriptor(long arg)
{
	(void)arg;
	return (show(9));
}

static bool
read_environment(long arg)
{
	(void)arg;
	errno = ENOENT;
	return (getenv("AGSBX_HOSTS_SECRET") != NULL);
}

static bool
connect_tcp(long arg)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
	    .sin_port = htons(SCENE_PORT),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)arg;
	return (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
}

static bool
connect_abstract(long arg)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)arg;
	memcpy(to.sun_path + 1, SCENE_ABSTRACT, strlen(SCENE_ABSTRACT));
	return (connect(fd, (struct sockaddr *)&to,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			strlen(SCENE_ABSTRACT))) == 0);
}

static bool
signal_process(long arg)
{
	return (kill((pid_t)arg, SIGKILL) == 0);
}

/* The tracer's end kills the traced: somebody outside sees it. */
static bool
trace_process(long arg)
{
	return (ptrace(PTRACE_SEIZE, (pid_t)arg, NULL,
		    (void *)PTRACE_O_EXITKILL) == 0);
}

static bool
write_shared_memory(long arg)
{
	int id = shmget(SCENE_SHM_KEY, 0, 0666);
	char *memory = id != -1 ? shmat(id, NULL, 0) : (void *)-1;

	(void)arg;
	if (memory == (void *)-1)
		return (false);
	memory[0] = 1;
	return (true);
}

/* A read-only bind made writable: at once, or as root of a fresh userns. */
static bool
remount(long arg)
{
	const unsigned long flags = MS_REMOUNT | MS_BIND;

	(void)arg;
	if (mount(NULL, "/srv/mine", NULL, flags, NULL) == -1 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0)
		(void)mount(NULL, "/srv/mine", NULL, flags, NULL);
	return (open("/srv/mine/written", O_CREAT | O_WRONLY | O_CLOEXEC,
		    0600) != -1);
}

/* The setuid copy makes a file where only root can. */
static bool
run_setuid(long arg)
{
	(void)arg;
	(void)execl("/srv/shared/setuid", "setuid", "make-file", NULL);
	return (false);
}

static bool
make_file(long arg)
{
	(void)arg;
	return (open("/srv/shared/made", O_CREAT | O_WRONLY | O_CLOEXEC,
		    0600) != -1);
}

static bool
open_device(long arg)
{
	(void)arg;
	return (open("/dev/agsbx-hosts", O_RDWR | O_CLOEXEC) != -1);
}

static bool
read_hostname(long arg)
{
	struct utsname u;

	(void)arg;
	errno = ENOENT;
	return (uname(&u) == 0 && strcmp(u.nodename, "agsbx-hosts") == 0);
}

static bool
read_kernel_file(long arg)
{
	(void)arg;
	return (open("/proc/uptime", O_RDONLY | O_CLOEXEC) != -1);
}

/* A path other than / in some line of /proc/self/cgroup. */
static bool
read_cgroup_path(long arg)
{
	char line[512], *path;
	bool is_seen = false;
	FILE *f = fopen("/proc/self/cgroup", "re");

	(void)arg;
	if (f == NULL)
		return (false);
	while (fgets(line, sizeof(line), f) != NULL)
		if ((path = strrchr(line, ':')) != NULL)
			is_seen = is_seen || strcmp(path, ":/\n") != 0;
	(void)fclose(f); /* only read from */
	errno = ENOENT;
	return (is_seen);
}

/* /proc/self/mem writes past page protection; only Landlock forbids it. */
static bool
write_own_text(long arg)
{
	static const volatile char text[] = "before";
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	(void)arg;
	return (fd != -1 &&
	    pwrite(fd, "after", 5, (off_t)(uintptr_t)text) == 5 &&
	    text[0] == 'a');
}

static bool
enter_userns(long arg)
{
	(void)arg;
	return (unshare(CLONE_NEWUSER) == 0);
}

static bool
add_key(long arg)
{
	(void)arg;
	return (syscall(SYS_add_key, "user", "agsbx-hosts", "x", (size_t)1,
		    KEY_SPEC_PROCESS_KEYRING) != -1);
}

static bool
set_up_uring(long arg)
{
	struct io_uring_params params = {0};

	(void)arg;
	return (syscall(SYS_io_uring_setup, 2U, &params) != -1);
}

enum part {
	EACH,
	ALONE,
	PID1,
	PID2
};

static const struct attempt {
	const char *name;
	bool (*tries)(long arg);
	enum part part; /* of "each"; PID1, PID2: with that argument */
} attempts[] = {
    {"read-file", read_file, EACH},
    {"read-descriptor", read_descriptor, EACH},
    {"read-environment", read_environment, EACH},
    {"connect-tcp", connect_tcp, EACH},
    {"connect-abstract", connect_abstract, EACH},
    {"signal", signal_process, PID1},
    {"trace", trace_process, PID2},
    {"shared-memory", write_shared_memory, EACH},
    {"remount", remount, EACH},
    {"setuid", run_setuid, EACH},
    {"device", open_device, EACH},
    {"hostname", read_hostname, EACH},
    {"kernel-file", read_kernel_file, EACH},
    {"cgroup-path", read_cgroup_path, EACH},
    {"own-text", write_own_text, EACH},
    {"userns", enter_userns, EACH},
    {"key", add_key, EACH},
    {"uring", set_up_uring, EACH},
    {"descriptors", hog_descriptors, EACH},
    {"make-file", make_file, ALONE},
    {"memory", hog_memory, ALONE},
    {"tmpfs", hog_tmpfs, ALONE},
    {"sockets", hog_sockets, ALONE},
    {"processes", hog_processes, ALONE},
    {"output", hog_output, ALONE},
    {"cpu", hog_cpu, ALONE},
    {"wall", hog_wall, ALONE},
};
#define ATTEMPT_COUNT (sizeof(attempts) / sizeof(attempts[0]))

/* 0 also when it was refused: the outcome is the line, and the scene. */
static int
try_one(const struct attempt *a, long arg)
{
	char line[128];
	bool is_through;
	int n;

	errno = 0;
	is_through = a->tries(arg);
	n = snprintf(line, sizeof(line), "%s %s%s\n", a->name,
	    is_through ? "through" : "refused ",
	    is_through ? "" : strerror(errno));
	return (write(STDOUT_FILENO, line, (size_t)n) == n ? 0 : 1);
}

static void
try_in_child(const struct attempt *a, long arg)
{
	pid_t pid = fork();

	if (pid == 0) {
		alarm(ROW_SECONDS);
		_exit(try_one(a, arg));
	}
	if (pid != -1)
		(void)waitpid(pid, NULL, 0); /* what it printed is looked at */
}

static int
try_each(char **argv)
{
	for (size_t i = 0; i < ATTEMPT_COUNT; i++) {
		const struct attempt *a = &attempts[i];

		if (a->part != ALONE)
			try_in_child(a,
			    a->part == EACH ?
				0 :
				strtol(argv[a->part == PID1 ? 2 : 3], NULL,
				    10));
	}
	return (0);
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "watch") == 0)
		return (scene_watch(argv[2]));
	if (argc == 2 && strcmp(argv[1], "wait") == 0)
		return (scene_wait());
	if (getuid() == 0) {
		(void)fprintf(stderr, "attempt: never as root\n");
		return (2);
	}
	if (argc == 4 && strcmp(argv[1], "each") == 0)
		return (try_each(argv));
	for (size_t i = 0; argc >= 2 && i < ATTEMPT_COUNT; i++)
		if (strcmp(argv[1], attempts[i].name) == 0)
			return (try_one(&attempts[i],
			    argc > 2 ? strtol(argv[2], NULL, 10) : 0));
	(void)fprintf(stderr, "usage: attempt NAME [ARG]\n");
	return (2);
}
