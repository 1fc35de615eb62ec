/*
 * The prologue for root: chooses an account, hands over the state directory,
 * drops every id and capability for good and proves it.  Called by session.c
 * after everything that only root can open was opened, and before the ledger.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "rootdrop.h"
#include "statedir.h"

#define ROOTDROP_PATH_MAX 2048 /* as statedir.c */

static const char *const accounts[] = {"agsbx", "nobody"};

bool
uid_map_is_single(const char *text)
{
	unsigned long long inside, outside, count;
	int used = 0;

	if (sscanf(text, "%llu %llu %llu%n", &inside, &outside, &count,
		&used) != 3)
		return (false);
	return (count == 1 && strchr(text + used, '\n') != NULL &&
	    strchr(text + used, '\n')[1] == '\0');
}

static int
choose_account(struct rootdrop *r, struct diag *d)
{
	const struct passwd *pw;

	for (size_t i = 0; i < sizeof(accounts) / sizeof(accounts[0]); i++) {
		pw = getpwnam(accounts[i]);
		if (pw == NULL || pw->pw_uid == 0 || pw->pw_gid == 0)
			continue;
		r->uid = pw->pw_uid;
		r->gid = pw->pw_gid;
		(void)strlcpy(r->name, accounts[i], sizeof(r->name)); /* fits */
		return (0);
	}
	return (diag_set(d, DIAG_INTERNAL,
	    "started as root, and there is no account agsbx or nobody to "
	    "become"));
}

int
rootdrop_plan(struct rootdrop *r, struct diag *d)
{
	char map[1024];

	*r = (struct rootdrop){0};
	if (getuid() != 0 && geteuid() != 0)
		return (0);
	if (io_read_file(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) ==
	    -1)
		return (diag_set(d, DIAG_INTERNAL,
		    "cannot read /proc/self/uid_map: %s", strerror(errno)));
	if (uid_map_is_single(map)) {
		r->is_lonely = true;
		return (0);
	}
	r->is_root = true;
	return (choose_account(r, d));
}

static int
judge_dir(const struct rootdrop *r, const char *dir, const struct stat *st,
    bool is_new, struct diag *d)
{
	bool is_takeable = st->st_uid == 0 && (st->st_mode & 077) == 0 &&
	    (is_new || strcmp(dir, STATEDIR_ROOT) == 0);

	if (!S_ISDIR(st->st_mode))
		return (diag_at(d, DIAG_LEDGER, dir, 0, "is not a directory"));
	if (st->st_uid == r->uid || is_takeable)
		return (0);
	return (diag_at(d, DIAG_LEDGER, dir, 0,
	    "does not belong to %s, as whom agsbx runs when root starts it; "
	    "use another --state-dir, or chown it",
	    r->name));
}

/* Afterwards the account has to come there by the path, too. */
static int
judge_way(const struct rootdrop *r, const char *way, const char *dir,
    struct diag *d)
{
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	int rc, err;

	if (setegid(r->gid) == -1 || seteuid(r->uid) == -1)
		return (diag_set(d, DIAG_INTERNAL, "cannot be %s: %s", r->name,
		    strerror(errno)));
	rc = faccessat(AT_FDCWD, way, X_OK, AT_EACCESS);
	err = errno;
	if (seteuid(uid) == -1 || setegid(gid) == -1)
		return (diag_set(d, DIAG_INTERNAL, "cannot be root again: %s",
		    strerror(errno)));
	/* What else is wrong, its opening tells. */
	if (rc == 0 || err != EACCES)
		return (0);
	return (diag_at(d, DIAG_LEDGER, dir, 0,
	    "cannot be reached by %s, as whom agsbx runs when root starts it: "
	    "%s; use another --state-dir",
	    r->name, strerror(err)));
}

/* The directory that dir is in, and its name there; -1 with d. */
static int
open_parent(const struct rootdrop *r, const char *dir, char *name, size_t size,
    struct diag *d)
{
	char path[ROOTDROP_PATH_MAX];
	char *slash;
	int fd;

	if (strlcpy(path, dir, sizeof(path)) >= sizeof(path))
		return (diag_set(d, DIAG_LEDGER, "path too long: %s", dir));
	for (size_t len = strlen(path); len > 1 && path[len - 1] == '/';)
		path[--len] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL || slash[1] == '\0' ||
	    strlcpy(name, slash + 1, size) >= size)
		return (diag_set(d, DIAG_LEDGER,
		    "%s cannot be a state directory", dir));
	slash[slash == path ? 1 : 0] = '\0';
	if (judge_way(r, path, dir, d) == -1)
		return (-1);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return (diag_set(d, DIAG_LEDGER, "cannot make %s: %s", dir,
		    strerror(errno)));
	return (fd);
}

/* Whoever can move the directories above it must not choose what is given
 * away: it is made, opened, judged and given beneath one descriptor. */
static int
give(const struct rootdrop *r, const char *dir, int parent, const char *name,
    struct diag *d)
{
	bool is_new = mkdirat(parent, name, 0700) == 0;
	struct stat st;
	int fd, rc = -1;

	if (!is_new && errno != EEXIST)
		return (diag_set(d, DIAG_LEDGER, "cannot make %s: %s", dir,
		    strerror(errno)));
	fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1 || fstat(fd, &st) == -1)
		(void)diag_set(d, DIAG_LEDGER, "cannot open %s: %s", dir,
		    strerror(errno));
	else if (judge_dir(r, dir, &st, is_new, d) == 0)
		rc = fchown(fd, r->uid, r->gid) == 0 ?
		    0 :
		    diag_set(d, DIAG_LEDGER, "cannot give %s to %s: %s", dir,
			r->name, strerror(errno));
	io_close(&fd);
	return (rc);
}

int
rootdrop_give_dir(const struct rootdrop *r, const char *dir, struct diag *d)
{
	char name[NAME_MAX + 1];
	int parent, rc;

	if (!r->is_root)
		return (0);
	parent = open_parent(r, dir, name, sizeof(name), d);
	if (parent == -1)
		return (-1);
	rc = give(r, dir, parent, name, d);
	io_close(&parent);
	return (rc);
}

/* Every id is the account's, no group and no capability is left, and root
 * cannot be had again. */
static bool
is_dropped(const struct rootdrop *r)
{
	uid_t ruid, euid, suid;
	gid_t rgid, egid, sgid;
	uint64_t permitted, effective;
	char status[3072];

	if (getresuid(&ruid, &euid, &suid) == -1 ||
	    getresgid(&rgid, &egid, &sgid) == -1)
		return (false);
	if (ruid != r->uid || euid != r->uid || suid != r->uid ||
	    rgid != r->gid || egid != r->gid || sgid != r->gid)
		return (false);
	if (getgroups(0, NULL) != 0 || setuid(0) != -1 || setgid(0) != -1)
		return (false);
	if (io_read_file(AT_FDCWD, "/proc/self/status", status,
		sizeof(status)) == -1 ||
	    io_field_u64(status, "CapPrm", 16, &permitted) == -1 ||
	    io_field_u64(status, "CapEff", 16, &effective) == -1)
		return (false);
	return (permitted == 0 && effective == 0);
}

int
rootdrop_drop(const struct rootdrop *r, struct diag *d)
{
	if (r->is_lonely)
		/* stderr may be gone; that is no reason to stop. */
		(void)fprintf(stderr,
		    "agsbx: started as root of a user namespace that maps "
		    "one id: there is nobody else to become\n");
	if (!r->is_root)
		return (0);
	if (setgroups(0, NULL) == -1 ||
	    setresgid(r->gid, r->gid, r->gid) == -1 ||
	    setresuid(r->uid, r->uid, r->uid) == -1)
		return (diag_set(d, DIAG_INTERNAL, "cannot become %s: %s",
		    r->name, strerror(errno)));
	if (!is_dropped(r))
		return (diag_set(d, DIAG_INTERNAL,
		    "became %s, but something of root is left", r->name));
	(void)fprintf(stderr,
	    "agsbx: started as root: running as %s; %s's other processes "
	    "can touch the ledger\n",
	    r->name, r->name);
	return (0);
}
