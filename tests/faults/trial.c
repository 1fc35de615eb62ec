/*
 * Makes one run of agsbx in fresh directories, then recovers twice, reads the
 * rows back and looks at what was left.  Called by calls_main.c and
 * kills_main.c.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trial.h"

enum {
	PATH_SIZE = 512,
	ENV_COUNT = 5
};

static const char *const subdirs[] = {"state", "home", "tmp"};

/*
 * What agsbx may leave: its ledger, and the locks beside it.  A journal is
 * SQLite's own to keep: of a broker that died before it had written to the
 * ledger there is nothing to roll back, and the next writer takes the file.
 */
static const char *const state_files[] = {"agsbx.db", "agsbx.db-wal",
    "agsbx.db-shm", "agsbx.db-journal", "agsbx.lock"};

struct place {
	char dir[PATH_SIZE];
	char env[ENV_COUNT][PATH_SIZE + 64];
	char *envp[ENV_COUNT + 1];
};

static int
place_make(struct place *p)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_SIZE + 16];
	static const char *const names[] = {"AGSBX_STATE_DIR", "HOME",
	    "TMPDIR"};

	(void)snprintf(p->dir, sizeof(p->dir), "%s/agsbx-fault.XXXXXX",
	    tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(p->dir) == NULL)
		return (-1);
	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", p->dir, subdirs[i]);
		if (mkdir(path, 0700) == -1)
			return (-1);
		(void)snprintf(p->env[i], sizeof(p->env[i]), "%s=%s", names[i],
		    path);
	}
	(void)snprintf(p->env[3], sizeof(p->env[3]), "PATH=/usr/bin:/bin");
	(void)snprintf(p->env[4], sizeof(p->env[4]), "LANG=C.UTF-8");
	for (size_t i = 0; i < ENV_COUNT; i++)
		p->envp[i] = p->env[i];
	p->envp[ENV_COUNT] = NULL;
	return (0);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return (remove(path));
}

static int
place_remove(const struct place *p)
{
	return (nftw(p->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS));
}

/* All that was written to a memory file, malloced; closes it. */
static char *
take_text(int fd)
{
	struct stat st;
	char *text = NULL;

	if (fstat(fd, &st) == 0 &&
	    (text = malloc((size_t)st.st_size + 1)) != NULL) {
		ssize_t n = pread(fd, text, (size_t)st.st_size, 0);

		text[n < 0 ? 0 : n] = '\0';
	}
	(void)close(fd);
	return (text);
}

/* agsbx COMMAND --json on its own: the document, or NULL. */
static json_t *
ask(const char *agsbx, const char *command, const struct place *p)
{
	int out = memfd_create("out", MFD_CLOEXEC), status = -1;
	char *text;
	json_t *doc;
	pid_t pid;

	if (out == -1)
		return (NULL);
	if ((pid = fork()) == 0) {
		if (dup2(out, STDOUT_FILENO) == -1)
			_exit(126);
		(void)execle(agsbx, agsbx, command, "--json", (char *)NULL,
		    p->envp);
		_exit(126);
	}
	while (pid != -1 && waitpid(pid, &status, 0) == -1 && errno == EINTR)
		continue;
	if ((text = take_text(out)) == NULL)
		return (NULL);
	doc = WIFEXITED(status) && WEXITSTATUS(status) == 0 ?
	    json_loads(text, 0, NULL) :
	    NULL;
	free(text);
	return (doc);
}

static bool
is_allowed(const char *name, bool is_state)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return (true);
	for (size_t i = 0;
	     is_state && i < sizeof(state_files) / sizeof(state_files[0]); i++)
		if (strcmp(name, state_files[i]) == 0)
			return (true);
	return (false);
}

/* The first name that must not be there, with its directory's; malloced. */
static char *
find_leftover(const struct place *p)
{
	const struct dirent *entry;
	char path[PATH_SIZE + 16];
	char *found = NULL;
	DIR *dir;

	for (size_t i = 0; i < 3 && found == NULL; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", p->dir, subdirs[i]);
		if ((dir = opendir(path)) == NULL)
			return (strdup(path));
		while (found == NULL && (entry = readdir(dir)) != NULL)
			if (!is_allowed(entry->d_name, i == 0) &&
			    asprintf(&found, "%s/%s", subdirs[i],
				entry->d_name) == -1)
				found = NULL;
		(void)closedir(dir);
	}
	return (found);
}

static int
keep_first(void *arg, int count, char **values, char **names)
{
	char *kept = arg;

	(void)names;
	if (kept[0] == '\0' && count > 0 && values[0] != NULL)
		(void)snprintf(kept, 64, "%s", values[0]);
	return (0);
}

/* SQLite's own judgement of the file; a ledger that is not there is fine. */
static bool
is_intact(const struct place *p)
{
	char path[PATH_SIZE + 32], answer[64] = "";
	sqlite3 *db = NULL;
	int rc;

	(void)snprintf(path, sizeof(path), "%s/state/agsbx.db", p->dir);
	if (access(path, F_OK) == -1)
		return (errno == ENOENT);
	rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "PRAGMA integrity_check", keep_first,
		    answer, NULL);
	(void)sqlite3_close(db);
	return (rc == SQLITE_OK && strcmp(answer, "ok") == 0);
}

static int
run_in(struct trial *t, const struct place *p)
{
	const struct trace_options o = {.argv = t->argv,
	    .envp = p->envp,
	    .out_fd = memfd_create("out", MFD_CLOEXEC),
	    .err_fd = memfd_create("err", MFD_CLOEXEC),
	    .injection = t->injection,
	    .is_recorded = t->is_recorded};
	char *text;
	int rc;

	if (o.out_fd == -1 || o.err_fd == -1)
		return (-1);
	rc = trace_run(&o, &t->run);
	text = take_text(o.out_fd);
	t->words = take_text(o.err_fd);
	if (rc == -1 || text == NULL || t->words == NULL) {
		free(text);
		return (-1);
	}
	t->document = json_loads(text, 0, NULL);
	free(text);
	return (0);
}

int
trial_run(struct trial *t)
{
	struct place p = {.dir = ""};
	char *leftover;

	if (place_make(&p) == -1)
		return (-1);
	if (run_in(t, &p) == -1) {
		(void)place_remove(&p);
		return (-1);
	}
	/* A second look is for what may have left an orphan. */
	for (int i = 0; i < (t->injection.deed >= DEED_KILL ? 2 : 1); i++)
		t->recovered[i] = ask(t->argv[0], "recover", &p);
	t->rows = ask(t->argv[0], "jobs", &p);
	leftover = is_intact(&p) ? find_leftover(&p) :
				   strdup("a ledger that is not intact");
	judge(t, leftover);
	free(leftover);
	return (place_remove(&p));
}

void
trial_free(struct trial *t)
{
	trace_free(&t->run);
	json_decref(t->document);
	json_decref(t->rows);
	json_decref(t->recovered[0]);
	json_decref(t->recovered[1]);
	free(t->words);
}

/* A run that nothing disturbs; -1 when it is not right, which is said. */
static int
run_undisturbed(struct trial *t)
{
	errno = 0;
	if (trial_run(t) == 0 && t->ending == ENDING_HARMLESS)
		return (0);
	if (errno == EPERM)
		(void)printf("SKIP faults: ptrace(2) is not permitted here\n");
	else
		(void)printf("FAIL an undisturbed run: %s %s\n", t->why,
		    t->words != NULL ? t->words : strerror(errno));
	trial_free(t);
	return (-1);
}

int
healthy_take(char *const *argv, struct healthy *h, struct call **calls,
    size_t *count)
{
	struct trial t = {.argv = argv};

	*h = (struct healthy){.witness = NULL};
	if (run_undisturbed(&t) == -1)
		return (-1);
	memcpy(h->life_us, t.run.life_us, sizeof(h->life_us));
	trial_free(&t);
	t = (struct trial){.argv = argv, .is_recorded = true};
	if (run_undisturbed(&t) == -1)
		return (-1);
	h->witness = t.run.witness;
	h->confinement =
	    json_incref(json_object_get(t.document, "confinement"));
	h->output = json_incref(json_object_get(t.document, "stdout"));
	*calls = t.run.calls;
	*count = t.run.call_count;
	t.run.witness = NULL;
	t.run.calls = NULL;
	trial_free(&t);
	return (0);
}

void
healthy_free(struct healthy *h)
{
	free(h->witness);
	json_decref(h->confinement);
	json_decref(h->output);
}
