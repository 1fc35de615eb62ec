/*
 * ledger_dir.c - the state directory: made 0700, refused when others could
 * write in it or when other hosts could share it.  Knows no SQL.  Called
 * before the broker is confined.
 */
#include <sys/stat.h>
#include <sys/vfs.h>

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger_int.h"
#include "statedir.h"

/*
 * WAL needs shared memory and locks that every user of the file sees, and
 * recover takes a free lock for a dead broker.  Neither holds where another
 * host can mount the same files.  9p and FUSE are among them because sshfs,
 * virtiofs and a hypervisor's share cannot be told from a local one.
 */
static const struct {
	uint64_t magic;
	const char *name;
} shared_fs[] = {
    {NFS_SUPER_MAGIC, "NFS"},
    {SMB_SUPER_MAGIC, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {V9FS_MAGIC, "9p"},
    {FUSE_SUPER_MAGIC, "FUSE"},
    {AFS_SUPER_MAGIC, "AFS"},
    {AFS_FS_MAGIC, "AFS"},
    {CODA_SUPER_MAGIC, "Coda"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {OCFS2_SUPER_MAGIC, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x564c, "NCP"},
    {0x786f4256, "vboxsf"},
    {0xbacbacbc, "vmhgfs"},
};

const char *
ledger_fs_is_shared(uint64_t magic)
{
	for (size_t i = 0; i < sizeof(shared_fs) / sizeof(shared_fs[0]); i++)
		if (shared_fs[i].magic == magic)
			return (shared_fs[i].name);
	return (NULL);
}

char *
ledger_uri(const char *path)
{
	char *uri = NULL;
	size_t size;
	FILE *f = open_memstream(&uri, &size);

	if (f == NULL)
		return (NULL);
	(void)fputs("file:", f); /* fclose() tells */
	for (const char *p = path; *p != '\0'; p++)
		(void)fprintf(f, strchr("%?#", *p) != NULL ? "%%%02X" : "%c",
		    (unsigned char)*p);
	(void)fputs("?immutable=1", f);
	if (fclose(f) == 0)
		return (uri);
	free(uri);
	return (NULL);
}

static int
make_dir(const char *dir, struct diag *d)
{
	if (statedir_make_parents(dir, false, d) == -1)
		return (-1);
	if (mkdir(dir, 0700) == -1 && errno != EEXIST)
		return (diag_at(d, DIAG_LEDGER, dir, 0,
		    "cannot make the state directory: %s; use --state-dir",
		    strerror(errno)));
	return (0);
}

static int
judge(const char *path, enum ledger_mode mode, struct diag *d)
{
	struct statfs fs;
	struct stat st;
	const char *shared;

	if (stat(path, &st) == -1 || statfs(path, &fs) == -1)
		return (
		    diag_at(d, DIAG_LEDGER, path, 0, "%s", strerror(errno)));
	if (!S_ISDIR(st.st_mode))
		return (diag_at(d, DIAG_LEDGER, path, 0,
		    "is not a directory; use another --state-dir"));
	/* Who only audits trusts nothing that is there. */
	if (mode == LEDGER_AUDIT)
		return (0);
	if (st.st_uid != geteuid())
		return (diag_at(d, DIAG_LEDGER, path, 0,
		    "belongs to user %u, and this is user %u; use another "
		    "--state-dir",
		    st.st_uid, geteuid()));
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return (diag_at(d, DIAG_LEDGER, path, 0,
		    "others can write in it; chmod go-w it, or use another "
		    "--state-dir"));
	shared = ledger_fs_is_shared((uint64_t)(unsigned long)fs.f_type);
	if (shared != NULL)
		return (diag_at(d, DIAG_LEDGER, path, 0,
		    "is on %s, which other hosts may share; use a --state-dir "
		    "on a local disk",
		    shared));
	return (0);
}

int
ledger_dir_check(const char *dir, enum ledger_mode mode, char path[PATH_MAX],
    struct diag *d)
{
	if (realpath(dir, path) == NULL) {
		if (errno == ENOENT && mode != LEDGER_WRITE)
			return (0);
		if (errno == ENOENT && make_dir(dir, d) == -1)
			return (-1);
		if (realpath(dir, path) == NULL)
			return (diag_at(d, DIAG_LEDGER, dir, 0,
			    "%s; use another --state-dir", strerror(errno)));
	}
	return (judge(path, mode, d) == -1 ? -1 : 1);
}
