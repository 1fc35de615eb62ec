/*
 * What of the host a run could leave changed beyond its own directories: the
 * mounts that we see and the cgroups that are ours.  Called by both mains,
 * before the first run and after the last.
 */
#include <sys/stat.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trial.h"

#define CGROUPS "/sys/fs/cgroup"

/* nftw(3) hands nothing on. */
static FILE *walk_out;

static int
put_cgroup(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_D && st->st_uid == geteuid())
		(void)fprintf(walk_out, "%s\n", path);
	return (0);
}

/* Those that a job could have made: in our directories, or for our uid. */
static int
put_mounts(FILE *out)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char *line = NULL, owner[32];
	size_t size = 0;

	if (f == NULL)
		return (-1);
	(void)snprintf(owner, sizeof(owner), "uid=%u", geteuid());
	while (getline(&line, &size, f) != -1)
		if (strstr(line, owner) != NULL ||
		    strstr(line, "agsbx") != NULL)
			(void)fputs(line, out);
	free(line);
	return (fclose(f));
}

char *
snapshot_take(void)
{
	char *text = NULL;
	size_t size = 0;
	int rc;

	if ((walk_out = open_memstream(&text, &size)) == NULL)
		return (NULL);
	rc = put_mounts(walk_out);
	/* Root's are the host's own, which change without us. */
	if (rc == 0 && geteuid() != 0 && access(CGROUPS, F_OK) == 0)
		rc = nftw(CGROUPS, put_cgroup, 16, FTW_PHYS);
	if (fclose(walk_out) == EOF)
		rc = -1;
	if (rc != -1)
		return (text);
	free(text);
	return (NULL);
}

bool
snapshot_is_same(char *before, const char *name)
{
	char *after = snapshot_take();
	bool is_same =
	    before != NULL && after != NULL && strcmp(before, after) == 0;

	(void)printf("%s %s: mounts and cgroups are as before\n",
	    is_same ? "ok" : "FAIL", name);
	free(before);
	free(after);
	return (is_same);
}
