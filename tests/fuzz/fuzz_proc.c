/*
 * fuzz_proc.c - texts of /proc as the launcher reads them.  The kernel makes
 * them, but the names in them are a job's or a host's: mountinfo must be
 * refused or hold each mount of the plan at most once, and a field is a number
 * or an error.
 *
 * Input: the text of the file.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"
#include "io.h"
#include "launcher.h"

static struct plan plan = {.controls = CONTROL_ALL,
    .entry_count = 3,
    .entries = {{.kind = ENTRY_BIND, .path = "/usr"},
	{.kind = ENTRY_BIND, .flags = ENTRY_WRITABLE, .path = "/work/a b\\c"},
	{.kind = ENTRY_DIR, .path = "/empty"}}};
static struct board board;
static struct launch launch = {.plan = &plan,
    .board = &board,
    .current = CTL_MNTNS,
    .job_proc = -1};
static char dir[] = "/tmp/agsbx-fuzz.XXXXXX";
static int fd = -1;

static void
remove_dir(void)
{
	(void)unlinkat(launch.job_proc, "mountinfo", 0);
	(void)rmdir(dir);
}

/* A directory that looks like /proc/PID, whose mountinfo is in memory. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char link[64];

	(void)argc;
	(void)argv;
	MUST(mkdtemp(dir) != NULL);
	launch.job_proc = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = memfd_create("mountinfo", MFD_CLOEXEC);
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	MUST(symlinkat(link, launch.job_proc, "mountinfo") == 0);
	return (atexit(remove_dir));
}

static void
try_mountinfo(const uint8_t *data, size_t size)
{
	static const enum control rows[] = {CTL_ROOT, CTL_DEV, CTL_PROCFS,
	    CTL_SCRATCH, CTL_MNTNS};
	bool is_good;

	memset(&board, 0, sizeof(board));
	MUST(ftruncate(fd, 0) == 0);
	MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
	launch.current = CTL_MNTNS;
	is_good = mountinfo_read(&launch);
	MUST(is_good || board.report.rows[CTL_MNTNS].state == READBACK_FAULT);
	for (size_t i = 0; i < COUNT(rows); i++) {
		launch.current = rows[i];
		(void)mountinfo_readback(&launch);
		MUST(board.report.rows[rows[i]].got <=
		    board.report.rows[rows[i]].want);
	}
}

static void
try_fields(const char *text)
{
	static const char *const keys[] = {"Seccomp", "CapEff", "NoNewPrivs"};
	static const int bases[] = {8, 10, 16};
	char decimal[IO_DECIMAL_MAX];
	uint64_t n, again;

	for (size_t i = 0; i < COUNT(keys); i++)
		for (size_t b = 0; b < COUNT(bases); b++)
			(void)io_field_u64(text, keys[i], bases[b], &n);
	for (unsigned int i = 3; i < 53; i++) {
		if (!stat_field(text, i, &n))
			continue;
		(void)io_put_u64(decimal, n);
		MUST(io_parse_u64(decimal, 10, &again) == 0);
		MUST(n == again);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	char *text;

	try_mountinfo(data, size);
	text = take_text(&in);
	try_fields(text);
	free(text);
	return (0);
}
