/*
 * test_files.c - what a job finds, can write and cannot write.
 *
 * The rows mntns, dev, procfs, scratch, root and landlock, by jobs that print
 * an errno for each try.  What the host sees of a bind decides, not only what
 * the job says.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
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

#include "drive.h"

static struct drive d;
static struct plan p;
static char dir[64]; /* of the host: what binds show */

#define PRELUDE \
	"import os, sys, stat\n" \
	"def err(f, *a):\n" \
	" try: f(*a); return 0\n" \
	" except OSError as e: return e.errno\n" \
	"def wr(path): return err(open, path, 'w')\n"

/* Runs python text in p, which drive_python() has made. */
static void
expect(const char *want)
{
	(void)drive_run(&d, &p);
	assert_string_equal(d.output, want);
}

static void
drive_python(const char *python)
{
	static char script[8192];

	assert_true((size_t)snprintf(script, sizeof(script), "%s%s", PRELUDE,
			python) < sizeof(script));
	drive_plan(&p,
	    (const char *const[]){"python3", "-I", "-S", "-c", script, NULL});
	p.scratch_bytes = 8 << 20;
	p.scratch_inodes = 64;
	p.file_bytes = 1 << 30;
}

static struct plan_entry *
add_entry(enum plan_entry_kind kind, const char *path, const char *source)
{
	struct plan_entry *e = &p.entries[p.entry_count++];

	*e = (struct plan_entry){.kind = (uint8_t)kind,
	    .path = path,
	    .source = source};
	return (e);
}

static void
add_bind(const char *path, const char *source, unsigned int flags)
{
	struct plan_entry *e = add_entry(ENTRY_BIND, path, source);
	struct stat st;

	assert_int_equal(lstat(source, &st), 0);
	e->flags = (uint8_t)flags;
	e->dev = st.st_dev;
	e->ino = st.st_ino;
}

static void
test_root_is_read_only(void **state)
{
	struct plan_entry *e;

	(void)state;
	drive_skip_root();
	drive_python(
	    "print([wr(d + '/x') for d in ('', '/usr', '/usr/bin', '/dev', "
	    "'/etc', '/proc', '/proc/self')])\n"
	    "print(wr('/etc/conf'), open('/etc/conf').read())\n"
	    "print(sorted(os.listdir('/etc')), oct(os.stat('/etc').st_mode))\n"
	    "print(err(os.rename, '/bin', '/work/bin'), "
	    "err(os.unlink, '/.canary'), err(os.chmod, '/', 0o777))\n");
	add_entry(ENTRY_DIR, "/etc", "")->mode = 0711;
	e = add_entry(ENTRY_FILE, "/etc/conf", "");
	e->mode = 0755;
	e->content = (const uint8_t *)"text";
	e->content_len = 4;
	expect("[30, 30, 30, 30, 30, 2, 2]\n"
	       "30 text\n"
	       "['conf'] 0o40711\n"
	       "18 30 30\n");
}

static void
test_mount_table(void **state)
{
	int lines = 0;

	(void)state;
	drive_skip_root();
	drive_python(
	    "for l in sorted(l.split(' ') for l in "
	    "open('/proc/self/mountinfo')):\n"
	    " i = l.index('-')\n"
	    " f = [x for x in l[5].split(',') if 'atime' not in x]\n"
	    " sys.stdout.write(' '.join([l[4], ','.join(f), str(i)]) + "
	    "'\\n')\n");
	assert_int_equal(drive_run(&d, &p), 0);
	for (const char *c = d.output; *c != '\0'; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 13);
	for (const char *const *line =
		 (const char *const[]){"/ ro,nosuid,nodev 6\n",
		     "/usr ro,nosuid,nodev 6\n", "/dev ro,nosuid,noexec 6\n",
		     "/dev/null rw,nosuid,noexec 6\n",
		     "/dev/zero rw,nosuid,noexec 6\n",
		     "/dev/full rw,nosuid,noexec 6\n",
		     "/dev/random rw,nosuid,noexec 6\n",
		     "/dev/urandom rw,nosuid,noexec 6\n",
		     "/dev/pts rw,nosuid,noexec 6\n",
		     "/dev/shm rw,nosuid,nodev 6\n",
		     "/proc rw,nosuid,nodev,noexec 6\n",
		     "/work rw,nosuid,nodev 6\n", "/tmp rw,nosuid,nodev 6\n",
		     NULL};
	     *line != NULL; line++)
		if (strstr(d.output, *line) == NULL)
			fail_msg("%s is not in\n%s", *line, d.output);
}

static void
test_devices(void **state)
{
	(void)state;
	drive_skip_root();
	drive_python(
	    "print(sorted(os.listdir('/dev')))\n"
	    "print([os.stat('/dev/' + n).st_rdev for n in "
	    "('null', 'zero', 'full', 'random', 'urandom')])\n"
	    "print(len(open('/dev/urandom', 'rb').read(9)), "
	    "wr('/dev/null'), open('/dev/zero', 'rb').read(1))\n"
	    "f = open('/dev/full', 'wb', 0)\n"
	    "print(err(f.write, b'x'))\n"
	    "print([err(os.mknod, '/work/n', t | 0o600, os.makedev(1, 3)) "
	    "for t in (stat.S_IFCHR, stat.S_IFBLK)])\n"
	    "m, s = os.openpty()\n"
	    "print(os.ttyname(s))\n"
	    "print(wr('/dev/stdout'))\n"
	    "print(err(os.unlink, '/dev/null'), "
	    "err(os.rename, '/dev/null', '/dev/zero'))\n");
	expect("['fd', 'full', 'null', 'ptmx', 'pts', 'random', 'shm', "
	       "'stderr', 'stdin', 'stdout', 'urandom', 'zero']\n"
	       "[259, 261, 263, 264, 265]\n"
	       "9 0 b'\\x00'\n"
	       "28\n"
	       "[1, 1]\n"
	       "/dev/pts/0\n"
	       "0\n"
	       "30 30\n");
}

static void
test_proc(void **state)
{
	(void)state;
	drive_skip_root();
	drive_python(
	    "print(sorted(n for n in os.listdir('/proc') if not "
	    "n.isdigit()))\n"
	    "print({err(open, '/proc/' + n) for n in ('cmdline', 'version', "
	    "'cpuinfo', 'meminfo', 'keys', 'kallsyms', 'loadavg', 'uptime', "
	    "'sys/kernel/core_pattern', 'pressure/cpu', 'config.gz', "
	    "'iomem', 'mounts/../version', '1/status', '1/environ')})\n"
	    "print('lo' in open('/proc/net/dev').read(), "
	    "len(open('/proc/net/route').readlines()), "
	    "os.readlink('/proc/net'))\n"
	    "print([err(os.open, '/proc/self/' + n, os.O_RDWR) for n in "
	    "('mem', 'oom_score_adj', 'comm', 'uid_map')])\n");
	expect("['self', 'thread-self']\n"
	       "{2}\n"
	       "True 1 self/net\n"
	       "[13, 13, 13, 13]\n");
}

static void
test_scratch_is_one(void **state)
{
	(void)state;
	drive_skip_root();
	drive_python(
	    "P = ('/work', '/tmp', '/dev/shm')\n"
	    "print([(oct(os.stat(d).st_mode), os.stat(d).st_uid) for d in P], "
	    "len({os.stat(d).st_dev for d in P}))\n"
	    "n = 0\n"
	    "while not wr(P[n % 3] + '/f%d' % n): n += 1\n"
	    "print(n, wr('/work/x'), wr('/tmp/x'), wr('/dev/shm/x'))\n"
	    "for i in range(n): os.unlink(P[i % 3] + '/f%d' % i)\n"
	    "f = open('/tmp/big', 'wb', 0)\n"
	    "k = 0\n"
	    "def fill():\n"
	    " global k\n"
	    " while True: k += f.write(b'x' * 65536)\n"
	    "print(err(fill), k)\n"
	    "for d in P:\n"
	    " g = open(d + '/more', 'wb', 0)\n"
	    " print(err(g.write, b'x'))\n"
	    "print(err(os.rename, '/tmp/more', '/work/moved'), "
	    "err(os.link, '/tmp/more', '/work/linked'))\n"
	    "os.mkdir('/work/d')\n"
	    "print(err(os.rename, '/work/more', '/work/d/more'), "
	    "err(os.rmdir, '/work'), sorted(os.listdir('/work/..')))\n");
	expect("[('0o40700', 1000), ('0o41777', 1000), ('0o41777', 1000)] 1\n"
	       "64 28 28 28\n"
	       "28 8388608\n"
	       "28\n28\n28\n"
	       "18 18\n"
	       "0 30 ['.canary', 'bin', 'dev', 'lib', 'lib64', 'proc', "
	       "'sbin', 'tmp', 'usr', 'work']\n");
}

static void
test_nothing_of_the_host(void **state)
{
	static char script[1024];

	(void)state;
	drive_skip_root();
	(void)snprintf(script, sizeof(script),
	    "print(err(os.listdir, '%s'))\n"
	    "os.symlink('%s', '/work/l'); print(err(os.listdir, '/work/l'))\n"
	    "print(err(open, '/' + '../' * 40 + 'etc/passwd'))\n"
	    "print(err(os.listdir, '/sys'), err(os.listdir, '/home'), "
	    "os.readlink('/proc/self/root'))\n"
	    "fd = os.open('/work', os.O_RDONLY)\n"
	    "print(os.listdir('/proc/self/fd/%%d/../..' %% fd) == "
	    "os.listdir('/'))\n",
	    dir, dir);
	drive_python(script);
	expect("2\n2\n2\n2 2 /\nTrue\n");
}

/* Refused by Landlock alone: mounts and modes would let it pass. */
static void
test_landlock(void **state)
{
	static const char script[] =
	    "print(err(open, '/.canary'), err(os.execv, '/etc/x', ['x']))\n"
	    "print(err(open, '/dev/shm/../../.canary'))\n"
	    "fd = os.open('/', os.O_PATH)\n"
	    "print(err(lambda: os.open('.canary', 0, dir_fd=fd)), "
	    "err(open, '/proc/self/root/.canary'))\n";
	struct plan_entry *e;

	(void)state;
	drive_skip_root();
	for (int is_held = 1; is_held >= 0; is_held--) {
		drive_python(script);
		e = add_entry(ENTRY_FILE, "/etc/x", "");
		e->mode = 0755;
		e->content = (const uint8_t *)"no format";
		e->content_len = 9;
		if (!is_held)
			p.controls &= ~CONTROL_BIT(CTL_LANDLOCK);
		expect(is_held ? "13 13\n13\n13 13\n" : "0 8\n0\n0 0\n");
	}
	p.controls |= CONTROL_BIT(CTL_LANDLOCK);
	p.landlock_abi_min = 255;
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_int_equal(d.report.rows[CTL_LANDLOCK].step, STEP_LANDLOCK_ABI);
	assert_int_equal(d.report.rows[CTL_LANDLOCK].err, EOPNOTSUPP);
	(void)drive_end(&d);
}

static void
put_file(const char *name, const char *text)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char *
get_file(const char *name)
{
	static char text[64];
	char path[128];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (NULL);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return (text);
}

static void
test_binds(void **state)
{
	char file[128];

	(void)state;
	drive_skip_root();
	put_file("file", "old");
	(void)snprintf(file, sizeof(file), "%s/file", dir);
	drive_python(
	    "print([open(f).read() for f in ('/opt/a/b/file', '/work/x/file', "
	    "'/tmp/one', '/srv/one')])\n"
	    "print(wr('/opt/a/b/no'), wr('/opt/a/b/file'), wr('/tmp/one'), "
	    "wr('/srv/x'), wr('/opt/x'), wr('/work/own'))\n"
	    "print(wr('/work/x/made'), err(os.mkdir, '/work/x/d'))\n"
	    "print(err(os.rename, '/work/x/made', '/work/made'), "
	    "err(os.rename, '/work/x', '/work/y'))\n"
	    "open('/srv/one', 'w').write('new')\n"
	    "print(open('/opt/a/b/file').read(), "
	    "err(os.setxattr, '/opt/a/b/file', 'user.x', b'x'))\n");
	add_bind("/opt/a/b", dir, 0);
	add_bind("/work/x", dir, ENTRY_WRITABLE);
	add_bind("/tmp/one", file, 0);
	add_bind("/srv/one", file, ENTRY_WRITABLE);
	expect("['old', 'old', 'old', 'old']\n"
	       "30 30 30 30 30 0\n"
	       "0 0\n"
	       "18 16\n"
	       "new 30\n");
	assert_int_equal(d.report.rows[CTL_MNTNS].got, 5);
	assert_string_equal(get_file("file"), "new");
	assert_string_equal(get_file("made"), "");
	assert_null(get_file("no"));
	assert_null(get_file("own"));
	(void)snprintf(file, sizeof(file), "%s/d", dir);
	assert_int_equal(rmdir(file), 0);
}

static void
expect_fault(enum step step, int err)
{
	drive_start(&d);
	assert_int_equal(drive_send(&d, &p), MSG_REFUSED);
	assert_int_equal(d.report.rows[CTL_MNTNS].state, READBACK_FAULT);
	assert_int_equal(d.report.rows[CTL_MNTNS].step, step);
	assert_int_equal(d.report.rows[CTL_MNTNS].err, err);
	assert_int_equal(d.report.rows[CTL_MNTNS].class, FAULT_USAGE);
	/* One cause: what needs the mounts is blocked and no gap of its own. */
	assert_int_equal(d.report.rows[CTL_LANDLOCK].state, READBACK_BLOCKED);
	(void)drive_end(&d);
}

static void
test_bad_sources(void **state)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	char path[sizeof(name.sun_path)];
	int fd;

	(void)state;
	drive_skip_root();
	(void)snprintf(path, sizeof(path), "%s/source", dir);
	/* A link in place of what the plan saw, even to the same thing. */
	put_file("file", "text");
	assert_int_equal(symlink("file", path), 0);
	drive_plan_shell(&p, "true");
	add_bind("/opt", dir, 0);
	p.entries[p.entry_count - 1].source = path;
	expect_fault(STEP_BIND_SOURCE, ELOOP);
	assert_int_equal(unlink(path), 0);
	expect_fault(STEP_BIND_SOURCE, ENOENT);

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(name.sun_path, path, sizeof(path));
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	drive_plan_shell(&p, "true");
	add_bind("/opt", path, 0);
	expect_fault(STEP_BIND_SOURCE, ENOTSUP);
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	drive_plan_shell(&p, "true");
	add_bind("/opt", path, 0);
	expect_fault(STEP_BIND_SOURCE, ENOTSUP);
	assert_int_equal(unlink(path), 0);
}

/* The program that was announced, or none: not shorter, longer or a pipe. */
static void
test_program_is_exact(void **state)
{
	static const struct {
		uint64_t bytes;
		int err;
	} tries[] = {{4, 0}, {5, EBADMSG}, {3, EBADMSG}, {0, ESPIPE}};
	static uint8_t bytes[PLAN_BYTES_MAX];
	char path[128];
	int fds[PLAN_FD__MAX], pipes[2];
	long len;

	(void)state;
	drive_skip_root();
	put_file("file", "text");
	(void)snprintf(path, sizeof(path), "%s/file", dir);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		drive_plan_shell(&p, "true");
		add_entry(ENTRY_PROGRAM, PLAN_PROGRAM_DIR "/x", "")->mode =
		    0555;
		p.has_program = true;
		p.program_bytes = tries[i].bytes == 0 ? 4 : tries[i].bytes;
		len = plan_encode(&p, bytes, sizeof(bytes));
		assert_true(len > 0);
		assert_int_equal(pipe(pipes), 0);
		fds[PLAN_STDIN] = pipes[0];
		fds[PLAN_STDOUT] = fds[PLAN_STDERR] = pipes[1];
		fds[PLAN_PROGRAM] = tries[i].err == ESPIPE ?
		    dup(pipes[0]) :
		    open(path, O_RDONLY | O_CLOEXEC);
		drive_start(&d);
		assert_int_equal(drive_send_bytes(&d, bytes, (size_t)len, fds,
				     PLAN_FD__MAX),
		    tries[i].err == 0 ? MSG_HELD : MSG_REFUSED);
		assert_int_equal(d.report.rows[CTL_MNTNS].err, tries[i].err);
		if (tries[i].err != 0)
			assert_int_equal(d.report.rows[CTL_MNTNS].step,
			    STEP_COPY_PROGRAM);
		(void)drive_end(&d);
		close(fds[PLAN_PROGRAM]);
		close(pipes[0]);
		close(pipes[1]);
	}
}

static int
make_host_dir(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/var/tmp/agsbx.XXXXXX");
	return (mkdtemp(dir) == NULL ? -1 : 0);
}

static int
remove_host_dir(void **state)
{
	static const char *const names[] = {"file", "made", "no", "source"};
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		(void)unlink(path);
	}
	return (rmdir(dir));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_root_is_read_only),
	    cmocka_unit_test(test_mount_table),
	    cmocka_unit_test(test_devices),
	    cmocka_unit_test(test_proc),
	    cmocka_unit_test(test_scratch_is_one),
	    cmocka_unit_test(test_nothing_of_the_host),
	    cmocka_unit_test(test_landlock),
	    cmocka_unit_test(test_binds),
	    cmocka_unit_test(test_bad_sources),
	    cmocka_unit_test(test_program_is_exact),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, make_host_dir, remove_host_dir));
}
