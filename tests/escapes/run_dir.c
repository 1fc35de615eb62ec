/*
 * run_dir.c - what stands around a trial: its directory, beside everything
 * that a job is shown, its secret, its terminal.  All of it is removed.
 */
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

int
write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	ssize_t n = -1;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd != -1) {
		n = write(fd, text, strlen(text));
		(void)close(fd);
	}
	return (n == -1 ? -1 : 0);
}

long
read_file(const char *dir, const char *name, char *buf, size_t size)
{
	char path[256];
	ssize_t n = -1;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	buf[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd != -1) {
		n = read(fd, buf, size - 1);
		(void)close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
	return (n);
}

static int
make_dirs(const struct trial *t)
{
	static const char *const names[] = {"home", "home/.ssh",
	    "home/Documents", "shown", "state", "tools"};
	char path[256], text[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", t->dir, names[i]);
		if (mkdir(path, 0700) == -1)
			return (-1);
	}
	(void)snprintf(text, sizeof(text), "%s\n", t->token);
	if (write_file(t->dir, "secret", text) == -1 ||
	    write_file(t->dir, "home/.ssh/id_ed25519", text) == -1 ||
	    write_file(t->dir, "home/Documents/letter", text) == -1)
		return (-1);
	return (write_file(t->dir, "shown/canary", "intact\n"));
}

int
trial_prepare(struct trial *t, char *tty, size_t size)
{
	uint8_t random[12];
	char *p = t->token;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return (-1);
	p = stpcpy(p, "secret-");
	for (size_t i = 0; i < sizeof(random); i++)
		p += sprintf(p, "%02x", random[i]);
	(void)snprintf(t->comm, sizeof(t->comm), "atk-%.8s", t->token + 7);
	/* Not in /tmp: the job has one of its own. */
	(void)snprintf(t->dir, sizeof(t->dir), "%s/t.XXXXXX", setup.work);
	if (mkdtemp(t->dir) == NULL || make_dirs(t) == -1)
		return (-1);
	tty[0] = '\0';
	if (t->attempt->has_tty) {
		t->tty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (t->tty == -1 || grantpt(t->tty) == -1 ||
		    unlockpt(t->tty) == -1 || ptsname_r(t->tty, tty, size) != 0)
			return (-1);
	}
	if (t->attempt->has_leaf && t->is_naked && leaf_make(t, t->comm) == -1)
		return (-1);
	return (t->attempt->witness->prepare == NULL ?
		0 :
		t->attempt->witness->prepare(t));
}

int
become_root(const struct trial *t)
{
	char shown[128], uids[64], gids[64];

	(void)snprintf(shown, sizeof(shown), "%s/shown", t->dir);
	(void)snprintf(uids, sizeof(uids), "0 %u 1", geteuid());
	(void)snprintf(gids, sizeof(gids), "0 %u 1", getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET |
		CLONE_NEWUTS) == -1 ||
	    write_file("/proc/self", "setgroups", "deny") == -1 ||
	    write_file("/proc/self", "uid_map", uids) == -1 ||
	    write_file("/proc/self", "gid_map", gids) == -1 ||
	    mount(shown, shown, NULL, MS_BIND, NULL) == -1 ||
	    mount("tmpfs", "/etc", "tmpfs", 0, NULL) == -1 ||
	    mount("tmpfs", "/dev", "tmpfs", 0, NULL) == -1)
		return (-1);
	return (
	    mount(NULL, shown, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
}

int
copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	ssize_t n = -1;

	if (in != -1 && out != -1) {
		while ((n = sendfile(out, in, NULL, 1U << 20)) > 0)
			continue;
	}
	(void)close(in);
	(void)close(out);
	return (n == 0 ? 0 : -1);
}

pid_t
find_comm(const char *comm)
{
	char buf[32];
	struct dirent *e;
	pid_t pid, found = 0;
	DIR *proc = opendir("/proc");

	while (proc != NULL && (e = readdir(proc)) != NULL) {
		char dir[300];

		if ((pid = (pid_t)strtol(e->d_name, NULL, 10)) <= 0)
			continue;
		(void)snprintf(dir, sizeof(dir), "/proc/%s", e->d_name);
		if (read_file(dir, "comm", buf, sizeof(buf)) > 0 &&
		    strncmp(buf, comm, strlen(comm)) == 0 &&
		    (found == 0 || pid < found))
			found = pid;
	}
	if (proc != NULL)
		(void)closedir(proc);
	return (found);
}

void
trial_end(struct trial *t)
{
	char made[64];

	end_children(NULL, 0);
	if (t->listener != -1)
		(void)close(t->listener);
	if (t->tty != -1)
		(void)close(t->tty);
	if (t->attempt->has_leaf) {
		leaf_remove(t->comm);
		leaf_remove(t->token);
	}
	if (t->dir[0] != '\0') {
		remove_tree(t->dir);
		/* It has a token then: what a naked probe made in /tmp. */
		(void)snprintf(made, sizeof(made), "/tmp/agsbx-%s", t->token);
		remove_tree(made);
		(void)snprintf(made, sizeof(made), "/tmp/%s", t->token);
		remove_tree(made);
	}
	json_decref(t->doc);
	t->doc = NULL;
}
