/*
 * fuzz_program.c - a FILE of any name and any bytes: it is refused, or what
 * the job executes is a clean path inside, with the bytes that were read.
 *
 * Input: the name, ended by a NUL, then the bytes.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <sha2.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"
#include "lang.h"
#include "plan.h"

static int fd = -1;

static void
set_file(const struct input *in)
{
	if (fd == -1)
		fd = memfd_create("program", MFD_CLOEXEC);
	MUST(fd != -1 && ftruncate(fd, 0) == 0);
	MUST(pwrite(fd, in->at, in->left, 0) == (ssize_t)in->left);
}

static void
must_be_runnable(const struct command *c, const struct input *in)
{
	char want[SHA256_DIGEST_STRING_LENGTH];
	struct stat st;

	MUST(c->program_path != NULL && plan_path_is_clean(c->program_path));
	MUST(plan_path_is_in(c->program_path, PLAN_PROGRAM_DIR));
	MUST(strchr(c->program_path + sizeof(PLAN_PROGRAM_DIR), '/') == NULL);
	MUST(strlen(c->program_path) < PLAN_PATH_MAX);
	MUST(c->program_bytes == in->left);
	MUST(fstat(c->program_fd, &st) == 0 &&
	    (uint64_t)st.st_size == c->program_bytes);
	(void)SHA256Data(in->at, in->left, want);
	MUST(strcmp(c->sha256, want) == 0);
	MUST(c->argv[0] != NULL && c->argv[0][0] != '\0');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const args[] = {NULL};
	struct input in = {data, size};
	struct diag d = {.code = DIAG_NONE};
	struct command c;
	char *name = take_text(&in);

	set_file(&in);
	if (command_resolve(&c, FORM_FILE, name, args, NULL, fd, &d) == 0) {
		must_be_runnable(&c, &in);
		command_free(&c);
	} else {
		must_be_told(&d);
	}
	free(name);
	return (0);
}
