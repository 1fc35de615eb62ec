/*
 * test_rows.c - for each row, the thing that it denies is tried by a job.
 *
 * The plan's filter allows everything, so that what refuses is the row's own
 * mechanism, or the floor filter for system calls that it names.  Exact
 * output is expected: a refusal for another reason shows.
 */
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

static struct drive d;
static struct plan p;

/* sys(nr, ...) prints the errno of a raw system call, 0 when it succeeded. */
#define PRELUDE \
	"import ctypes, os, resource, socket, sys\n" \
	"libc = ctypes.CDLL(None, use_errno=True)\n" \
	"def sys_(nr, *a):\n" \
	" ctypes.set_errno(0)\n" \
	" r = libc.syscall(nr, *a)\n" \
	" print(ctypes.get_errno() if r == -1 else 0)\n" \
	"def err(f, *a):\n" \
	" try: f(*a); print(0)\n" \
	" except OSError as e: print(e.errno)\n"

struct attempt {
	const char *name; /* the control */
	const char *python;
	const char *want;
};

static const struct attempt attempts[] = {
    {"userns", "print(os.getuid(), os.getgid(), os.geteuid())\n",
	"1000 1000 1000\n"},
    /* setuid(0): an id that is not mapped */
    {"userns", "err(os.setuid, 0)\nsys_(272, 0x10000000)\n", "22\n1\n"},
    {"pidns", "print(os.getpid() < 10, os.getppid())\n", "True 1\n"},
    {"pidns", "sys_(101, 16, 1, 0, 0)\n", "1\n"},
    {"ipc", "sys_(71, 0, 0)\n", "1\n"},
    {"uts", "print(os.uname().nodename)\nsys_(170, b'x', 1)\n", "sandbox\n1\n"},
    {"cgroupns",
	"print({l.rstrip().split(':')[2] for l in "
	"open('/proc/self/cgroup')})\n",
	"{'/'}\n"},
    {"netns",
	"print([n for i, n in socket.if_nameindex() if n == 'lo' or "
	"not n.endswith('0')])\n"
	"s = socket.socket()\ns.settimeout(2)\n"
	"err(s.connect, ('127.0.0.1', 22))\n"
	"s = socket.socket()\nerr(s.connect, ('192.0.2.1', 80))\n",
	"['lo']\n111\n101\n"},
    {"mntns", "print(sorted(os.listdir('/')))\n",
	"['.canary', 'bin', 'dev', 'lib', 'lib64', 'proc', 'sbin', 'tmp', "
	"'usr', 'work']\n"},
    {"mntns", "err(open, '/usr/bin/agsbx-x', 'w')\n", "30\n"},
    {"dev",
	"err(os.mknod, '/dev/x', 0o600)\nerr(open, '/dev/kmsg')\n"
	"err(open, '/dev/sda')\n",
	"30\n2\n2\n"},
    {"procfs",
	"print([x for x in os.listdir('/proc') if x.isdigit() and "
	"int(x) != os.getpid()])\nerr(os.listdir, '/proc/1')\n"
	"err(open, '/proc/sys/kernel/hostname')\n",
	"[]\n2\n2\n"},
    {"scratch",
	"f = open('/work/x', 'wb')\nerr(lambda: [f.write(b'x' * 1048576) "
	"for i in range(64)])\n",
	"28\n"},
    {"root", "sys_(161, b'/work')\nerr(os.mkdir, '/new')\n", "1\n30\n"},
    {"root", "err(open, '/../etc/passwd')\n", "2\n"},
    /* remount, umount, unshare: the floor filter answers first */
    {"locked",
	"sys_(165, None, b'/usr', None, 4128, None)\n"
	"sys_(166, b'/proc', 2)\nsys_(272, 0x20000)\n",
	"1\n1\n1\n"},
    {"session",
	"print(os.getsid(0) == os.getpgid(0))\nerr(open, '/dev/tty')\n"
	"sys_(250, 0, -3, 0)\n",
	"True\n2\n1\n"},
    {"session",
	"print([l.split()[1] for l in open('/proc/self/status') if "
	"l[:6] in ('SigBlk', 'Umask:')], os.nice(0))\n",
	"['0077', '0000000000000000'] 0\n"},
    {"descriptors",
	"print(sorted(map(int, os.listdir('/proc/self/fd')))[:3], "
	"len(os.listdir('/proc/self/fd')))\n",
	"[0, 1, 2] 4\n"},
    {"output",
	"import stat\nprint([stat.S_ISFIFO(os.fstat(i).st_mode) "
	"for i in range(3)])\n",
	"[True, True, True]\n"},
    {"environment", "print(sorted(k for k in os.environ if k != 'LC_CTYPE'))\n",
	"['HOME', 'PATH']\n"},
    {"rlimits",
	"r = resource\n"
	"print(r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_CORE), "
	"r.getrlimit(r.RLIMIT_MEMLOCK), r.getrlimit(r.RLIMIT_MSGQUEUE), "
	"r.getrlimit(r.RLIMIT_CPU), r.getrlimit(r.RLIMIT_SIGPENDING))\n"
	"def up(): r.setrlimit(r.RLIMIT_NOFILE, (1024, 2048))\n"
	"try: up()\nexcept ValueError as e: print(e)\n",
	"(1024, 1024) (1, 1) (65536, 65536) (0, 0) (121, 121) (256, 256)\n"
	"not allowed to raise maximum limit\n"},
    {"rlimits",
	"import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
	"f = open('/work/x', 'wb')\nerr(f.truncate, 16 << 20)\n",
	"27\n"},
    {"processes",
	"n = 0\n"
	"try:\n"
	" while True:\n"
	"  if os.fork() == 0: os.pause() if hasattr(os, 'pause') else "
	"__import__('signal').pause()\n"
	"  n += 1\n"
	"except OSError as e: print(n, e.errno)\n",
	"15 11\n"},
    {"capabilities",
	"print([l.split()[1] for l in open('/proc/self/status') if "
	"l.startswith('Cap')])\nos.chmod('/work', 0)\n"
	"err(os.listdir, '/work')\n",
	"['0000000000000000', '0000000000000000', '0000000000000000', "
	"'0000000000000000', '0000000000000000']\n13\n"},
    /* securebits are locked: PR_SET_SECUREBITS */
    {"capabilities", "sys_(157, 28, 0, 0, 0, 0)\n", "1\n"},
    {"no_new_privs",
	"print([l.split()[1] for l in open('/proc/self/status') if "
	"l.startswith('NoNewPrivs')])\n",
	"['1']\n"},
    {"landlock", "err(open, '/.canary')\n", "13\n"},
    {"floor_filter",
	"sys_(1023)\nsys_(101, 0, 0, 0, 0)\nsys_(321, 0, 0, 0)\n"
	"sys_(425, 1, 0)\n",
	"68\n1\n1\n1\n"},
    {"plan_filter",
	"sys_(1022)\nprint([l.split()[1] for l in open('/proc/self/status') "
	"if l.startswith('Seccomp:')])\n",
	"69\n['2']\n"},
    /* init cannot be read, traced or limited */
    {"death",
	"err(open, '/proc/1/mem')\n"
	"sys_(302, 1, 7, None, None)\n",
	"2\n1\n"},
};

static void
test_attempts(void **state)
{
	static char script[4096];
	unsigned int bad = 0;

	(void)state;
	drive_skip_root();
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		const struct attempt *a = &attempts[i];

		(void)snprintf(script, sizeof(script), "%s%s", PRELUDE,
		    a->python);
		drive_plan(&p,
		    (const char *const[]){"python3", "-I", "-S", "-c", script,
			NULL});
		p.max_procs = 16;
		p.scratch_bytes = 16 << 20;
		p.file_bytes = 8 << 20;
		if (strcmp(a->name, "scratch") == 0)
			p.file_bytes = 1 << 30;
		(void)drive_run(&d, &p);
		if (strcmp(d.output, a->want) == 0)
			continue;
		print_error("%s (%zu): got\n%swant\n%s", a->name, i, d.output,
		    a->want);
		bad++;
	}
	assert_int_equal(bad, 0);
}

/* Init ignores what comes from inside; Landlock's scopes refuse it besides. */
static void
test_signal_to_init(void **state)
{
	static const char script[] =
	    PRELUDE "err(os.kill, 1, 9)\nprint('alive')\n";

	(void)state;
	drive_skip_root();
	drive_plan(&p,
	    (const char *const[]){"python3", "-I", "-S", "-c", script, NULL});
	assert_int_equal(drive_run(&d, &p), 0);
	assert_string_equal(d.output,
	    d.report.rows[CTL_LANDLOCK].got >= 6 ? "1\nalive\n" : "0\nalive\n");
}

/* Every control of the table has an attempt above, or one of its own. */
static void
test_all_rows_are_tried(void **state)
{
	static const char elsewhere[] = " memory cpushare cpu wall timens "
					"nscounts ";

	(void)state;
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		char word[64];
		bool is_tried;

		(void)snprintf(word, sizeof(word), " %s ", controls[ctl].name);
		is_tried = strstr(elsewhere, word) != NULL;
		for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]);
		     i++)
			is_tried |=
			    strcmp(attempts[i].name, controls[ctl].name) == 0;
		if (!is_tried)
			print_error("%s is not tried\n", controls[ctl].name);
		assert_true(is_tried);
	}
}

static void
test_wall(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "trap '' TERM; sleep 30; sleep 30");
	p.wall_ms = 300;
	p.grace_ms = 100;
	assert_int_equal(drive_run(&d, &p) & 0x7f, SIGKILL);
	assert_int_equal(d.exited.flags, EXITED_BY_DEADLINE);
	assert_in_range(d.exited.wall_us, 400000, 2000000);
}

/* Two processes: neither is above RLIMIT_CPU, both together are. */
static void
test_cpu(void **state)
{
	static const char *const scripts[] = {
	    "while :; do :; done",
	    "while :; do :; done & while :; do :; done",
	    /* the dead count as well */
	    "while :; do sh -c 'for i in $(seq 20000); do :; done'; done",
	};

	(void)state;
	drive_skip_root();
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		drive_plan_shell(&p, scripts[i]);
		p.cpu_ms = 500;
		p.wall_ms = 20000;
		assert_int_equal(drive_run(&d, &p) & 0x7f, SIGKILL);
		assert_int_equal(d.exited.flags, EXITED_BY_CPU);
		assert_in_range(d.exited.cpu_us, 400000, 1500000);
	}
}

/* What a job can do that a row denies: with the row, and without it. */
static void
assert_row_decides(enum control ctl, const char *python, const char *with,
    const char *without)
{
	for (int is_held = 1; is_held >= 0; is_held--) {
		drive_plan(&p,
		    (const char *const[]){"python3", "-I", "-S", "-c", python,
			NULL});
		p.max_procs = 16;
		if (!is_held)
			p.controls &= ~CONTROL_BIT(ctl);
		(void)drive_run(&d, &p);
		assert_string_equal(d.output, is_held ? with : without);
	}
}

/* All clocks that tell how long the host has been up. */
static void
test_timens(void **state)
{
	struct timespec up;

	(void)state;
	drive_skip_root();
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &up), 0);
	if (up.tv_sec < 60) {
		print_message("the host itself is not up for a minute\n");
		skip();
	}
	assert_row_decides(CTL_TIMENS,
	    "import ctypes, time\n"
	    "b = (ctypes.c_long * 32)()\n"
	    "ctypes.CDLL(None).syscall(99, b)\n"
	    "print([t < 60 for t in (time.monotonic(), b[0], "
	    "time.clock_gettime(time.CLOCK_BOOTTIME))])\n",
	    "[True, True, True]\n", "[False, False, False]\n");
}

/* Inotify instances, of which the host has 128 a user by default. */
static void
test_nscounts(void **state)
{
	(void)state;
	drive_skip_root();
	assert_row_decides(CTL_NSCOUNTS,
	    "import ctypes\n"
	    "n = 0\n"
	    "while n < 20 and ctypes.CDLL(None).inotify_init() != -1: n += 1\n"
	    "print(n)\n",
	    "16\n", "20\n");
}

/* The smallest ceiling: the job itself, and no child. */
static void
test_one_process(void **state)
{
	(void)state;
	drive_skip_root();
	drive_plan_shell(&p, "echo one; (echo two)");
	p.max_procs = 1;
	assert_int_equal(drive_run(&d, &p), 2 << 8);
	assert_string_equal(d.output, "one\nsh: 1: Cannot fork\n");
	assert_int_equal(d.report.rows[CTL_PROCESSES].got, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_attempts),
	    cmocka_unit_test(test_signal_to_init),
	    cmocka_unit_test(test_all_rows_are_tried),
	    cmocka_unit_test(test_wall),
	    cmocka_unit_test(test_cpu),
	    cmocka_unit_test(test_timens),
	    cmocka_unit_test(test_nscounts),
	    cmocka_unit_test(test_one_process),
	};

	signal(SIGPIPE, SIG_IGN);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
