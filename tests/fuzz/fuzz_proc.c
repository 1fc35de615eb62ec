/*
 * fuzz_proc.c - texts of /proc as the launcher reads them.  The kernel makes
 * them, but the names in them are a job's or a host's: mountinfo must be
 * refused or hold each mount of the plan at most once, and a field is a number
 * or an error.
 *
 * Input: the text of the file.
 */
#include "fuzz.h"
#include "io.h"
#include "unit/mountinfo_fixture.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	MUST(mountinfo_setup());
	return (atexit(mountinfo_teardown));
}

static void
try_mountinfo(const uint8_t *data, size_t size)
{
	static const enum control rows[] = {CTL_ROOT, CTL_DEV, CTL_PROCFS,
	    CTL_SCRATCH, CTL_MNTNS};
	bool is_good;

	MUST(mountinfo_put(data, size));
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
