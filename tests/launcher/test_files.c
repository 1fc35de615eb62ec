/*
 * test_files.c - what a job finds, can write and cannot write.
 *
 * The rows mntns, dev, procfs, scratch, root and landlock, by jobs that print
 * an errno for each try.  What the host sees of a bind decides, not only what
 * the job says.
 */
#include "files_fixture.h"

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
		     "/dev/null ro,nosuid,noexec 6\n",
		     "/dev/zero ro,nosuid,noexec 6\n",
		     "/dev/full ro,nosuid,noexec 6\n",
		     "/dev/random ro,nosuid,noexec 6\n",
		     "/dev/urandom ro,nosuid,noexec 6\n",
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
	    "err(os.rename, '/dev/null', '/dev/zero'), "
	    "err(os.utime, '/dev/null'))\n");
	expect("['fd', 'full', 'null', 'ptmx', 'pts', 'random', 'shm', "
	       "'stderr', 'stdin', 'stdout', 'urandom', 'zero']\n"
	       "[259, 261, 263, 264, 265]\n"
	       "9 0 b'\\x00'\n"
	       "28\n"
	       "[1, 1]\n"
	       "/dev/pts/0\n"
	       "0\n"
	       "30 30 30\n");
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
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, make_host_dir, remove_host_dir));
}
