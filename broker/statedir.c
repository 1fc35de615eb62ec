/*
 * Where the ledger and the user's own policy file are looked for.  The only
 * reader of HOME and XDG_*; opens nothing.  Called before the privileges of
 * root are dropped and before the broker is confined.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "statedir.h"

#define STATEDIR_PATH_MAX 2048 /* a sane place for a ledger is shorter */

static char *
joined(const char *base, const char *rest, struct diag *d)
{
	char *path = NULL;

	if (asprintf(&path, "%s%s", base, rest) == -1) {
		(void)diag_set(d, DIAG_INTERNAL, "out of memory");
		return (NULL);
	}
	return (path);
}

static char *
made_absolute(const char *path, struct diag *d)
{
	char cwd[STATEDIR_PATH_MAX];

	if (path[0] == '/')
		return (joined(path, "", d));
	errno = 0;
	/* Linux says "(unreachable)/x" for a directory outside the root. */
	if (getcwd(cwd, sizeof(cwd)) == NULL || cwd[0] != '/') {
		(void)diag_set(d, DIAG_LEDGER,
		    "cannot find the working directory: %s",
		    strerror(errno != 0 ? errno : ENOENT));
		return (NULL);
	}
	if (strlcat(cwd, "/", sizeof(cwd)) >= sizeof(cwd)) {
		(void)diag_set(d, DIAG_LEDGER, "path too long: %s", path);
		return (NULL);
	}
	return (joined(cwd, path, d));
}

/* The value of an XDG variable or HOME; relative and empty ones are ignored,
 * as the XDG specification says. */
static const char *
absolute_env(const char *name)
{
	const char *value = getenv(name);

	return (value != NULL && value[0] == '/' ? value : NULL);
}

char *
statedir_find(const char *flag, bool is_root, struct diag *d)
{
	const char *given = flag != NULL ? flag : getenv("AGSBX_STATE_DIR");
	const char *base;

	if (flag != NULL && flag[0] == '\0') {
		(void)diag_set(d, DIAG_USAGE, "--state-dir needs a directory");
		return (NULL);
	}
	if (given != NULL && given[0] != '\0')
		return (made_absolute(given, d));
	if (is_root)
		return (joined(STATEDIR_ROOT, "", d));
	if ((base = absolute_env("XDG_STATE_HOME")) != NULL)
		return (joined(base, "/agsbx", d));
	if ((base = absolute_env("HOME")) != NULL)
		return (joined(base, "/.local/state/agsbx", d));
	(void)diag_set(d, DIAG_LEDGER,
	    "no place for the ledger: HOME is not set; use --state-dir DIR");
	return (NULL);
}

static int
make_parents(const char *dir, mode_t mode, struct diag *d)
{
	char path[STATEDIR_PATH_MAX];

	if (strlcpy(path, dir, sizeof(path)) >= sizeof(path))
		return (diag_set(d, DIAG_LEDGER, "path too long: %s", dir));
	for (char *p = strchr(path + 1, '/'); p != NULL;
	     p = strchr(p + 1, '/')) {
		if (p[1] == '\0')
			break;
		*p = '\0';
		/* EROFS and EACCES come before EEXIST on some filesystems. */
		if (mkdir(path, mode) == -1 && errno != EEXIST &&
		    access(path, F_OK) == -1)
			return (diag_set(d, DIAG_LEDGER,
			    "cannot make %s for the ledger: %s", path,
			    strerror(errno)));
		*p = '/';
	}
	return (0);
}

int
statedir_make_parents(const char *dir, bool is_root, struct diag *d)
{
	/* Root's are passed through by the account that it becomes, whatever
	 * root's umask is. */
	const mode_t mode = is_root ? 0711 : 0700;
	const mode_t umask_before = umask(066);
	int rc = make_parents(dir, mode, d);

	(void)umask(umask_before);
	return (rc);
}

char *
statedir_policy_file(struct diag *d)
{
	const char *base;

	if ((base = absolute_env("XDG_CONFIG_HOME")) != NULL)
		return (joined(base, "/agsbx/policy.conf", d));
	if ((base = absolute_env("HOME")) != NULL)
		return (joined(base, "/.config/agsbx/policy.conf", d));
	return (NULL);
}
