/*
 * run.c - runs the catalogue: escapes/run [-v] [-o FILE] [NAME...]
 *
 * NAME is an id, or the beginning of one.  A worker for each attempt, as many
 * at once as there are processors, of drills twice as many; each leaves a line
 * here and an object in the report FILE.
 */
#include <linux/landlock.h>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define WORKER_S 150

static const char *work_dir;

/* What doctor says of this host.  What it cannot hold is waived, by name. */
static void
ask_doctor(void)
{
	char program[1024];
	int out[2];
	json_t *doc, *gap, *gaps;
	size_t i;
	pid_t pid;

	(void)snprintf(program, sizeof(program), "%s/agsbx", setup.build);
	if (pipe2(out, O_CLOEXEC) == -1)
		err(1, "pipe");
	if ((pid = fork()) == 0) {
		(void)dup2(out[1], STDOUT_FILENO);
		(void)execl(program, "agsbx", "doctor", "--json", (char *)NULL);
		_exit(127);
	}
	(void)close(out[1]);
	doc = json_loadfd(out[0], 0, NULL);
	(void)close(out[0]);
	(void)waitpid(pid, NULL, 0);
	if (doc == NULL)
		errx(1, "%s doctor says nothing", program);
	setup.version =
	    strdup(json_string_value(json_object_get(doc, "agsbx_version")));
	setup.landlock_abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
	gaps = json_object_get(doc, "gaps");
	json_array_foreach(gaps, i, gap)
	{
		const char *name =
		    json_string_value(json_object_get(gap, "control"));

		if (name == NULL || strlen(setup.waivers) > 200)
			continue;
		if (i > 0)
			(void)strcat(setup.waivers, ",");
		(void)strcat(setup.waivers, name);
	}
	json_decref(doc);
}

void
print_id(char *to, const char *id)
{
	for (; *id != '\0'; id++)
		*to++ = *id == '_' ? '-' : *id;
	*to = '\0';
}

static void
result_path(char *buf, size_t size, size_t i)
{
	(void)snprintf(buf, size, "%s/%zu.json", work_dir, i);
}

static _Noreturn void
worker(size_t i)
{
	char path[256];
	json_t *result;

	/* What an ablated job leaves behind comes here. */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	(void)alarm(WORKER_S);
	(void)snprintf(setup.work, sizeof(setup.work), "%s/%zu", work_dir, i);
	if (mkdir(setup.work, 0700) == -1)
		_exit(1);
	result = judge_attempt(&attempts[i]);
	result_path(path, sizeof(path), i);
	_exit(result == NULL || json_dump_file(result, path, 0) == -1);
}

static json_t *
collect(size_t i, int status)
{
	char path[256], why[64], id[64];
	json_t *result;
	const char *verdict;

	(void)snprintf(path, sizeof(path), "%s/%zu", work_dir, i);
	remove_tree(path);
	result_path(path, sizeof(path), i);
	result = json_load_file(path, 0, NULL);
	if (result == NULL) {
		(void)snprintf(why, sizeof(why), "its worker ended with %#x",
		    (unsigned int)status);
		result = json_pack("{s:s, s:s, s:s, s:s, s:[], s:[]}", "id",
		    attempts[i].id, "verdict", "failed", "why", why, "tries",
		    attempts[i].tries, "layers", "runs");
	}
	verdict = json_string_value(json_object_get(result, "verdict"));
	print_id(id, attempts[i].id);
	(void)json_object_set_new(result, "id", json_string(id));
	if (strcmp(verdict, "passed") == 0)
		printf("ok %s\n", id);
	else
		printf("%s %s: %s\n",
		    strcmp(verdict, "failed") == 0 ? "FAIL" : "SKIP", id,
		    json_string_value(json_object_get(result, "why")));
	(void)fflush(stdout);
	return (result);
}

static bool
is_asked_for(const struct attempt *a, char **names)
{
	char id[64];

	print_id(id, a->id);
	for (char **n = names; *n != NULL; n++) {
		if (strncmp(a->id, *n, strlen(*n)) == 0 ||
		    strncmp(id, *n, strlen(*n)) == 0)
			return (true);
	}
	return (names[0] == NULL);
}

static void
run_all(json_t **results, char **names)
{
	static pid_t pids[1024];
	long slots = sysconf(_SC_NPROCESSORS_ONLN), busy = 0;
	size_t next = 0;
	int status;
	pid_t pid;

	while (next < attempt_count || busy > 0) {
		/* Drills mostly wait. */
		if (next < attempt_count &&
		    busy < (attempts[next].is_drill ? 2 * slots : slots)) {
			if (is_asked_for(&attempts[next], names)) {
				pids[next] = fork();
				if (pids[next] == 0)
					worker(next);
				busy++;
			}
			next++;
			continue;
		}
		if ((pid = wait(&status)) == -1)
			err(1, "wait");
		for (size_t i = 0; i < attempt_count; i++) {
			if (pids[i] != pid)
				continue;
			/* Its number may come back, as that of an orphan. */
			pids[i] = 0;
			/* A worker that was ended left us what it had. */
			end_children(pids, attempt_count);
			results[i] = collect(i, status);
			busy--;
		}
	}
}

/* The exit status. */
static int
report(const char *path, json_t **results)
{
	struct utsname name;
	json_t *list = json_array(), *doc;
	int failed = 0;

	for (size_t i = 0; i < attempt_count; i++) {
		if (results[i] == NULL)
			continue;
		failed |= strcmp(json_string_value(
				     json_object_get(results[i], "verdict")),
			      "failed") == 0;
		(void)json_array_append_new(list, results[i]);
	}
	failed |= !names_report(list);
	if (uname(&name) == -1)
		err(1, "uname");
	doc = json_pack("{s:s, s:s, s:{s:s, s:s, s:i, s:i, s:s}, s:o}",
	    "schema", "agsbx.escapes/1", "version", setup.version, "host",
	    "kernel", name.release, "machine", name.machine, "landlock_abi",
	    setup.landlock_abi, "uid", (int)getuid(), "waived", setup.waivers,
	    "attempts", list);
	if (path != NULL && json_dump_file(doc, path, JSON_INDENT(1)) == -1)
		errx(1, "cannot write %s", path);
	json_decref(doc);
	return (failed);
}

int
main(int argc, char **argv)
{
	static json_t *results[1024];
	static char dir[] = "/var/tmp/agsbx-escapes.XXXXXX";
	const char *out = NULL, *b = getenv("B");
	int c;

	while ((c = getopt(argc, argv, "vo:")) != -1) {
		if (c == 'v')
			setup.is_verbose = true;
		else if (c == 'o')
			out = optarg;
		else
			return (2);
	}
	setup.build = realpath(b == NULL ? "build" : b, NULL);
	if (setup.build == NULL || attempt_count > 1024 ||
	    (work_dir = mkdtemp(dir)) == NULL)
		err(1, "cannot start");
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	ask_doctor();
	leaf_find();
	run_all(results, argv + optind);
	remove_tree(work_dir);
	return (report(out, results));
}
