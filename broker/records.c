/*
 * records.c - from the command line to the state directory, for subcommands
 * that start no launcher.  Root must not open a file that an account's other
 * processes can replace, so it drops first here as well.
 */
#include <stdio.h>
#include <stdlib.h>

#include "records.h"
#include "rootdrop.h"
#include "statedir.h"
#include "streams.h"

char *
records_dir(const char *flag, struct diag *d)
{
	struct rootdrop root;
	char *dir;

	if (rootdrop_plan(&root, d) == -1)
		return (NULL);
	if ((dir = statedir_find(flag, root.is_root, d)) == NULL)
		return (NULL);
	if (rootdrop_drop(&root, d) == 0)
		return (dir);
	free(dir);
	return (NULL);
}

void
records_tell_absent(const char *dir)
{
	char *shown = visible_line(dir);

	(void)fprintf(stderr, "agsbx: there is no ledger in %s yet\n",
	    shown != NULL ? shown : "that directory");
	free(shown);
}
