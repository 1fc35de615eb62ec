/*
 * view_build.c - the tree of the job's root: /usr as it is, the links beside
 * it, an /etc of our own making with the harmless parts of the host's
 * (views.def), then the binds of the policy.
 *
 * Looks at the host once, in policy_finish(); the entries hold what was seen
 * (device and inode), and the launcher refuses what has changed since.
 */
#include <sys/stat.h>

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy_int.h"

#define RESOLV_MAX 3072U

static const char *const view_patterns[] = {
#define VIEW(pattern, why) pattern,
#include "views.def"
#undef VIEW
};

/* Links into /usr on merged hosts, directories on others. */
static const char *const top_dirs[] = {"/bin", "/sbin", "/lib", "/lib32",
    "/lib64", "/libx32"};

static const struct {
	const char *path;
	const char *text;
} made_files[] = {
    {"/etc/passwd",
	"root:x:0:0:root:/root:/usr/sbin/nologin\n"
	"sandbox:x:1000:1000:sandbox:/work:/bin/sh\n"
	"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    {"/etc/group", "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n"},
    {"/etc/hosts",
	"127.0.0.1\tlocalhost " PLAN_HOSTNAME "\n"
	"::1\tlocalhost " PLAN_HOSTNAME " ip6-localhost ip6-loopback\n"},
    {"/etc/hostname", PLAN_HOSTNAME "\n"},
    {"/etc/host.conf", "multi on\n"},
};
/* Names come from files alone, and from DNS where there is a network. */
#define NSSWITCH_FILES \
	"passwd: files\ngroup: files\nshadow: files\nnetworks: files\n" \
	"protocols: files\nservices: files\nhosts: files"
static const char nsswitch_none[] = NSSWITCH_FILES "\n";
static const char nsswitch_host[] = NSSWITCH_FILES " dns\n";

_Static_assert(PLAN_JOB_ID == 1000U, "passwd and group say so as well");

static int
show_all(struct policy_view *v, const char *pattern, struct diag *d)
{
	glob_t g = {0};
	size_t i;
	int rc = glob(pattern, GLOB_NOSORT, NULL, &g);

	if (rc == GLOB_NOSPACE) {
		globfree(&g);
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	}
	rc = 0;
	for (i = 0; i < g.gl_pathc && rc == 0; i++)
		rc = view_show(v, g.gl_pathv[i], d);
	globfree(&g);
	return (rc);
}

static int
view_top(struct policy_view *v, struct diag *d)
{
	struct stat st;
	size_t i;

	if (stat("/usr", &st) == -1)
		return (diag_set(d, DIAG_POLICY, "/usr: %s", strerror(errno)));
	if (view_add_bind(v, "/usr", "/usr", &st, 0, d) == -1)
		return (-1);
	for (i = 0; i < sizeof(top_dirs) / sizeof(top_dirs[0]); i++) {
		if (view_show(v, top_dirs[i], d) == -1)
			return (-1);
	}
	return (view_add_link(v, "/var/tmp", "/tmp", d));
}

static int
view_etc(struct policy *p, struct policy_view *v, struct diag *d)
{
	size_t i;

	for (i = 0; i < sizeof(made_files) / sizeof(made_files[0]); i++) {
		if (view_add_file(v, made_files[i].path, made_files[i].text,
			d) == -1)
			return (-1);
	}
	if (view_add_file(v, "/etc/nsswitch.conf",
		p->network_host ? nsswitch_host : nsswitch_none, d) == -1)
		return (-1);
	for (i = 0; i < sizeof(view_patterns) / sizeof(view_patterns[0]); i++) {
		if (show_all(v, view_patterns[i], d) == -1)
			return (-1);
	}
	return (0);
}

/*
 * The host's resolvers are copied, not bound: on most hosts resolv.conf is a
 * link to somewhere below /run, which no job is shown.
 */
static int
view_resolv(struct policy_view *v, struct diag *d)
{
	static const char path[] = "/etc/resolv.conf";
	char text[RESOLV_MAX];
	size_t n;
	FILE *f = fopen(path, "re");
	int is_whole;

	if (f == NULL && errno == ENOENT)
		return (0); /* libc asks the local host then */
	if (f == NULL)
		return (diag_set(d, DIAG_POLICY, "read %s: %s", path,
		    strerror(errno)));
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	is_whole = feof(f) && !ferror(f) && strlen(text) == n;
	(void)fclose(f); /* only read from */
	if (!is_whole)
		return (diag_set(d, DIAG_POLICY,
		    "%s is not a text of less than %u bytes", path,
		    RESOLV_MAX));
	return (view_add_file(v, path, text, d));
}

/* The entry that already is at, above or below path, other than a directory for
 * what is in it; NULL: none. */
static const struct plan_entry *
find_overlap(const struct policy_view *v, const char *path)
{
	uint32_t i;

	for (i = 0; i < v->entry_count; i++) {
		const struct plan_entry *e = &v->entries[i];

		if (e->kind != ENTRY_DIR &&
		    (plan_path_is_in(e->path, path) ||
			plan_path_is_in(path, e->path)))
			return (e);
	}
	return (NULL);
}

static int
view_binds(struct policy *p, struct policy_view *v, struct diag *d)
{
	const struct plan_entry *e;
	struct stat st;
	unsigned int i;

	for (i = 0; i < p->bind_count; i++) {
		const struct policy_bind *b = &p->binds[i];

		if ((e = find_overlap(v, b->path)) != NULL)
			return (origin_fail(d, &b->origin,
			    "nothing can be bound at %s: the job has %s "
			    "already",
			    b->path, e->path));
		if (stat(b->source, &st) == -1)
			return (origin_fail(d, &b->origin, "%s: %s", b->source,
			    strerror(errno)));
		if (view_add_bind(v, b->path, b->source, &st,
			b->is_writable ? ENTRY_WRITABLE : 0, d) == -1)
			return (-1);
	}
	return (0);
}

int
view_build(struct policy *p, struct diag *d)
{
	struct policy_view *v;

	p->view = calloc(1, sizeof(*p->view));
	if (p->view == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	v = p->view;
	if (view_top(v, d) == -1 || view_etc(p, v, d) == -1 ||
	    (p->network_host && view_resolv(v, d) == -1))
		return (-1);
	if (view_binds(p, v, d) == -1)
		return (-1);
	return (view_env(p, v, d));
}
