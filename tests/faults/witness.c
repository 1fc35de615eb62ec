/*
 * What the kernel says of a process, read from outside of every sandbox: the
 * tracer stopped it right after exec, before its first instruction.  Whether
 * that is enough is decided by comparing it with an undisturbed run.
 */
#include <sys/stat.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

/* The lines of status that confinement decides. */
static const char *const status_keys[] = {"Umask:", "Uid:", "Gid:", "Groups:",
    "SigBlk:", "SigIgn:", "SigPnd:", "ShdPnd:", "CapInh:", "CapPrm:", "CapEff:",
    "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:",
    "Threads:"};

static const char *const namespaces[] = {"user", "pid", "mnt", "net", "ipc",
    "uts", "cgroup"};

static FILE *
open_file(pid_t pid, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return (fopen(path, "re"));
}

static bool
is_wanted_status(const char *line)
{
	for (size_t i = 0; i < sizeof(status_keys) / sizeof(status_keys[0]);
	     i++)
		if (strncmp(line, status_keys[i], strlen(status_keys[i])) == 0)
			return (true);
	return (false);
}

/* Init has a child that may end at any moment: SIGCHLD comes and goes. */
static bool
is_wanted_of_init(const char *line)
{
	return (is_wanted_status(line) && strstr(line, "Pnd:") == NULL);
}

static bool
is_any(const char *line)
{
	(void)line;
	return (true);
}

/* Mount, parent and device numbers differ from run to run. */
static const char *
without_numbers(const char *line)
{
	for (int field = 0; field < 3; field++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return (line);
}

/* A leaf is named by its job, and a job's id is new in each run. */
static const char *
without_id(const char *line)
{
	static const char begin[] = "/agsbx-";
	static char text[512];
	const char *name = strstr(line, begin);

	if (name == NULL)
		return (line);
	(void)snprintf(text, sizeof(text), "%.*sID\n",
	    (int)(name - line) + (int)sizeof(begin) - 1, line);
	return (text);
}

static const char *
whole(const char *line)
{
	return (line);
}

static int
put_file(FILE *out, pid_t pid, const char *name,
    bool (*is_wanted)(const char *), const char *(*cut)(const char *))
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = open_file(pid, name);

	if (f == NULL)
		return (-1);
	while (getline(&line, &size, f) != -1)
		if (is_wanted(line))
			(void)fprintf(out, "%s: %s", name, cut(line));
	free(line);
	return (fclose(f));
}

/* Own or the host's: the number itself is new in each run. */
static int
put_namespaces(FILE *out, pid_t pid)
{
	char path[64];
	struct stat ours, its;

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]);
	     i++) {
		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s",
		    namespaces[i]);
		if (stat(path, &ours) == -1)
			return (-1);
		(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid,
		    namespaces[i]);
		if (stat(path, &its) == -1)
			return (-1);
		(void)fprintf(out, "ns %s: %s\n", namespaces[i],
		    ours.st_ino == its.st_ino ? "the host's" : "own");
	}
	return (0);
}

static int
is_digits(const struct dirent *entry)
{
	return (isdigit((unsigned char)entry->d_name[0]));
}

/* What each descriptor leads to, without its inode number. */
static int
put_descriptors(FILE *out, pid_t pid)
{
	char path[64], target[256];
	struct dirent **names;
	ssize_t len;
	int n;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if ((n = scandir(path, &names, is_digits, alphasort)) == -1)
		return (-1);
	for (int i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", pid,
		    names[i]->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		target[strcspn(target, "[")] = '\0';
		(void)fprintf(out, "fd %s: %s\n", names[i]->d_name, target);
		free(names[i]);
	}
	free(names);
	return (0);
}

/* The strings of a file that separates them by NUL. */
static int
put_strings(FILE *out, pid_t pid, const char *name)
{
	FILE *f = open_file(pid, name);
	int c;

	if (f == NULL)
		return (-1);
	(void)fprintf(out, "%s: ", name);
	while ((c = fgetc(f)) != EOF)
		(void)fputc(c == '\0' ? ' ' : c, out);
	(void)fputc('\n', out);
	return (fclose(f));
}

static int
put_all(FILE *out, pid_t pid)
{
	static const char *const files[] = {"uid_map", "gid_map", "setgroups",
	    "limits", "oom_score_adj"};

	if (put_file(out, pid, "status", is_wanted_status, whole) == -1 ||
	    put_file(out, pid, "mountinfo", is_any, without_numbers) == -1 ||
	    put_file(out, pid, "cgroup", is_any, without_id) == -1 ||
	    put_namespaces(out, pid) == -1 || put_descriptors(out, pid) == -1 ||
	    put_strings(out, pid, "environ") == -1 ||
	    put_strings(out, pid, "cmdline") == -1)
		return (-1);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (put_file(out, pid, files[i], is_any, whole) == -1)
			return (-1);
	return (0);
}

/*
 * Init, which must be as powerless by now.  One that is just being killed has
 * no filesystem context any more, hence no umask: its job dies with it.
 */
static int
put_init(FILE *out, pid_t init)
{
	char path[64], *text = NULL;
	size_t size = 0;
	struct stat st;
	FILE *status = open_memstream(&text, &size);
	int rc;

	if (status == NULL)
		return (-1);
	(void)snprintf(path, sizeof(path), "/proc/%d", init);
	rc = stat(path, &st);
	if (rc == 0)
		rc = put_file(status, init, "status", is_wanted_of_init, whole);
	if (fclose(status) == 0 && rc == 0 && strstr(text, "Umask:") != NULL)
		(void)fprintf(out, WITNESS_INIT "owner %u\n%s", st.st_uid,
		    text);
	else
		(void)fputs(WITNESS_INIT_GONE, out);
	free(text);
	return (0);
}

char *
witness_take(pid_t pid, pid_t init)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (out == NULL)
		return (NULL);
	rc = put_all(out, pid);
	if (rc == 0)
		rc = put_init(out, init);
	if (fclose(out) == EOF)
		rc = -1;
	if (rc == -1) {
		free(text);
		text = NULL;
	}
	return (text);
}
