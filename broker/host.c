/*
 * Reads the few host files that hint.c and doctor explain things with.  A file
 * that cannot be read leaves "unknown": nothing is decided from it.
 * Called once by session.c, before the broker is confined.
 */
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "io.h"
#include "standin.h"

static long
read_sysctl(const char *path)
{
	char text[32];
	const char *why = NULL;
	long value;

	if (io_read_file(AT_FDCWD, path, text, sizeof(text)) == -1)
		return (HOST_UNKNOWN);
	text[strcspn(text, "\n")] = '\0';
	value = (long)strtonum(text, 0, 2147483647, &why);
	return (why == NULL ? value : HOST_UNKNOWN);
}

/* The kernel refuses a fresh procfs where parts of /proc are covered
 * (mount_too_revealing), as container runtimes do. */
static void
read_proc_mounts(struct host *h)
{
	char line[1024], point[512], options[512];
	FILE *f = fopen("/proc/self/mounts", "re");

	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%*s %511s %*s %511s", point, options) != 2)
			continue;
		if (strncmp(point, "/proc/", 6) == 0 &&
		    strcmp(point, "/proc/sys/fs/binfmt_misc") != 0)
			h->is_proc_masked = true;
		if (strcmp(point, "/proc") == 0 &&
		    strstr(options, "hidepid=") != NULL)
			h->is_proc_hidepid = true;
	}
	(void)fclose(f); /* only read from */
}

static bool
find_user_manager(void)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	char path[256];
	struct stat st;

	return (dir != NULL && dir[0] == '/' &&
	    snprintf(path, sizeof(path), "%s/systemd/private", dir) <
		(int)sizeof(path) &&
	    stat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    st.st_uid == getuid());
}

static void
read_boot_id(struct host *h)
{
	char text[64];

	if (io_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", text,
		sizeof(text)) == -1)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (strlcpy(h->boot_id, text, sizeof(h->boot_id)) >= sizeof(h->boot_id))
		h->boot_id[0] = '\0'; /* not a boot id that we know */
}

void
host_read(struct host *h)
{
	struct sysinfo info;
	struct utsname u;

	memset(h, 0, sizeof(*h));
	if (uname(&u) == 0) {
		/* utsname's fields are 65 bytes, as ours. */
		(void)strlcpy(h->sysname, u.sysname, sizeof(h->sysname));
		(void)strlcpy(h->release, u.release, sizeof(h->release));
		(void)strlcpy(h->machine, u.machine, sizeof(h->machine));
	}
	read_boot_id(h);
	h->max_user_namespaces =
	    read_sysctl("/proc/sys/user/max_user_namespaces");
	h->unprivileged_userns_clone =
	    read_sysctl("/proc/sys/kernel/unprivileged_userns_clone");
	h->apparmor_restrict_userns = read_sysctl(
	    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	read_proc_mounts(h);
	h->has_user_manager = find_user_manager();
	if (sysinfo(&info) == 0)
		h->memory_bytes =
		    ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
	h->socket_bytes = standin_socket_bytes("/proc/sys/net");
}
