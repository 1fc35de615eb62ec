/*
 * A run's part in its leaf: where it can be made, its name on the row, and that
 * it is made.  Called by session.c, run.c, doctor.c and launch.c, in the order
 * of the functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scope.h"
#include "session.h"
#include "times.h"
#include "ulid.h"

void
session_find_leaf(struct session *s)
{
	const struct origin *o = &s->policy->cgroup_origin;
	struct leaf_host host = leaf_this_host;
	char by[LEAF_PATH_MAX] = "$AGSBX_CGROUP";

	host.named = getenv("AGSBX_CGROUP");
	host.named_by = by;
	if (s->policy->cgroup_path != NULL) {
		host.named = s->policy->cgroup_path;
		leaf_say(by, sizeof(by), "%s:%u", o->file, o->line);
	}
	leaf_find(&s->host.leaf, &host);
}

/* Root has its own subtree, and its manager is not the user's. */
static void
ask_manager(struct session *s)
{
	struct leaf_place *place = &s->host.leaf;
	const struct scope scope = {.systemd_run = SCOPE_SYSTEMD_RUN,
	    .is_allowed = !s->policy->no_systemd,
	    .has_manager = s->host.has_user_manager,
	    .keep_fd = s->cli->json_fd,
	    .argv = s->cli->argv};

	if ((place->controllers & LEAF_MEMORY) != 0 ||
	    !leaf_mount_is_v2(&leaf_this_host))
		return;
	if (!scope.is_allowed && scope.has_manager)
		leaf_say(place->fix, sizeof(place->fix),
		    "systemd-run --user --scope -p Delegate=yes agsbx run ...");
	scope_enter(&scope, place->steps[LEAF_STEP_MANAGER],
	    sizeof(place->steps[0]));
}

void
session_enter(struct session *s)
{
	host_read(&s->host);
	if (s->root.is_root)
		return;
	session_find_leaf(s);
	ask_manager(s);
}

/* The id comes first where the leaf is named by it, and its path is on the
 * row before it exists. */
int
session_name_leaf(struct session *s, struct diag *d)
{
	struct job *j = &s->job;

	if (s->host.leaf.parent[0] == '\0')
		return (0);
	j->created_ms = times_now_ms();
	if (ulid_new(j->created_ms, j->id) == -1)
		return (diag_set(d, DIAG_INTERNAL, "cannot make a job id: %s",
		    strerror(errno)));
	j->leaf = leaf_path(&s->host.leaf, j->id);
	if (j->leaf == NULL)
		return (diag_set(d, DIAG_INTERNAL, "out of memory"));
	return (0);
}

void
session_make_leaf(struct session *s)
{
	struct leaf_place *place = &s->host.leaf;
	struct diag d = {0};

	if (s->job.leaf == NULL ||
	    leaf_make(&s->leaf, place, s->job.id, &d) == 0)
		return;
	leaf_say(place->cause, sizeof(place->cause), "%s", d.message);
	leaf_place_leave(place);
	place->parent[0] = '\0';
	place->controllers = 0;
}
