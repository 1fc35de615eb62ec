/*
 * test_mountinfo.c - the mount table as text: good lines, and all that a line
 * must not be.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "mounts.h"

/* What a job's table looked like, with a bind that holds another mount. */
static const char sample[] =
    "156 135 0:73 / / ro,nosuid,nodev,relatime - tmpfs none rw,size=1056k\n"
    "158 156 254:0 /usr /usr ro,nosuid,nodev,relatime - ext4 /dev/vda rw\n"
    "159 156 0:75 / /dev ro,nosuid,noexec,relatime - tmpfs none rw\n"
    "160 159 0:6 /null /dev/null rw,nosuid,noexec - devtmpfs devtmpfs rw\n"
    "161 159 0:6 /zero /dev/zero ro,nosuid,noexec - devtmpfs devtmpfs rw\n"
    "162 159 0:6 /full /dev/full rw,nosuid,noexec - devtmpfs devtmpfs rw\n"
    "163 159 0:6 /random /dev/random rw,nosuid,noexec - tmpfs none rw\n"
    "164 159 0:6 /urandom /dev/urandom rw,nosuid,noexec - tmpfs none rw\n"
    "167 159 0:76 / /dev/pts rw,nosuid,noexec - devpts none "
    "rw,mode=620,ptmxmode=666,max=16\n"
    "168 159 0:78 /shm /dev/shm rw,nosuid,nodev,relatime - tmpfs none rw\n"
    "169 156 0:77 / /proc rw,nosuid,nodev,noexec,relatime - proc none "
    "rw,hidepid=invisible,subset=pid\n"
    "202 156 0:78 /work /work rw,nosuid,nodev,relatime - tmpfs none rw\n"
    "203 156 0:78 /tmp /tmp rw,nosuid,nodev,relatime - tmpfs none rw\n"
    "204 202 0:90 / /work/a\\040b\\134c rw,nosuid,nodev shared:5 master:2 - "
    "tmpfs  rw\n";

static long
parse(const char *text, struct mount_line *lines, size_t max)
{
	static char copy[65536];

	assert_true(strlen(text) < sizeof(copy));
	memcpy(copy, text, strlen(text) + 1);
	return (mountinfo_parse(copy, lines, max));
}

static void
test_fields(void **state)
{
	struct mount_line lines[16];

	(void)state;
	assert_int_equal(parse(sample, lines, 16), 14);
	assert_string_equal(lines[1].root, "/usr");
	assert_string_equal(lines[1].point, "/usr");
	assert_string_equal(lines[1].flags, "ro,nosuid,nodev,relatime");
	assert_string_equal(lines[1].propagation, "");
	assert_string_equal(lines[1].fstype, "ext4");
	assert_string_equal(lines[1].options, "rw");
	assert_string_equal(lines[13].point, "/work/a b\\c");
	assert_string_not_equal(lines[13].propagation, "");
	assert_string_equal(lines[13].options, "rw");
	assert_int_equal(parse("", lines, 16), 0);
}

static void
test_malformed(void **state)
{
	static const char *const bad[] = {
	    "\n",
	    "x\n",
	    "1 2 0:1 / / ro\n",
	    "1 2 0:1 / / ro shared:1 tmpfs none rw\n",
	    "1 2 0:1 / / ro - tmpfs none\n",
	    "1 2 0:1 / / ro - tmpfs none rw", /* cut off */
	    "1 2 0:1 / work ro - tmpfs none rw\n",
	};
	struct mount_line lines[16];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		errno = 0;
		assert_int_equal(parse(bad[i], lines, 16), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(parse(sample, lines, 14), 14);
	assert_int_equal(parse(sample, lines, 13), -1);
	assert_int_equal(errno, EOVERFLOW);
}

/* Every prefix and every flipped bit: refused, or lines that can be read. */
static void
test_mutations(void **state)
{
	static char text[sizeof(sample)];
	struct mount_line lines[16];

	(void)state;
	for (size_t len = 0; len < sizeof(sample); len++) {
		memcpy(text, sample, sizeof(sample));
		text[len] = '\0';
		if (len == 0 || sample[len - 1] == '\n')
			assert_int_not_equal(parse(text, lines, 16), -1);
		else
			assert_int_equal(parse(text, lines, 16), -1);
	}
	for (size_t bit = 0; bit < (sizeof(sample) - 1) * 8; bit++) {
		long count;

		memcpy(text, sample, sizeof(sample));
		text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
		count = parse(text, lines, 16);
		for (long i = 0; i < count; i++)
			assert_int_equal(lines[i].point[0], '/');
	}
}

static void
test_flags(void **state)
{
	const struct mount_line ro = {.flags = "ro,nosuid,nodev,relatime"};
	const struct mount_line rw = {.flags = "rw,nosuid"};

	(void)state;
	assert_true(mount_has_flags(&ro, "ro,nosuid,nodev"));
	assert_true(mount_has_flags(&ro, ",nosuid,nodev"));
	assert_false(mount_has_flags(&ro, "rw,nosuid"));
	assert_false(mount_has_flags(&rw, "ro"));
	assert_true(mount_has_flags(&rw, ",nosuid"));
	assert_false(mount_has_flags(&rw, ",nosuid,nodev"));
}

/* A directory that looks like /proc/PID, whose mountinfo holds text. */
static int
load(const char *text)
{
	char dir[] = "/tmp/mountinfo.XXXXXX";
	int dirfd, fd, rc, err;

	assert_non_null(mkdtemp(dir));
	dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = openat(dirfd, "mountinfo", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	rc = mountinfo_load(dirfd);
	err = errno;
	assert_int_equal(unlinkat(dirfd, "mountinfo", 0), 0);
	assert_int_equal(rmdir(dir), 0);
	close(fd);
	close(dirfd);
	errno = err;
	return (rc);
}

static void
test_rows_are_found(void **state)
{
	static const enum control rows[] = {CTL_ROOT, CTL_DEV, CTL_PROCFS,
	    CTL_SCRATCH};

	(void)state;
	assert_int_equal(load(sample), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(mountinfo_want(rows[i]) > 0);
		assert_int_equal(mountinfo_got(rows[i]),
		    mountinfo_want(rows[i]));
	}
	assert_non_null(mountinfo_line(13));
	assert_null(mountinfo_line(14));
	assert_true(mountinfo_is_expected("/proc", CONTROL_ALL));
	assert_false(mountinfo_is_expected("/proc",
	    CONTROL_ALL & ~CONTROL_BIT(CTL_PROCFS)));
	assert_false(mountinfo_is_expected("/usr", CONTROL_ALL));
}

/* One change of the sample, and the row that must then not be whole. */
static const struct {
	enum control row;
	const char *from;
	const char *to;
} losses[] = {
    {CTL_ROOT, "/ / ro,", "/ / rw,"},
    {CTL_ROOT, "- tmpfs none rw,size", "- ext4 none rw,size"},
    {CTL_DEV, "/dev ro,", "/dev rw,"},
    {CTL_DEV, "/dev/zero ro,nosuid", "/dev/zero ro,nodev"},
    {CTL_DEV, "max=16", "max=17"},
    {CTL_DEV, "/dev/full", "/dev/fuse"},
    {CTL_PROCFS, ",subset=pid", ""},
    {CTL_PROCFS, "invisible", "ptraceable"},
    {CTL_PROCFS, "- proc", "- tmpfs"},
    {CTL_SCRATCH, "/tmp /tmp rw,nosuid", "/tmp /tmp rw,noexec"},
    {CTL_SCRATCH, "/work /work", "/ /work"},
    /* one over the other */
    {CTL_SCRATCH, "/work/a\\040b\\134c", "/work"},
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
		assert_int_equal(load(text), 0);
		assert_true(mountinfo_got(losses[i].row) <
		    mountinfo_want(losses[i].row));
	}
}

/* A table that cannot be read leaves none of the one before. */
static void
test_load_fails_empty(void **state)
{
	static char big[65 * 1024];

	(void)state;
	assert_int_equal(load(sample), 0);
	memset(big, 'x', sizeof(big) - 1);
	assert_int_equal(load(big), -1);
	assert_int_equal(errno, EOVERFLOW);
	assert_null(mountinfo_line(0));
	assert_int_equal(load(sample), 0);
	assert_int_equal(load("x\n"), -1);
	assert_int_equal(errno, EINVAL);
	assert_null(mountinfo_line(0));
	assert_int_equal(mountinfo_load(-1), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_malformed),
	    cmocka_unit_test(test_mutations),
	    cmocka_unit_test(test_flags),
	    cmocka_unit_test(test_rows_are_found),
	    cmocka_unit_test(test_losses_show),
	    cmocka_unit_test(test_load_fails_empty),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
