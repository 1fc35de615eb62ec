/*
 * attack_privilege.c - probes of the group privilege: see privilege.def.
 */
#include <linux/capability.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include <netinet/in.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
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

/* What it may have becomes what it has. */
int
attempt_pv_capset(char *const *args)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0};

	(void)args;
	sets[0].permitted = sets[0].effective = 1U << CAP_CHOWN;
	return (hold_if(syscall(SYS_capset, &head, sets)));
}

int
attempt_pv_bind_low_port(char *const *args)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(80)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)args;
	if (fd == -1 || bind(fd, (struct sockaddr *)&any, sizeof(any)) == -1)
		return (errno);
	return (hold_if(listen(fd, 1)));
}

int
attempt_pv_xattr_caps(char *const *args)
{
	static const char path[] = "/tmp/agsbx-capable";
	struct vfs_cap_data caps = {.magic_etc = VFS_CAP_REVISION_2,
	    .data = {{.permitted = 1U << CAP_CHOWN}}};
	int rc = plant_file(path);

	(void)args;
	if (rc != 0)
		return (rc);
	rc = errno_of(
	    setxattr(path, "security.capability", &caps, sizeof(caps), 0));
	(void)unlink(path);
	return (rc);
}

/* Nobody's id: whoever maps one id does not map it. */
TRIES(pv_setresuid_other, setresuid(65533, 65533, 65533))
TRIES(pv_setgroups, setgroups(0, NULL))
