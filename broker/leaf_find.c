/*
 * Beneath which cgroup a job's leaf can be made.  Three rules of the kernel
 * decide: a cgroup with controllers for those beneath it has no processes of
 * its own; a controller is there only where every cgroup above passes it on;
 * and who puts a process into a leaf must be able to write cgroup.procs of the
 * closest cgroup that is above both.  What it finds wrong, leaf_cause.c says.
 * Called by session.c, before the broker is confined.
 */
#include <sys/stat.h>

#include <linux/magic.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "leaf.h"

const struct leaf_host leaf_this_host = {
    .proc_cgroup = "/proc/self/cgroup",
    .proc_cgroups = "/proc/cgroups",
    .mount = "/sys/fs/cgroup",
    .magic = CGROUP2_SUPER_MAGIC,
};

const char *const leaf_step_names[LEAF_STEP__MAX] = {
    [LEAF_STEP_OWN] = "own cgroup",
    [LEAF_STEP_NAMED] = "named subtree",
    [LEAF_STEP_MANAGER] = "user manager",
};

static bool
is_usable(const char *dir)
{
	return (access(dir, W_OK | X_OK) == 0 &&
	    leaf_can_write(dir, "cgroup.procs") && leaf_is_domain(dir));
}

/* Are we the only process of dir?  (Its threads are not listed.) */
static bool
is_alone(const char *dir)
{
	char path[LEAF_PATH_MAX], text[64], want[32];

	(void)snprintf(want, sizeof(want), "%d\n", getpid()); /* it fits */
	return (leaf_file(dir, "cgroup.procs", path) != NULL &&
	    io_read_file(AT_FDCWD, path, text, sizeof(text)) != -1 &&
	    strcmp(text, want) == 0);
}

static void
take(struct leaf_place *p, enum leaf_step step, const char *dir,
    unsigned int controllers)
{
	/* The same size, and dir was shorter already. */
	(void)strlcpy(p->parent, dir, sizeof(p->parent));
	p->controllers = controllers;
	p->step = step;
}

/* A leaf with a memory controller is the best there is; without one, any will
 * do, and the first one stays. */
static bool
offer(struct leaf_place *p, enum leaf_step step, const char *dir,
    unsigned int controllers)
{
	bool has_memory = (controllers & LEAF_MEMORY) != 0;

	if (has_memory || (p->parent[0] == '\0' && controllers != 0))
		take(p, step, dir, controllers);
	return (has_memory);
}

/* Out of a cgroup that is to have leaves, into one beneath it. */
static int
move_broker(const char *dir)
{
	char own[LEAF_PATH_MAX], procs[LEAF_PATH_MAX];

	if (leaf_file(dir, LEAF_BROKER, own) == NULL ||
	    leaf_file(own, "cgroup.procs", procs) == NULL)
		return (-1);
	if (mkdir(own, 0755) == -1 && errno != EEXIST)
		return (-1);
	return (io_write_file(AT_FDCWD, procs, "0"));
}

/* Nobody else is disturbed by what is done to a cgroup that is ours alone. */
static bool
try_scope(struct leaf_place *p, const char *dir)
{
	unsigned int on;
	int err;

	if (!is_usable(dir) || !is_alone(dir) ||
	    leaf_controllers(dir, "cgroup.controllers") == 0 ||
	    move_broker(dir) == -1)
		return (false);
	on = leaf_enable(dir, &err);
	p->is_broker_moved = true;
	take(p, LEAF_STEP_OWN, dir, on);
	if ((on & LEAF_MEMORY) != 0)
		return (true);
	leaf_place_leave(p);
	return (false);
}

/* systemd alone makes cgroups in its slices, and in a user's own manager. */
static bool
is_of_systemd(const char *dir)
{
	const char *name = strrchr(dir, '/') + 1;
	size_t len = strlen(name);

	return ((len > 6 && strcmp(name + len - 6, ".slice") == 0) ||
	    strncmp(name, "user@", 5) == 0);
}

static void
find_own(struct leaf_place *p, const struct leaf_host *host, const char *own)
{
	char dir[LEAF_PATH_MAX];
	size_t root = strlen(host->mount);

	if (strlcpy(dir, own, sizeof(dir)) >= sizeof(dir))
		return;
	/* Those above first: that changes nothing and nobody. */
	for (;;) {
		if (!is_of_systemd(dir) && is_usable(dir) &&
		    offer(p, LEAF_STEP_OWN, dir,
			leaf_controllers(dir, "cgroup.subtree_control")))
			return;
		if (strlen(dir) <= root)
			break;
		*strrchr(dir, '/') = '\0';
	}
	(void)try_scope(p, own);
}

/* The closest cgroup that is above both a and b, in dir. */
static void
find_common(const char *a, const char *b, char dir[static LEAF_PATH_MAX])
{
	size_t len = 0;

	for (size_t i = 0;; i++) {
		bool ends_a = a[i] == '/' || a[i] == '\0';
		bool ends_b = b[i] == '/' || b[i] == '\0';

		if (ends_a && ends_b)
			len = i;
		if (a[i] != b[i] || a[i] == '\0')
			break;
	}
	(void)snprintf(dir, LEAF_PATH_MAX, "%.*s", (int)len, a); /* a fits */
}

static void
find_named(struct leaf_place *p, const struct leaf_host *host, const char *own)
{
	char *text = p->steps[LEAF_STEP_NAMED];
	size_t size = sizeof(p->steps[0]), root = strlen(host->mount);
	char dir[LEAF_PATH_MAX], common[LEAF_PATH_MAX];
	struct leaf_obstacle why;
	int err = 0;

	if (strlcpy(dir, host->named, sizeof(dir)) >= sizeof(dir) ||
	    strncmp(dir, host->mount, root) != 0 || dir[root] != '/' ||
	    strstr(dir, "/..") != NULL) {
		leaf_say(text, size, "%s (%s) is no path beneath %s",
		    host->named, host->named_by, host->mount);
		return;
	}
	for (size_t len = strlen(dir); dir[len - 1] == '/'; len--)
		dir[len - 1] = '\0';
	find_common(own, dir, common);
	if (access(dir, F_OK) == 0 && !leaf_can_write(common, "cgroup.procs")) {
		leaf_say(text, size,
		    "%s (%s): agsbx stands outside of it, in %s, and may not "
		    "write %s/cgroup.procs",
		    dir + root, host->named_by, own + root, common);
		return;
	}
	if (is_usable(dir) &&
	    offer(p, LEAF_STEP_NAMED, dir, leaf_enable(dir, &err)))
		return;
	leaf_explain_dir(host, dir, dir + root, err, &why);
	leaf_say(text, size, "%s (%s)", why.text, host->named_by);
}

/* What became of the steps, and the one cause that a gap shows. */
static void
explain(struct leaf_place *p, const struct leaf_host *host, const char *own,
    const char *path)
{
	struct leaf_obstacle why;

	if (p->parent[0] != '\0' && p->steps[p->step][0] == '\0')
		leaf_say(p->steps[p->step], sizeof(p->steps[0]),
		    "leaves are made beneath %s%s%s", p->parent,
		    p->is_broker_moved ? "; agsbx moved to " LEAF_BROKER : "",
		    (p->controllers & LEAF_MEMORY) == 0 ?
			", without a memory controller" :
			"");
	if (p->step == LEAF_STEP_OWN && (p->controllers & LEAF_MEMORY) != 0)
		return;
	leaf_explain_dir(host, own, path, 0, &why);
	if (p->steps[LEAF_STEP_OWN][0] == '\0')
		leaf_say(p->steps[LEAF_STEP_OWN], sizeof(p->steps[0]), "%s",
		    why.text);
	if ((p->controllers & LEAF_MEMORY) != 0)
		return;
	/* What was asked for by name comes before what nobody chose. */
	leaf_say(p->cause, sizeof(p->cause), "no delegated cgroup v2: %s",
	    host->named != NULL ? p->steps[LEAF_STEP_NAMED] : why.text);
	leaf_say(p->fix, sizeof(p->fix), "%s", why.fix);
}

void
leaf_find(struct leaf_place *place, const struct leaf_host *host)
{
	char path[LEAF_PATH_MAX], own[LEAF_PATH_MAX];

	*place = (struct leaf_place){.parent = ""};
	if (!leaf_mount_is_v2(host)) {
		leaf_explain_mount(host, place);
		if (host->named != NULL)
			leaf_say(place->steps[LEAF_STEP_NAMED],
			    sizeof(place->steps[0]),
			    "%s (%s): not looked at, there is no cgroup v2",
			    host->named, host->named_by);
		return;
	}
	if (host->named == NULL)
		leaf_say(place->steps[LEAF_STEP_NAMED], sizeof(place->steps[0]),
		    "none: neither [cgroup] path nor $AGSBX_CGROUP");
	if (!leaf_own_path(host->proc_cgroup, path) ||
	    snprintf(own, sizeof(own), "%s%s", host->mount,
		strcmp(path, "/") == 0 ? "" : path) >= (int)sizeof(own) ||
	    access(own, F_OK) == -1) {
		leaf_say(place->cause, sizeof(place->cause),
		    "no delegated cgroup v2: the cgroup of agsbx is not "
		    "visible below %s",
		    host->mount);
		(void)strlcpy(place->steps[LEAF_STEP_OWN], place->cause,
		    sizeof(place->steps[0]));
		return;
	}
	find_own(place, host, own);
	if (host->named != NULL && (place->controllers & LEAF_MEMORY) == 0)
		find_named(place, host, own);
	explain(place, host, own, path);
}
