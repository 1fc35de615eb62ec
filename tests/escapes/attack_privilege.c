/*
 * attack_privilege.c - probes of the group privilege: see privilege.def.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

int
attempt_pv_dac_override(char *const *args)
{
	int rc;

	(void)args;
	if ((rc = plant_file("/tmp/agsbx-mode-0")) != 0 ||
	    chmod("/tmp/agsbx-mode-0", 0) == -1)
		return (rc != 0 ? rc : errno);
	rc = errno_of(open("/tmp/agsbx-mode-0", O_RDONLY | O_CLOEXEC));
	(void)unlink("/tmp/agsbx-mode-0");
	return (rc);
}

/* Executed itself, without an argument left, it holds. */
int
attempt_pv_filecaps(char *const *args)
{
	static char self[] = "agsbx-attack", id[] = "pv_filecaps", comm[16];
	char *const argv[] = {self, id, comm, NULL};

	if (args[0] == NULL)
		return (hold());
	(void)strncpy(comm, args[1], sizeof(comm) - 1);
	(void)execv(args[0], argv);
	return (errno);
}
