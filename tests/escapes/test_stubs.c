/*
 * test_stubs.c - each control of the table with its apply replaced by a no-op:
 * the launcher must notice, or its read-back is worth nothing.
 *
 * The launcher is agsbx-launcher-test, started by a parent that leaves it
 * everything that a control is there to take away: else an absence would not
 * show.  The first test proves that nothing else refuses.  Where a leaf can be
 * made (in the guest: tests/hosts/escapes.sh) each launch has one, and the rows
 * that hold by it are stubbed as well.
 */
#include <linux/capability.h>
#include <linux/keyctl.h>

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../launcher/drive.h"
#include "ablate.h"
#include "io.h"
#include "leaf.h"
#include "plan_encode.h"
#include "ulid.h"

#define BY_LEAF (CONTROL_BIT(CTL_MEMORY) | CONTROL_BIT(CTL_CPUSHARE))

static struct plan plan;
static struct leaf_place place; /* parent "": no leaf can be had here */
static struct leaf leaf;

/* Root of a user namespace, as the same uid, with everything ambient. */
static void
raise_capabilities(void)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2];
	char uids[64], gids[64];

	(void)snprintf(uids, sizeof(uids), "%u %u 1", geteuid(), geteuid());
	(void)snprintf(gids, sizeof(gids), "%u %u 1", getegid(), getegid());
	if (unshare(CLONE_NEWUSER) == -1 ||
	    io_write_file(AT_FDCWD, "/proc/self/setgroups", "deny") == -1 ||
	    io_write_file(AT_FDCWD, "/proc/self/uid_map", uids) == -1 ||
	    io_write_file(AT_FDCWD, "/proc/self/gid_map", gids) == -1)
		return;
	if (syscall(SYS_capget, &head, sets) == -1)
		return;
	sets[0].inheritable = sets[0].permitted;
	sets[1].inheritable = sets[1].permitted;
	if (syscall(SYS_capset, &head, sets) == -1)
		return;
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap) == 1; cap++)
		(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

static void
take_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char name[64];

	if (master == -1 || grantpt(master) == -1 || unlockpt(master) == -1 ||
	    ptsname_r(master, name, sizeof(name)) != 0)
		return;
	(void)setsid();
	slave = open(name, O_RDWR);
	(void)ioctl(slave, TIOCSCTTY, 0);
}

static void
be_dirty(void)
{
	sigset_t all;

	raise_capabilities();
	take_terminal();
	(void)umask(0);
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	for (int sig = 1; sig < 32; sig++)
		(void)signal(sig, SIG_IGN);
	(void)dup2(STDERR_FILENO, 17);
	(void)dup2(STDERR_FILENO, 42);
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	(void)syscall(SYS_add_key, "user", "agsbx-stub", "x", 1,
	    KEY_SPEC_SESSION_KEYRING);
}

/* Standard streams that are no pipes: what the row output is there for. */
static int
send_terminal(struct drive *d)
{
	static uint8_t bytes[PLAN_BYTES_MAX];
	long len = plan_encode(&plan, bytes, sizeof(bytes));
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), type;

	assert_true(len > 0);
	type = drive_send_bytes(d, bytes, (size_t)len,
	    (const int[]){null, null, null}, 3);
	(void)close(null);
	return (type);
}

static void
find_place(void)
{
	struct leaf_host host = leaf_this_host;

	leaf_init(&leaf);
	host.named = getenv("AGSBX_CGROUP");
	host.named_by = "$AGSBX_CGROUP";
	leaf_find(&place, &host);
	if (place.controllers != (LEAF_MEMORY | LEAF_PIDS | LEAF_CPU))
		place.parent[0] = '\0';
}

static void
setup_plan(struct drive *d)
{
	char id[JOB_ID_SIZE];
	struct diag diag;

	drive_plan_shell(&plan, "true");
	if (place.parent[0] != '\0') {
		assert_int_equal(ulid_new(1, id), 0);
		assert_int_equal(leaf_make(&leaf, &place, id, &diag), 0);
		plan.has_cgroup = true;
		plan.controls |= BY_LEAF;
		plan.cpu_quota_percent = 20;
		d->leaf = leaf.dir_fd;
	}
	drive_program = "agsbx-launcher-test";
	drive_before_exec = be_dirty;
	assert_int_equal(unsetenv(STUB_ENV), 0);
}

static void
end(struct drive *d)
{
	struct diag diag;

	(void)drive_end(d);
	if (plan.has_cgroup)
		assert_int_equal(leaf_end(&leaf, &diag), 0);
	leaf_close(&leaf);
}

static void
test_dirt_is_held(void **state)
{
	struct drive d = {.leaf = -1};
	int type;

	(void)state;
	drive_skip_root();
	setup_plan(&d);
	drive_start(&d);
	type = drive_send(&d, &plan);
	drive_print_rows(&d);
	assert_int_equal(type, MSG_HELD);
	end(&d);
}

static void
test_stub(void **state)
{
	const enum control ctl = *(const enum control *)*state;
	struct drive d = {.leaf = -1};
	int type;

	drive_skip_root();
	if (place.parent[0] == '\0' && (CONTROL_BIT(ctl) & BY_LEAF) != 0) {
		print_message("not held without a cgroup leaf\n");
		skip();
	}
	setup_plan(&d);
	assert_int_equal(setenv(STUB_ENV, controls[ctl].name, 1), 0);
	drive_start(&d);
	type = ctl == CTL_OUTPUT ? send_terminal(&d) : drive_send(&d, &plan);
	if (type != MSG_REFUSED || d.report.rows[ctl].state == READBACK_HELD) {
		drive_print_rows(&d);
		fail_msg("%s is not set, and nobody noticed",
		    controls[ctl].name);
	}
	end(&d);
}

int
main(void)
{
	static enum control ids[CTL__MAX];
	static struct CMUnitTest tests[CTL__MAX + 1];

	find_place();
	tests[0] = (struct CMUnitTest)cmocka_unit_test(test_dirt_is_held);
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		ids[ctl] = ctl;
		tests[ctl + 1] = (struct CMUnitTest){.name = controls[ctl].name,
		    .test_func = test_stub,
		    .initial_state = &ids[ctl]};
	}
	return (cmocka_run_group_tests_name("stubs", tests, NULL, NULL));
}
