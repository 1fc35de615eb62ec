/*
 * test_mountinfo.c - the mount table as text: a good one, and all that it
 * must not be.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mountinfo_fixture.h"

/* What a job's table looked like, with a bind that holds another mount. */
static const char sample[] =
    "156 135 0:73 / / ro,nosuid,nodev,relatime - tmpfs none "
    "rw,size=73728k,nr_inodes=65536,mode=755,uid=7,inode64\n"
    "158 156 254:0 /usr /usr ro,nosuid,nodev,relatime - ext4 /dev/vda rw\n"
    "159 156 0:75 / /dev ro,nosuid,noexec,relatime - tmpfs none "
    "rw,size=64k,nr_inodes=32,mode=755,uid=7,gid=7,inode64\n"
    "160 159 0:6 /null /dev/null ro,nosuid,noexec - devtmpfs devtmpfs rw\n"
    "161 159 0:6 /zero /dev/zero ro,nosuid,noexec - devtmpfs devtmpfs rw\n"
    "162 159 0:6 /full /dev/full ro,nosuid,noexec - devtmpfs devtmpfs rw\n"
    "163 159 0:6 /random /dev/random ro,nosuid,noexec - tmpfs none rw\n"
    "164 159 0:6 /urandom /dev/urandom ro,nosuid,noexec - tmpfs none rw\n"
    "167 159 0:76 / /dev/pts rw,nosuid,noexec - devpts none "
    "rw,mode=620,ptmxmode=666,max=16\n"
    "168 159 0:78 /shm /dev/shm rw,nosuid,nodev,relatime - tmpfs none rw\n"
    "169 156 0:77 / /proc rw,nosuid,nodev,noexec,relatime - proc none "
    "rw,hidepid=invisible,subset=pid\n"
    "202 156 0:78 /work /work rw,nosuid,nodev,relatime - tmpfs none rw\n"
    "203 156 0:78 /tmp /tmp rw,nosuid,nodev,relatime - tmpfs none rw\n"
    "204 202 0:90 / /work/a\\040b\\134c rw,nosuid,nodev - tmpfs  rw\n"
    "205 204 0:91 / /work/a\\040b\\134c/d ro,nosuid,nodev - ext4 x rw\n";

static bool
read_text(const char *text)
{
	assert_true(mountinfo_put(text, strlen(text)));
	return (mountinfo_read(&launch));
}

static int
setup(void **state)
{
	(void)state;
	return (mountinfo_setup() ? 0 : -1);
}

static int
teardown(void **state)
{
	(void)state;
	mountinfo_teardown();
	return (0);
}

static uint64_t
count_row(enum control row)
{
	launch.current = row;
	(void)mountinfo_readback(&launch);
	launch.current = CTL_MNTNS;
	assert_true(board.report.rows[row].got == board.report.rows[row].want ||
	    board.report.rows[row].state == READBACK_FAULT);
	return (board.report.rows[row].got);
}

static void
assert_refused(enum step step, int err)
{
	assert_int_equal(board.report.rows[CTL_MNTNS].state, READBACK_FAULT);
	assert_int_equal(board.report.rows[CTL_MNTNS].step, step);
	assert_int_equal(board.report.rows[CTL_MNTNS].err, err);
}

/* The rows, and the mounts that each has. */
static const struct {
	enum control row;
	uint64_t count;
} rows[] = {{CTL_ROOT, 1}, {CTL_DEV, 7}, {CTL_PROCFS, 1}, {CTL_SCRATCH, 3},
    {CTL_MNTNS, 2}};

static void
test_rows_are_found(void **state)
{
	(void)state;
	assert_true(read_text(sample));
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(count_row(rows[i].row), rows[i].count);
	assert_int_equal(board.report.rows[CTL_MNTNS].state, READBACK_OFF);
}

/* What may be there for one plan is a stranger to another. */
static void
test_plan_decides(void **state)
{
	(void)state;
	plan.controls &= ~CONTROL_BIT(CTL_PROCFS);
	assert_false(read_text(sample));
	assert_refused(STEP_READ_BACK, 0);
	assert_int_equal(count_row(CTL_PROCFS), 0);
	plan.controls = CONTROL_ALL;
	plan.entry_count = 1;
	assert_false(read_text(sample));
	plan.entry_count = 3;
	plan.entries[1].flags = 0; /* was to be read-only */
	(void)read_text(sample);
	assert_int_equal(count_row(CTL_MNTNS), 1);
	plan.entries[1].flags = ENTRY_WRITABLE;
	assert_true(read_text(sample));
}

/* Lines after which nothing counts. */
static void
test_strangers(void **state)
{
	static const char *const bad[] = {
	    "\n",
	    "x\n",
	    "1 2 0:1 / /usr ro,nosuid,nodev\n",
	    "1 2 0:1 / /usr/x ro,nosuid,nodev shared:1 tmpfs none rw\n",
	    "1 2 0:1 / /usr/x ro,nosuid,nodev shared:1 - tmpfs none rw\n",
	    "1 2 0:1 / /usr/x ro,nosuid,nodev master:1 - tmpfs none rw\n",
	    "1 2 0:1 / /usr/x ro,nosuid,nodev unbindable - tmpfs none rw\n",
	    "1 2 0:1 / /usr/x ro,nosuid,nodev - tmpfs none\n",
	    "1 2 0:1 / /usr/x ro,nosuid,nodev - tmpfs none rw", /* cut off */
	    "1 2 0:1 / usr/x ro,nosuid,nodev - tmpfs none rw\n",
	    "1 2 0:1 / /usr/x rw,nosuid,nodev - tmpfs none rw\n",
	    "1 2 0:1 / /usr/x ro,nodev - tmpfs none rw\n",
	    "1 2 0:1 / /usr/x ro,nosuid - tmpfs none rw\n",
	    "1 2 0:1 / /usrx ro,nosuid,nodev - tmpfs none rw\n",
	    "1 2 0:1 / /dev/sda ro,nosuid,noexec - devtmpfs none rw\n",
	    "1 2 0:1 / /empty ro,nosuid,nodev - tmpfs none rw\n",
	    "1 2 0:1 / /work/x ro,nosuid,nodev - tmpfs none rw\n",
	};
	static const char good[] =
	    "1 2 0:1 / /usr/x ro,nosuid,nodev - tmpfs none rw\n";
	char text[sizeof(sample) + 128];

	(void)state;
	(void)snprintf(text, sizeof(text), "%s%s", sample, good);
	assert_true(read_text(text));
	for (size_t i = 0; i < COUNT(bad); i++) {
		(void)snprintf(text, sizeof(text), "%s%s", sample, bad[i]);
		assert_false(read_text(text));
		assert_refused(STEP_READ_BACK, 0);
	}
}

/* One change of the sample, and the row that must then not be whole; with
 * CTL_NONE nothing counts. */
static const struct {
	enum control row;
	const char *from;
	const char *to;
} losses[] = {
    {CTL_ROOT, "/ / ro,", "/ / rw,"},
    {CTL_ROOT, "- tmpfs none rw,size", "- ext4 none rw,size"},
    {CTL_ROOT, "size=73728k,", ""},
    {CTL_ROOT, "mode=755,uid=7,inode64", "mode=7551"},
    {CTL_DEV, "nr_inodes=32,", "nr_inodes=321,"},
    {CTL_DEV, "/dev ro,", "/dev rw,"},
    {CTL_DEV, "/dev/zero ro,nosuid", "/dev/zero ro,nodev"},
    {CTL_DEV, "max=16", "max=17"},
    {CTL_DEV, "max=16", "max=161"},
    {CTL_DEV, "/dev/full", "/dev/fuse"},
    {CTL_PROCFS, ",subset=pid", ""},
    {CTL_PROCFS, "invisible", "ptraceable"},
    {CTL_PROCFS, "- proc", "- tmpfs"},
    {CTL_SCRATCH, "/tmp /tmp rw,nosuid", "/tmp /tmp rw,noexec"},
    {CTL_SCRATCH, "/work /work", "/ /work"},
    {CTL_MNTNS, "/usr ro,", "/usr rw,"},
    {CTL_MNTNS, "/usr ro,nosuid,nodev", "/usr ro,nosuid"},
    {CTL_MNTNS, "134c rw,nosuid,nodev", "134c rw,nosuid"},
    /* one over the other, good as each may be */
    {CTL_NONE, "/work/a\\040b\\134c ", "/work "},
    {CTL_NONE, "/work/a\\040b\\134c/d ", "/usr "},
    {CTL_NONE, "/tmp /tmp", "/work /work"},
};

static void
test_losses_show(void **state)
{
	char text[sizeof(sample) + 64];

	(void)state;
	for (size_t i = 0; i < COUNT(losses); i++) {
		const char *at = strstr(sample, losses[i].from);

		assert_non_null(at);
		(void)snprintf(text, sizeof(text), "%.*s%s%s",
		    (int)(at - sample), sample, losses[i].to,
		    at + strlen(losses[i].from));
		if (!read_text(text) && losses[i].row == CTL_NONE)
			continue;
		assert_int_not_equal(losses[i].row, CTL_NONE);
		for (size_t r = 0; r < COUNT(rows); r++)
			if (rows[r].row == losses[i].row)
				assert_true(
				    count_row(rows[r].row) < rows[r].count);
	}
}

/* Every prefix fails, and no flipped bit adds a mount. */
static void
test_mutations(void **state)
{
	static char text[sizeof(sample)];

	(void)state;
	for (size_t len = 0; len < sizeof(sample) - 1; len++) {
		uint64_t got = 0;
		bool is_good;

		memcpy(text, sample, len);
		text[len] = '\0';
		is_good = read_text(text);
		if (len > 0 && sample[len - 1] != '\n')
			assert_false(is_good);
		for (size_t r = 0; r < COUNT(rows); r++)
			got += count_row(rows[r].row);
		assert_true(!is_good || got < 14 || len > sizeof(sample) - 80);
	}
	for (size_t bit = 0; bit < (sizeof(sample) - 1) * 8; bit++) {
		memcpy(text, sample, sizeof(sample));
		text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
		(void)read_text(text);
		for (size_t r = 0; r < COUNT(rows); r++)
			assert_true(count_row(rows[r].row) <= rows[r].count);
	}
}

/* A table that cannot be read leaves none of the one before. */
static void
test_read_fails_empty(void **state)
{
	static char big[65 * 1024];
	int dir = launch.job_proc;

	(void)state;
	assert_true(read_text(sample));
	memset(big, 'x', sizeof(big) - 1);
	assert_false(read_text(big));
	assert_refused(STEP_READ_PROC, EOVERFLOW);
	assert_int_equal(count_row(CTL_MNTNS), 0);
	assert_int_equal(count_row(CTL_ROOT), 0);
	launch.job_proc = -1;
	assert_false(mountinfo_read(&launch));
	assert_refused(STEP_READ_PROC, EBADF);
	launch.job_proc = dir;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_are_found),
	    cmocka_unit_test(test_plan_decides),
	    cmocka_unit_test(test_strangers),
	    cmocka_unit_test(test_losses_show),
	    cmocka_unit_test(test_mutations),
	    cmocka_unit_test(test_read_fails_empty),
	};

	return (cmocka_run_group_tests(tests, setup, teardown));
}
